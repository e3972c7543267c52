"""The tables of docs/explanation/what-the-exchanges-show.md have the times of the stored run."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "what-the-exchanges-show.md"
RUN = ROOT / "results" / "exchanges" / "nvidia-h100"
TABLE = re.compile(
    r"^Times in µs of `([^`]+)`, `([^`]+)`, `([^`]+)`:\n\n\| options \| (.*) \|\n\|.*\n((?:\|.*\n)+)", re.MULTILINE
)


def stored() -> dict[tuple[str, ...], float]:
    with (RUN / "results.csv").open(encoding="utf-8") as file:
        return {
            (row["pattern"], row["dtype"], row["launch"], row["options"] or "–", row["variant"]): float(row["time_us"])
            for row in csv.DictReader(file)
        }


def shown() -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield pattern, dtype, launch, options and variant of each cell, and its text."""
    for pattern, dtype, launch, head, body in TABLE.findall(PAGE.read_text(encoding="utf-8")):
        for line in body.splitlines():
            options, *cells = line.strip("| ").split(" | ")
            for variant, cell in zip(head.split(" | "), cells, strict=True):
                yield (pattern, dtype, launch, options, variant), cell


def test_each_time_of_the_page_is_that_of_the_run() -> None:
    times, cells = stored(), dict(shown())
    assert len(cells) > 150
    assert {key: float(cell) for key, cell in cells.items()} == pytest.approx(
        {key: times[key] for key in cells}, abs=0.0501
    )
