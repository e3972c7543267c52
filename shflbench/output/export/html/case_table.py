"""The table of all cases of a pattern: measured ones with their times, emulated and compiled ones without."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import times
from shflbench.analysis.settings import one_pass
from shflbench.core.model import Status
from shflbench.output.export.html.content import SortableTable, TableCell, TableColumn
from shflbench.output.export.html.selection import gpu_of
from shflbench.output.export.html.texts import LONGEST_CELL, number, short, whole_percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.output.export.html.selection import TimedRow
    from shflbench.store import Row


def measured_cases(pattern: str, rows: Sequence[TimedRow]) -> SortableTable | None:
    """Return the table of the cases of GPUs; None without any."""
    if not rows:
        return None
    where = _where(rows)
    columns = (
        TableColumn("Variant"),
        *(TableColumn(name) for name in where),
        TableColumn("Type", meaning="element type"),
        TableColumn("Launch"),
        TableColumn("Iterations", is_number=True),
        TableColumn("Options"),
        TableColumn("Time, µs", is_number=True, meaning="median time of one launch"),
        TableColumn("±", is_number=True, meaning="half of the 95% interval of the time"),
        TableColumn("Speed", is_number=True, meaning="relative to the baseline of its setting"),
        TableColumn(
            "Of limit", is_number=True, meaning="the least time that the hardware allows, as a part of the time"
        ),
        TableColumn("Limited by"),
        TableColumn("Registers", is_number=True),
        TableColumn("Occupancy", is_number=True),
        TableColumn("SASS per iteration"),
        TableColumn("Remark"),
    )
    cells = [_measured(item, tuple(where.values())) for item in rows]
    return SortableTable(f"{pattern}: measured cases", columns, tuple(cells), tuple(_mark(item.row) for item in rows))


def other_cases(pattern: str, rows: Sequence[TimedRow]) -> SortableTable | None:
    """Return the table of the cases that were emulated or compiled only, which has no times; None without any."""
    if not rows:
        return None
    columns = (
        TableColumn("Variant"),
        TableColumn("Ran on"),
        TableColumn("Suite"),
        TableColumn("Type", meaning="element type"),
        TableColumn("Launch"),
        TableColumn("Options"),
        TableColumn("Result"),
        TableColumn("Registers", is_number=True),
        TableColumn("SASS per iteration"),
    )
    cells = []
    for item in rows:
        row = item.row
        texts = (_variant(row), gpu_of(item.run), item.run.info.suite.name, row.dtype, row.launch, _options(row))
        result = f"{row.matched} of {row.inputs} input sets matched" if row.inputs else row.status.value
        reason = f"{result}; {row.reason}" if row.reason else result
        rest = (_cell(reason), _count(row.registers), _cell(_sass(row)))
        cells.append((*map(_cell, texts), *rest))
    caption = f"{pattern}: cases without times, emulated or compiled"
    return SortableTable(caption, columns, tuple(cells), tuple(_mark(item.row) for item in rows))


def _where(rows: Sequence[TimedRow]) -> dict[str, str]:
    """Return the columns that say where rows are from, of those in which the rows differ."""
    values = {"GPU": {gpu_of(item.run) for item in rows}, "Suite": {item.run.info.suite.name for item in rows}}
    return {name: name for name, different in values.items() if len(different) > 1}


def _measured(item: TimedRow, where: Sequence[str]) -> tuple[TableCell, ...]:
    row, limit = item.row, item.limit
    origin = {"GPU": gpu_of(item.run), "Suite": item.run.info.suite.name}
    half = _half(row)
    iterations = TableCell("one pass", 1.0) if one_pass(row) else _count(row.iterations)
    iterations = iterations if row.mechanism else TableCell("")  # other tools do not say it
    fraction = limit.limit_fraction if limit else None
    return (
        _cell(_variant(row)),
        *(_cell(origin[name]) for name in where),
        _cell(row.dtype),
        _cell(row.launch),
        iterations,
        _cell(_options(row)),
        TableCell(number(row.time_us) if row.time_us is not None else "", row.time_us),
        TableCell("" if half is None else f"{100 * half:.2g}%", half),
        TableCell("" if row.speedup is None or not math.isfinite(row.speedup) else times(row.speedup), row.speedup),
        TableCell("" if limit is None or fraction is None else limit.mark + whole_percent(fraction), fraction),
        _cell((limit and limit.limit_by) or ""),
        _count(row.registers),
        TableCell("" if row.occupancy is None else whole_percent(row.occupancy), row.occupancy),
        _cell(_sass(row)),
        _cell(_remark(row)),
    )


def _half(row: Row) -> float | None:
    """Return half of the time's interval, as a fraction of the time."""
    if not row.time_us or row.time_low_us is None or row.time_high_us is None:
        return None
    return (row.time_high_us - row.time_low_us) / 2 / row.time_us


def _remark(row: Row) -> str:
    """Return what a reader must know of a row: that it failed, or what is wrong with its samples."""
    if row.status is Status.TIMED:
        return row.reason or ""
    return f"{row.status}: {row.reason}" if row.reason else row.status.value


def _variant(row: Row) -> str:
    return row.variant if row.safe else f"{row.variant} (UNSAFE)"


def _options(row: Row) -> str:
    return ", ".join(row.option_texts)


def _sass(row: Row) -> str:
    return ", ".join(f"{opcode} {count:.3g}" for opcode, count in (row.sass_per_iteration or {}).items())


def _count(value: float | None) -> TableCell:
    return TableCell("" if value is None else f"{value:,}", value)


def _cell(text: str) -> TableCell:
    return TableCell(short(text, LONGEST_CELL))


def _mark(row: Row) -> str:
    return row.mechanism
