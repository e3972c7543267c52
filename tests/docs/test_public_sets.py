"""The tables of the public sets in the documentation are those of the recorded page."""

from pathlib import Path

from benchmarks.public_sets.page import END, START

ROOT = Path(__file__).parents[2]


def test_the_rows_of_the_documentation_are_those_of_the_page() -> None:
    text = (ROOT / "docs" / "explanation" / "how-often-check-is-right.md").read_text(encoding="utf-8")
    tables = text.partition(START)[2].partition(END)[0]
    rows = [line for line in tables.splitlines() if line]
    assert len(rows) > 10
    page = (ROOT / "benchmarks" / "public_sets.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row not in page] == []
