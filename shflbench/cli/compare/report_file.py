"""A comparison as a file that the user named, in the format that they named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.export import FORMATS as EXPORTED

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.analysis.compare import Comparison

TABLE = "table"
FORMATS = (TABLE, *EXPORTED)


def text(comparison: Comparison, form: str) -> str:
    """Return the comparison in one of the `FORMATS`, with a newline at its end and without colours."""
    if form == TABLE:
        from shflbench.cli.compare.table import lines

        return "\n".join(line for line, _ in lines(comparison)) + "\n"
    from shflbench.export import render

    return render(form, comparison)


def write(path: Path, content: str) -> None:
    """Write a report; ResultsError where that cannot be done."""
    from shflbench.store import files

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or (path.exists() and not path.is_file()):  # /dev/null must stay what it is
            path.write_text(content, encoding="utf-8")
        else:
            files.replace(path, content.encode())
    except OSError as error:
        advice = "make its folder writable, or name a file elsewhere with --also"
        raise ResultsError(f"{path} cannot be written: {_why(error)}", advice) from error


def append_summary(path: Path, content: str) -> None:
    """Add to the summary of a job on GitHub, which other steps write to as well; ResultsError where that fails."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise ResultsError(
            f"GITHUB_STEP_SUMMARY names {path}, which cannot be written: {_why(error)}",
            "unset it, or leave out --format github",
        ) from error


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
