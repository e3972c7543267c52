"""Rows of `results.csv` as text, and back."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_type_hints

from shflbench.errors import ResultsError
from shflbench.model import Status
from shflbench.store.columns import Row, row_columns
from shflbench.store.files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    Cell: TypeAlias = bool | int | float | str | None

TIMES = ("time_us", "time_low_us", "time_high_us")
SHORTEST_US = 0.001  # no launch is as short; zero and less come from a broken file, and nothing divides by them
DIGITS = 7  # significant, of every number that is not whole: far finer than the 32 ns step of an event time


def header() -> str:
    """Return the first line of `results.csv`."""
    return csv_line(tuple(row_columns()))


def encode(rows: Iterable[Row]) -> str:
    """Return one line for each row."""
    return "".join(csv_line(tuple(getattr(row, name) for name in row_columns())) for row in rows)


def csv_line(cells: Sequence[Cell]) -> str:
    """Return one line of CSV, quoted where needed, empty where a cell is None."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_text(cell) for cell in cells])
    return line.getvalue()


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):  # a number that is not finite says nothing, and unknown is empty
        return repr(float(f"{cell:.{DIGITS}g}")) if math.isfinite(cell) else ""
    return str(cell)


def complete_length(content: bytes) -> int:
    """Return how many bytes of `content` are whole lines of CSV; the rest was cut off by a kill.

    A line ends at a newline outside quotes, that is, after an even number of quotation marks.
    """
    end = content.rfind(b"\n")
    while end >= 0 and content.count(b'"', 0, end) % 2:
        end = content.rfind(b"\n", 0, end)
    return end + 1


def decode(text: str, path: Path) -> list[Row]:
    """Read the text of the `results.csv` at `path`: header and whole lines.

    Columns that this version does not know are left out; optional columns may be missing.
    ResultsError where a needed column is missing, a value is of the wrong kind or a case is there twice.
    """
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: dict[str, Row] = {}
    try:
        names = next(lines, [])
        for column in _COLUMNS:
            if not column.optional and column.name not in names:
                raise ResultsError(f"{path}:1: the column {column.name} is missing", RESTORE)
        for cells in lines:
            _add(rows, names, cells)
    except (csv.Error, _WrongLineError) as error:
        raise ResultsError(f"{path}:{lines.line_num}: {error}", RESTORE) from error
    return list(rows.values())


class _WrongLineError(Exception):
    """Say what is wrong with a line; the place is known where it is caught."""


@dataclass(frozen=True, slots=True)
class _Column:
    """How the text of one column is read."""

    name: str
    kind: type[object]
    optional: bool

    def value(self, text: str) -> Cell:
        """Return the value; ValueError if the text cannot be one."""
        if not text and self.optional:
            return None
        if self.kind is bool:
            return ("false", "true").index(text) == 1
        if self.kind is int:
            return int(text)
        if self.name in TIMES:
            return _time(text)
        if self.kind is float:
            return _finite(text)
        return Status(text) if self.kind is Status else text


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _time(text: str) -> float:
    number = _finite(text)
    if number < SHORTEST_US:
        raise ValueError(text)
    return number


def _columns() -> tuple[_Column, ...]:
    hints = get_type_hints(Row)
    return tuple(
        # the kind of `int | None` is int, that of `str` is str
        _Column(item.name, (get_args(hints[item.name]) or (hints[item.name],))[0], item.default is not MISSING)
        for item in fields(Row)
    )


_COLUMNS = _columns()
_ALLOWED = {bool: "true or false", int: "a whole number", float: "a number", Status: "one of " + ", ".join(Status)}


def _add(rows: dict[str, Row], names: Sequence[str], cells: Sequence[str]) -> None:
    if len(cells) != len(names):
        raise _WrongLineError(f"{len(cells)} values for {len(names)} columns")
    texts = dict(zip(names, cells, strict=True))
    values: dict[str, Any] = {}  # each of its own column's kind
    for column in _COLUMNS:
        text = texts.get(column.name, "")
        try:
            values[column.name] = column.value(text)
        except ValueError as error:
            allowed = "a time in µs" if column.name in TIMES else _ALLOWED[column.kind]
            raise _WrongLineError(f"{column.name} is '{text}', not {allowed}") from error
    row = Row(**values)
    if row.case_id in rows:
        raise _WrongLineError(f"the case {row.case_id} is there twice")
    rows[row.case_id] = row
