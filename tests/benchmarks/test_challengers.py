"""The page of the kernels that beat published answers: what it counts, and that it follows from its record."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import challengers
from shflbench.store import read_run

RESULTS = Path(__file__).parents[2] / "results"

PAGE = challengers.PAGE.read_text(encoding="utf-8")
RECORD = json.loads(challengers.RECORD.read_text(encoding="utf-8"))


def test_the_page_follows_from_the_record() -> None:
    assert challengers.page(RECORD) == PAGE


def test_each_challenger_of_the_page_has_its_kernel_beside_it() -> None:
    sources = {path.stem: path.read_text(encoding="utf-8") for path in challengers.PAGE.with_suffix("").glob("*.cu")}
    row = re.compile(r"^\| ([a-z-]+) .*?`(x-[a-z0-9-]+)` [0-9.]+ \S+ \| [0-9.]+×", re.MULTILINE)
    rows = [(name.replace("-", "_"), variant.replace("-", "_")) for name, variant in row.findall(PAGE)]
    assert len(rows) > 20
    assert [(name, variant) for name, variant in rows if f"{variant}(" not in sources[name]] == []


def test_each_name_that_does_not_count_was_timed() -> None:
    timed = {(at.partition(" ")[0], name) for at, times in RECORD["settings"].items() for name in times}
    assert {(pattern, name) for pattern, names, _ in challengers.OTHER_QUESTIONS for name in names} <= timed
    assert set(challengers.WITHOUT_BEST) <= set(RECORD["settings"])
    assert [at for at, best in challengers.WITHOUT_BEST.items() if best in RECORD["settings"][at]] == []


def test_a_record_has_the_safe_variants_that_a_run_timed() -> None:
    run = read_run(RESULTS / "quick" / "nvidia-h200")
    wanted = {row.variant for row in run.rows if row.pattern == "reduce" and row.safe}
    settings = challengers.recorded([run.folder / "results.csv"])
    (setting,) = (at for at in settings if at.startswith("reduce f32 "))
    assert set(settings[setting]) == wanted
    assert {unit for _, unit in settings[setting].values()} == {"cycles"}
    assert {
        unit for at, times in settings.items() if at.startswith("moving-average ") for _, unit in times.values()
    } == {"µs"}


@pytest.mark.parametrize(
    ("pattern", "times", "fell"),
    [
        ("sum", {"shfl": 103.1, "smem": 110.0, "x-mma": 100.0}, "| `shfl` 103.1 cycles | `x-mma` 100 cycles | 1.03× |"),
        ("sum", {"shfl": 103.0, "x-mma": 100.0}, ""),
        ("sum", {"x-mma": 100.0}, ""),
        ("reserve", {"shfl": 200.0, "x-wide": 100.0}, ""),
        ("sum", {"shfl": 200.0, "x-wide": 100.0}, "| `shfl` 200 cycles | `x-wide` 100 cycles | 2.00× |"),
        ("count", {"redux-block": 200.0, "x-ticket": 100.0}, ""),
    ],
)
def test_only_a_challenger_of_the_same_question_counts_that_is_faster_by_more_than_the_margin(
    pattern: str, times: dict[str, float], fell: str
) -> None:
    setting = next((at for at in challengers.WITHOUT_BEST if at.startswith(pattern)), f"{pattern} f32 1x32")
    timed = {name: [time, "cycles"] for name, time in times.items()}
    page = challengers.page({"device": "a GPU", "settings": {setting: timed}})
    assert fell in page
    assert f"At {int(bool(fell))} of 1 settings" in page
    assert ("`x-wide`: a thread stores for others" in page) == (pattern == "reserve")
