"""Refuse to replace a file that is no report: `-o results.csv` is a slip of the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

BEGINNING = 2000  # bytes, in which a report names the program that made it


def refuse_other_files(path: Path) -> None:
    """Raise UsageError if `path` is a folder, or a file with content that `shflbench report` did not write."""
    from shflbench.export.html.page import GENERATOR

    if path.is_dir():
        raise UsageError(f"{path} is a folder", f"name a file in it: --output {path / 'report.html'}")
    if not path.is_file():
        return
    with path.open("rb") as file:
        beginning = file.read(BEGINNING)
    if beginning and f'content="{GENERATOR}"'.encode() not in beginning:
        raise UsageError(f"{path} exists and is not a report", "name another file with --output, or remove this one")
