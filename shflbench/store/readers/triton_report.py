"""Read the CSV that `triton.testing.perf_report` writes with `save_path`.

Source: `Mark._run` in python/triton/testing.py. The first columns are arguments (`x_names`), the others one provider
each, with the label of the y axis: `Triton (ms)`. A value is one number per provider and arguments, without samples or
deviation. The name of the file is that of the plot.
"""

from __future__ import annotations

import csv
import math
import re
from hashlib import sha256
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from shflbench.core.model import Status
from shflbench.core.numerals import decimal_number
from shflbench.core.time_limits import MICROSECONDS
from shflbench.errors import ResultsError
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.csv_lines import read_lines, wrong_line
from shflbench.store.readers.names import MOST_CASES, check_name, shorten
from shflbench.store.readers.recording import RecordedCase, RecordedProcess, TimeSummary
from shflbench.store.readers.times import LEAST_US, TOO_SHORT, is_time

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# In a label: `ms`, `Time (ms)`, `latency [us]`, `seconds`. Other words are of `QUANTITIES`: `tokens per s` is a rate.
SPELLINGS = {
    "ns": ("ns", "nanoseconds"),
    "us": ("us", "µs", "μs", "microseconds"),  # both of Unicode's letters for micro
    "ms": ("ms", "milliseconds"),
    "s": ("s", "sec", "seconds"),
}
QUANTITIES = {"time", "times", "latency", "runtime", "run", "duration", "elapsed", "execution", "kernel", "gpu", "wall"}
QUANTITIES |= {"in", "mean", "average", "avg", "median", "min", "max"}
DIFFERENCE = "Diff"  # last column with `diff_col=True`


class _Column(NamedTuple):
    """The column of a provider."""

    provider: str
    label: str

    @classmethod
    def of(cls, name: str) -> _Column | None:
        """Return the parts of `Triton (Time (ms))`; None for a name that does not end with a label in parentheses."""
        depth = 0
        for place in range(len(name) - 1, 0, -1):
            depth += (name[place] == ")") - (name[place] == "(")
            if not depth:
                return cls(name[: place - 1], name[place + 1 : -1]) if name[place - 1 : place + 1] == " (" else None
        return None


class _Columns(NamedTuple):
    """The columns of a file: arguments, then providers."""

    arguments: Sequence[str]
    providers: Sequence[str]
    label: str  # of all providers


def is_triton_report(head: str) -> bool:
    """Return whether the start of a text is the header of such a file."""
    try:
        names = next(csv.reader([head.partition("\n")[0].rstrip("\r")]), [])
    except csv.Error:
        return False
    return _columns(names) is not None


def read_triton_report(text: str, path: Path, unit: str | None) -> RecordedProcess:
    """Return the results in a file; ResultsError, which names the line, if it is not as documented.

    `unit` is that of the values as the user states it, of `UNITS_US`; None for that of the header.
    """
    lines = read_lines(text, path)
    _, names = next(lines, (1, []))
    columns = _columns(names)
    if columns is None:
        raise wrong_line(path, 1, "the header does not end with columns such as `Triton (ms)`")
    unit_us = MICROSECONDS[_unit_of(columns, path, unit)]
    cases: dict[str, RecordedCase] = {}
    for number, cells in lines:
        if len(cells) != len(names):
            raise wrong_line(path, number, f"{len(cells)} values for {len(names)} columns")
        values = [f"{name}={_argument(cell)}" for name, cell in zip(columns.arguments, cells, strict=False)]
        for provider, cell in zip(columns.providers, cells[len(columns.arguments) :], strict=False):
            name = check_name("/".join((_plot_name(path), provider, *values)), path, f"line {number}")
            if name in cases:
                raise wrong_line(path, number, f"`{shorten(name)}` is there twice")
            cases[name] = _case(cell, unit_us, path, number)
        if len(cases) > MOST_CASES:
            raise wrong_line(path, number, f"more than {MOST_CASES:,} cases")
    if not cases:
        raise ResultsError(f"{path} has no results", WRITE_AGAIN)
    return RecordedProcess(file=path, sha256=sha256(text.encode()).hexdigest(), cases=cases)


def _columns(names: Sequence[str]) -> _Columns | None:
    """Return the columns of a header: one argument at least, then providers with one label; None for another one."""
    names = names[:-1] if names[-1:] == [DIFFERENCE] else names
    columns = [_Column.of(name.strip()) for name in names]
    label = columns[-1].label if columns and columns[-1] else None
    first = len(columns)
    while first and (column := columns[first - 1]) and column.label == label:
        first -= 1
    if not 0 < first < len(columns):
        return None
    providers = [column.provider for column in columns[first:] if column]
    return _Columns([name.strip() for name in names[:first]], providers, label or "")


def _unit_of(columns: _Columns, path: Path, stated: str | None) -> str:
    """Return the unit in the label, or the stated one; ResultsError if there is neither, or they differ."""
    *others, last = re.split(r"[\s()\[\],:_]+", columns.label.lower().strip(" ()[]"))
    unit = next((unit for unit, spellings in SPELLINGS.items() if last in spellings), None)
    if unit and QUANTITIES.issuperset(others):
        if stated not in {None, unit}:
            raise ResultsError(f"{path}: the header says {unit}, and --unit {stated}", "leave --unit out")
        return unit
    if stated:
        return stated
    label = f"`{shorten(columns.label)}`, which is no unit of time" if columns.label else "without a unit"
    raise ResultsError(
        f"{path}: the values are {label}",
        "set ylabel to ms and return times, or if they are times: "
        f"shflbench convert {quote(str(path))} --unit ms -o RUN",
    )


def _plot_name(path: Path) -> str:
    """Return the name of the plot, which Triton gives the file."""
    return path.name.removesuffix(".gz").removesuffix(".csv")


def _argument(cell: str) -> str:
    """Return `1024` of `1024.000000`, as Triton writes integers, and other text unchanged."""
    try:
        number = decimal_number(cell)
    except ValueError:
        return cell.strip()
    return str(int(number)) if math.isfinite(number) and number == int(number) else f"{number:.15g}"


def _case(cell: str, unit_us: float, path: Path, number: int) -> RecordedCase:
    """Return the case of one value; of an empty one, of nan and of inf, providers did not run."""
    try:
        value = decimal_number(cell) if cell.strip() else math.nan
    except ValueError:
        raise wrong_line(path, number, f"'{shorten(cell)}' is no number") from None
    if math.isnan(value) or value == math.inf:
        return RecordedCase(status=Status.SKIPPED, reason="no time is recorded")
    time_us = value * unit_us
    if not is_time(time_us):
        raise wrong_line(path, number, f"'{shorten(cell)}' is no time")
    if time_us < LEAST_US:
        return RecordedCase(status=Status.SKIPPED, reason=TOO_SHORT)
    return RecordedCase(summary=TimeSummary(time_us))
