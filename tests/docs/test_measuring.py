"""The pages on measuring say what the code does: its words, its limits, and suites that are valid."""

import re
from pathlib import Path
from typing import get_args

import pytest

from shflbench.measure import noise, schedule, stopping
from shflbench.measure.sentinels import SENTINELS
from shflbench.measure.sentinels.frozen import manifest
from shflbench.model import Disturbance
from shflbench.session import windows
from shflbench.suite import load

DOCS = Path(__file__).parents[2] / "docs"
HOW_WE_TIME = (DOCS / "explanation" / "how-we-time.md").read_text(encoding="utf-8")
PRECISELY = (DOCS / "how-to" / "measure-precisely.md").read_text(encoding="utf-8")
BENCHMARKS = DOCS.parent / "benchmarks"
OFFSETS, AGREEMENT = (
    (BENCHMARKS / f"nvbench_{name}.md").read_text(encoding="utf-8") for name in ("offset", "agreement")
)
STOPS = (stopping.PRECISION, stopping.MAX_SECONDS, stopping.MAX_SAMPLES)
WORDS = {0.98: "98%", 2: "two", 6: "six", 7: "seven", 8: "eight", 9: "nine", 24: "24"}


def words_of(table_head: str, page: str) -> set[str]:
    """Return the first cells of the table that begins with `table_head`."""
    rows = page.split(table_head)[1].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return {row.split("|")[1].strip(" `") for row in rows}


def test_every_disturbance_is_explained_and_has_its_advice() -> None:
    assert words_of("| `noise` |", HOW_WE_TIME) == set(Disturbance)
    assert words_of("| you read |", PRECISELY) == {*Disturbance, *get_args(noise.Verdict)} - {"quiet"}


def test_every_verdict_and_every_reason_to_stop_is_explained() -> None:
    assert words_of("| verdict |", HOW_WE_TIME) == set(get_args(noise.Verdict))
    assert words_of("| `stopped_by` |", HOW_WE_TIME) == set(STOPS)


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("There is one launch in between, or {}", schedule.LAUNCHES_OF_SHORT),
        ("The fewest rounds are {}", stopping.FEWEST_ROUNDS),
        ("Hence two confidences: {}", stopping.STOPPING_CONFIDENCE),
        ("window {} cases or more", windows.CASES),
        ("the {} sentinels", len(SENTINELS)),
        ("{} of 10 to 50 µs", sum(not sentinel.long for sentinel in SENTINELS)),
        ("{} of 300 µs or more", sum(sentinel.long for sentinel in SENTINELS)),
        ("compiled once for each of {} architectures", len(manifest().cubins)),
    ],
)
def test_numbers_of_the_explanation_are_those_of_the_code(sentence: str, number: float) -> None:
    assert sentence.format(WORDS[number]) in " ".join(HOW_WE_TIME.split())


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", PRECISELY, re.DOTALL))
def test_suites_of_the_page_are_valid(text: str, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
    assert load(tmp_path / "suite.yaml").cases


def offsets(surroundings: str) -> list[float]:
    """Return the figures of both processes for short and for long kernels in a row of the recorded offsets."""
    row = next(line for line in OFFSETS.splitlines() if line.startswith(f"| {surroundings} |"))
    return [float(figure) for cell in row.split("|")[-3:-1] for figure in cell.split("/")]


def test_offsets_from_nvbench_are_those_of_the_record() -> None:
    flushed, warm = offsets("shflbench, cache written"), offsets("shflbench, cache not emptied")
    assert f"| {min(flushed):+.2f} to {max(flushed):+.2f};" in HOW_WE_TIME
    assert f"| {sum(warm) / 4:.2f} |".replace("-", "\N{MINUS SIGN}") in HOW_WE_TIME
    assert f"| {sum(offsets('shflbench, code evicted before')) / 4:+.1f} |" in HOW_WE_TIME
    for name in ("the host ends the wait", "stamps to device memory", "stamps to host memory", "code loaded before"):
        assert max(map(abs, offsets(f"shflbench, {name}"))) <= 0.05


def test_count_of_kernels_that_are_shorter_than_under_nvbench_is_that_of_the_record() -> None:
    times = re.findall(r"^\| `[^|]+\| ([\d.]+) \|[^|]+\| ([\d.]+) \|", AGREEMENT, re.MULTILINE)
    shorter = sum(float(ours) < float(theirs) for theirs, ours in times)
    assert f"{shorter} of the {len(times)} kernels are shorter under shflbench" in " ".join(HOW_WE_TIME.split())
