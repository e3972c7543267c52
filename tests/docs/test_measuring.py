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
