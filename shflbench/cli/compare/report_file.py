"""The report of a comparison as text in the format that the user chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cli.output_file import reason
from shflbench.errors import ResultsError
from shflbench.export import FORMATS as EXPORTED

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.analysis.compare import Comparison

TABLE = "table"
FORMATS = (TABLE, *EXPORTED)


def text(comparison: Comparison, form: str) -> str:
    """Return the comparison in one of the `FORMATS`, with a newline at its end and without colors."""
    if form == TABLE:
        from shflbench.cli.compare.table import lines

        return "\n".join(line for line, _ in lines(comparison)) + "\n"
    from shflbench.export import render

    return render(form, comparison)


def append_summary(path: Path, content: str) -> None:
    """Add to the summary of a job on GitHub, which other steps write to as well; ResultsError where that fails."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise ResultsError(
            f"GITHUB_STEP_SUMMARY names {path}, which cannot be written: {reason(error)}",
            "unset it, or use another --format",
        ) from error
