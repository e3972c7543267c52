"""Split CSV into lines of cells, and name the line that is wrong."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CORRECT = "correct the file, or leave it out"


def read_lines(text: str, path: Path) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the cells of each line that is not empty, with its number; ResultsError if it is no CSV."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise wrong_line(path, reader.line_num, str(error)) from error


def wrong_line(path: Path, number: int, what: str) -> ResultsError:
    """Return the error that names a line."""
    return ResultsError(f"{path}:{number}: {what}", CORRECT)
