"""The figures of the explanation are those of the committed runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shflbench.store import Row, read_run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "what-the-h200-shows.md"
LINE = re.compile(r"^\| (neighbor|reduce) \| ([\w-]+) \| (\w+) \| ([^|]+) \| ([\d.]+) \|", re.MULTILINE)
FIGURES = LINE.findall(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str, str, str], Row]:
    runs = [read_run(ROOT / "results" / suite / "nvidia-h200") for suite in ("launch-sweep", "gtc2013")]
    return {(row.pattern, row.variant, row.dtype, row.launch): row for run in runs for row in run.rows}


def test_the_page_has_figures() -> None:
    assert len(FIGURES) == sum(line.startswith(("| neighbor", "| reduce")) for line in PAGE.read_text().splitlines())
    assert len(FIGURES) > 10


@pytest.mark.parametrize(("pattern", "variant", "dtype", "launch", "cycles"), FIGURES)
def test_each_figure_is_that_of_its_row(
    measured: dict[tuple[str, str, str, str], Row], pattern: str, variant: str, dtype: str, launch: str, cycles: str
) -> None:
    found = measured[pattern, variant, dtype, launch].cycles_per_iteration
    assert found is not None
    assert f"{found:.1f}" == cycles
