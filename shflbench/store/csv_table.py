"""Dataclasses as rows of a CSV file: a header, and one line per row; each column is a field."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import MISSING, Field, dataclass, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from shflbench.errors import ResultsError
from shflbench.store.cells import text_of
from shflbench.store.run_files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from _typeshed import DataclassInstance

    from shflbench.store.cells import Cell, Kind

Record = TypeVar("Record", bound="DataclassInstance")

# RFC 4180, but a quoted cell ends in its line: a stray quotation mark must not take the rows below it into its cell.
CELL = re.compile(r'"((?:[^"]|"")*)"|([^",]*)')
LONGEST = 60  # characters of a wrong value that are shown


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, how its values are written, and what an empty cell and a missing column stand for."""

    name: str
    kind: Kind
    empty: object  # MISSING where a cell must not be empty
    default: object  # MISSING where the column must be there
    former: str = ""  # its name in older files

    @classmethod
    def of(cls, item: Field[Any], hint: object, kinds: Mapping[object, Kind]) -> Column:
        """Take the kind of the column's name, else of its type; that of `int | None` is the one of int."""
        name, default = item.name, item.default
        types = set(get_args(hint)) if get_origin(hint) is UnionType else {hint}
        optional = NoneType in types
        kind = kinds[name] if name in kinds else kinds[(types - {NoneType}).pop()]
        empty = None if optional and default is MISSING else default
        return cls(name, kind, empty, default, item.metadata.get("former", ""))


@dataclass(frozen=True, slots=True)
class Columns:
    """The values of a file by column, one per row."""

    values: Mapping[str, Sequence[Any]]  # by name
    lines: Sequence[int]  # number of each row's line


class CsvTable(Generic[Record]):
    """How rows of one type are written and read."""

    def __init__(self, record: type[Record], kinds: Mapping[object, Kind]) -> None:
        """Write each field of `record` by its kind: `kinds` has those of types, and of names that need another."""
        hints = get_type_hints(record)
        self._record = record
        self._columns = [Column.of(item, hints[item.name], kinds) for item in fields(record)]

    @property
    def required(self) -> tuple[str, ...]:
        """The columns that a file must have."""
        return tuple(column.name for column in self._columns if column.default is MISSING)

    def header(self) -> str:
        """Return the first line of a file."""
        return csv_line([column.name for column in self._columns])

    def encode(self, records: Iterable[Record]) -> str:
        """Return one line per record."""
        records = tuple(records)
        text = io.StringIO()
        cells = (_texts(column, [getattr(record, column.name) for record in records]) for column in self._columns)
        csv.writer(text, lineterminator="\n").writerows(zip(*cells, strict=True))
        return text.getvalue()

    def decode(self, columns: Columns) -> list[Record]:
        """Return the rows whose values are given by column."""
        names = tuple(columns.values)
        cells = zip(*columns.values.values(), strict=True)
        return [self._record(**dict(zip(names, values, strict=True))) for values in cells]

    def columns(self, text: str, path: Path, only: Collection[str] | None = None) -> Columns:
        """Read the text of the file at `path`: header and whole lines, without the blank ones; all columns or some.

        Columns of which this version knows nothing are left out; those with a default may be missing. ResultsError,
        which names the line, where a column is missing or a value is of the wrong kind.
        """
        numbers, names, cells = _cells(text, path)
        for place, name in enumerate(names):
            if name in names[:place]:
                raise wrong_line(path, 1, f"the column {name} is there twice")
        for name in self.required:
            if name not in names:
                raise wrong_line(path, 1, f"the column {name} is missing")
        wanted = [column for column in self._columns if only is None or column.name in only]
        taken = {name for column in wanted for name in (column.name, column.former)}
        texts = {name: cells[place :: len(names)] for place, name in enumerate(names) if name in taken}
        return Columns({column.name: _values(column, texts, numbers, path) for column in wanted}, numbers)


def _texts(column: Column, values: Sequence[Any]) -> list[str]:
    """Return the cells of a column; what repeats, as most values of samples do, is written once."""
    write = column.kind.write
    distinct = {*map(type, values)} - {NoneType}
    # Equal values of one type have the same text, but for 0.0 and -0.0.
    if len(distinct) == 1 and distinct <= {str, int, bool, float} and not (distinct == {float} and 0.0 in values):
        known = {value: text_of(None if value is None else write(value)) for value in dict.fromkeys(values)}
        return [known[value] for value in values]
    return [text_of(None if value is None else write(value)) for value in values]


def _values(column: Column, texts: Mapping[str, Sequence[str]], lines: Sequence[int], path: Path) -> list[object]:
    former = texts.get(column.former) if column.former else None  # a table of pandas has a column without a name
    cells = texts.get(column.name, former)
    if cells is None:
        return [column.default] * len(lines)
    known: dict[str, object] = {} if column.empty is MISSING else {"": column.empty}
    for text in [text for text in dict.fromkeys(cells) if text not in known]:  # most columns repeat a few values
        try:
            known[text] = column.kind.read(text)
        except (ValueError, OverflowError) as error:
            shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
            what = f"{column.name} is '{shown}', not {column.kind.allowed}"
            raise wrong_line(path, lines[cells.index(text)], what) from error
    return [known[text] for text in cells]


def csv_line(cells: Sequence[Cell]) -> str:
    """Return one line: quotes where needed, and nothing between the commas where a cell is None."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([text_of(cell) for cell in cells])
    return text.getvalue()


def complete_length(content: bytes) -> int:
    """Return how many bytes of `content` are whole lines; the rest was cut off by a kill."""
    return content.rfind(b"\n") + 1


def refuse_twice(columns: Columns, path: Path) -> None:
    """Raise ResultsError, which names the line, where a case is there twice."""
    known: set[str] = set()
    for case_id, line in zip(columns.values["case_id"], columns.lines, strict=True):
        if case_id in known:
            raise wrong_line(path, line, f"the case {case_id} is there twice")
        known.add(case_id)


def wrong_line(path: Path, number: int, what: str) -> ResultsError:
    """Return the error that says what is wrong with a line."""
    return ResultsError(f"{path}:{number}: {what}", RESTORE)


def _cells(text: str, path: Path) -> tuple[list[int], list[str], list[str]]:
    """Return the number of each line below the header, the names in the header, and the cells of all other lines.

    The cells follow one another in one list: 100,000 short lists more than double the time of reading.
    """
    numbers: list[int] = []
    names: list[str] = []
    cells: list[str] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if not line:
            continue
        values = _unquoted(line, path, number) if '"' in line else line.split(",")
        names = names or values
        if len(values) != len(names):
            raise wrong_line(path, number, f"{len(values)} values for {len(names)} columns")
        numbers.append(number)
        cells += values
    return numbers[1:], names, cells[len(names) :]


def _unquoted(text: str, path: Path, number: int) -> list[str]:
    """Return the cells of a line with quotation marks."""
    cells, place = [], -1  # of the comma before the next cell
    while place < len(text):
        match = CELL.match(text, place + 1)
        if match is None or text[match.end() : match.end() + 1] not in {"", ","}:
            raise wrong_line(path, number, "a quotation mark is out of place")
        cells.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        place = match.end()
    return cells
