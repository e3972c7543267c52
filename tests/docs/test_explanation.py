"""The figures of the explanations are those of the committed runs."""

import re
from pathlib import Path

import pytest

from shflbench.store import Row, find_runs, read_run

ROOT = Path(__file__).parents[2]
PAGES = ("what-the-h200-shows.md", "what-the-other-suites-show.md")
COLUMN = {"µs": "time_us", "GB/s": "gb_per_s", "cycles": "cycles_per_iteration"}
LINE = re.compile(r"^\| `(?P<case>[^`]+)` \| (?P<figure>[\d.]+) (?P<unit>µs|GB/s|cycles) \|", re.MULTILINE)
TEXTS = {page: (ROOT / "docs" / "explanation" / page).read_text(encoding="utf-8") for page in PAGES}
FIGURES = [match.groups() for text in TEXTS.values() for match in LINE.finditer(text)]


@pytest.fixture(scope="module")
def measured() -> dict[str, Row]:
    runs = [read_run(folder) for folder in find_runs([ROOT / "results"]) if folder.name == "nvidia-h200"]
    return {row.case_id: row for run in runs if run.info.suite.name != "quick" for row in run.rows}


@pytest.mark.parametrize("page", PAGES)
def test_every_case_of_a_page_has_its_figure(page: str) -> None:
    lines = [line for line in TEXTS[page].splitlines() if line.startswith("| `")]
    assert len(lines) == len(LINE.findall(TEXTS[page])) > 20


@pytest.mark.parametrize(("case", "figure", "unit"), FIGURES)
def test_each_figure_is_that_of_its_row(measured: dict[str, Row], case: str, figure: str, unit: str) -> None:
    value = getattr(measured[case], COLUMN[unit])
    assert value is not None
    assert f"{value:.{len(figure.partition('.')[2])}f}" == figure
