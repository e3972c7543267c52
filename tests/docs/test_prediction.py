"""The figures of the page about predictions are those of the table that a program wrote."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "prediction-errors.md").read_text(encoding="utf-8")
TABLE = (ROOT / "benchmarks" / "prediction.md").read_text(encoding="utf-8")
ROWS = {"test half": "test", "half that constants were fitted to": "fitted to", "suites measured afterwards": "all"}


@pytest.mark.parametrize(("of_page", "of_table"), ROWS.items())
def test_errors_are_those_of_the_table(of_page: str, of_table: str) -> None:
    (line,) = re.findall(rf"^\| .*{of_page} \| (.*) \|$", PAGE, re.MULTILINE)
    (figures,) = re.findall(rf"^\| {of_table} \| (.*) \|$", TABLE, re.MULTILINE)
    rows, predicted, middle, most, largest = figures.split(" | ")
    assert line == f"{predicted} of {rows} | {middle} | at most {most} | {largest}"
