"""Write the record: the page, the same figures as JSON, and the tables in the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.public_sets.page import page, record
from benchmarks.public_sets.published import comparison
from benchmarks.public_sets.tables import table
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.public_sets.tables import SetOutcomes

RECORDED = Path(__file__).parent.with_name("public_sets.md")
EXPLANATION = RECORDED.parents[1] / "docs" / "explanation" / "how-often-check-is-right.md"
START, END = "<!-- tables of benchmarks/public_sets.md -->\n", "<!-- end of the tables -->"


def write_record(sets: Sequence[SetOutcomes], path: Path) -> None:
    """Write the page to `path`, JSON beside it and, if it is the page of the project, the tables in its docs."""
    path.write_text(page(sets), encoding="utf-8")
    path.with_suffix(".json").write_text(record(sets), encoding="utf-8")
    if path == RECORDED:
        text = EXPLANATION.read_text(encoding="utf-8")
        EXPLANATION.write_text(with_tables(text, sets), encoding="utf-8")


def with_tables(text: str, sets: Sequence[SetOutcomes]) -> str:
    """Return the text with the tables of verdicts and of Indigo's races between its marks; ResultsError without marks.

    The tables are those of one compiler, NVRTC where it was used: every user has it.
    """
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise ResultsError("the documentation has no marks around the tables", f"add {START.strip()} and {END}")
    compiler = "NVRTC" if any(one.compiler == "NVRTC" for one in sets) else sets[0].compiler
    chosen = [one for one in sets if one.compiler == compiler]
    return f"{before}{start}\n{table(chosen)}\n\n{comparison(chosen)}\n\n{end}{after}"
