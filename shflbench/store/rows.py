"""Rows of `results.csv` as text, and back."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from shflbench.errors import ResultsError
from shflbench.model import QUIET, Disturbance, Status
from shflbench.store.columns import Counts, Disturbances, Options, Row, row_columns
from shflbench.store.files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    Cell: TypeAlias = bool | int | float | str | None

TIMES = ("time_us", "time_low_us", "time_high_us")
SHORTEST_US = 0.001  # no launch is as short; zero and less come from a broken file, and nothing divides by them
OLDER_KINDS = {"bent": Disturbance.NONLINEAR}  # of noise, as earlier versions wrote it
DIGITS = 7  # significant, of every number that is not whole: far finer than the 32 ns step of an event time


def header() -> str:
    """Return the first line of `results.csv`."""
    return csv_line(tuple(row_columns()))


def encode(rows: Iterable[Row]) -> str:
    """Return one line for each row."""
    return "".join(csv_line(tuple(column.cell(getattr(row, column.name)) for column in _COLUMNS)) for row in rows)


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


def _parts(text: str) -> list[str]:
    return text.split(";") if text else []


def _pairs(text: str) -> list[tuple[str, str]]:
    parts = [part.partition("=") for part in _parts(text)]
    if not all(equals for _, equals, _ in parts):
        raise ValueError(text)
    return [(name, value) for name, _, value in parts]


def _numbers(text: str) -> dict[str, float]:
    return {name: _finite(number) for name, number in _pairs(text)}


def _text_of_numbers(numbers: Mapping[str, float]) -> str:
    return ";".join(f"{name}={number:g}" for name, number in numbers.items())


def _disturbances(text: str) -> Disturbances:
    parts = (part.partition("=") for part in _parts(text))
    # A kind without a size, which readers have always accepted, counts in full.
    return {} if text == QUIET else {_disturbance(kind): _finite(size or "1") for kind, _, size in parts}


def _disturbance(kind: str) -> Disturbance:
    return OLDER_KINDS.get(kind) or Disturbance(kind)


class _Kind(NamedTuple):
    """How the values of one type are read, and written where they are no single ones."""

    read: Callable[[str], object]  # ValueError for a text that cannot be one
    allowed: str = ""
    write: Callable[[Any], Cell] = lambda value: value


_KINDS: dict[object, _Kind] = {
    str: _Kind(str),
    bool: _Kind(lambda text: ("false", "true").index(text) == 1, "true or false"),
    int: _Kind(int, "a whole number"),
    float: _Kind(_finite, "a number"),
    Status: _Kind(Status, "one of " + ", ".join(Status)),
    tuple[int, ...]: _Kind(
        lambda text: tuple(map(int, _parts(text))),
        "whole numbers joined by `;`",
        lambda values: ";".join(map(str, values)),
    ),
    tuple[str, ...]: _Kind(lambda text: tuple(_parts(text)), "", ";".join),
    Options: _Kind(
        lambda text: tuple(_pairs(text)), "`name=value` joined by `;`", lambda values: ";".join(map("=".join, values))
    ),
    Counts: _Kind(_numbers, "`LDS=1` joined by `;`", _text_of_numbers),
    Disturbances: _Kind(
        _disturbances, f"{QUIET}, or `drift=0.012` joined by `;`", lambda sizes: _text_of_numbers(sizes) or QUIET
    ),
}
_TIME = _Kind(_time, "a time in µs")


@dataclass(frozen=True, slots=True)
class _Column:
    """How the text of one column is read and written."""

    name: str
    kind: _Kind
    default: object  # MISSING where the column must be there

    @classmethod
    def of(cls, name: str, hint: object, default: object) -> _Column:
        """Take the kind of `int | None` for int, that of `str` for str."""
        kinds = set(get_args(hint)) - {NoneType} if get_origin(hint) is UnionType else {hint}
        return cls(name, _TIME if name in TIMES else _KINDS[kinds.pop()], default)

    @property
    def optional(self) -> bool:
        """Whether an empty cell says that the value is unknown."""
        return self.default is not MISSING

    def value(self, text: str) -> object:
        """Return the value; ValueError if the text cannot be one."""
        return self.default if not text and self.optional else self.kind.read(text)

    def cell(self, value: object) -> Cell:
        """Return what stands in the file for a value."""
        return None if value is None else self.kind.write(value)


_HINTS = get_type_hints(Row)
_COLUMNS = tuple(_Column.of(item.name, _HINTS[item.name], item.default) for item in fields(Row))


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
            raise _WrongLineError(f"{column.name} is '{text}', not {column.kind.allowed}") from error
    row = Row(**values)
    if row.case_id in rows:
        raise _WrongLineError(f"the case {row.case_id} is there twice")
    rows[row.case_id] = row
