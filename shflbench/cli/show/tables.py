"""The table of one group: the cases that differ in variant only, fastest first."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING

from shflbench.analysis.settings import one_pass
from shflbench.cli.layout import Line, Table
from shflbench.grouping import group_by
from shflbench.model import Interval, MeasureRules, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.store.columns import Row

MOST_DIGITS = 5  # significant, of the group's smallest number: more would only look precise
NOTABLE = MeasureRules().precision  # what is smaller is in the results and in no table: four in ten of an H200's cases
USUAL_DIGITS = 3  # likewise; more only where the interval is narrow enough to use them


def by_group(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each group, groups in order of their first row."""
    return list(group_by(rows, attrgetter("pattern", "dtype", "launch", "iterations", "options")).values())


def group_table(rows: Sequence[Row]) -> Table:
    """Return the table of one group's rows: times where there are any, else what the compiler found."""
    head = rows[0]
    trips = "one pass" if one_pass(head) else f"{head.iterations} iterations"
    parts = (head.pattern, head.dtype, head.launch, trips, *head.option_texts)
    title = "  ".join(part for part in parts if part)
    if any(row.time_us is not None for row in rows):
        return _time_table(title, sorted(rows, key=lambda row: math.inf if row.time_us is None else row.time_us))
    how = "emulated, not timed" if head.backend == "emulator" else "not timed"
    return _status_table(f"{title}  ({how})", rows)


def proof(row: Row) -> str:
    """Say what is known of a case's result, and in a word each what is wrong with its samples."""
    matched = f"{row.matched} of {row.inputs} inputs matched" if row.inputs is not None else ""
    match row.status:
        case Status.TIMED | Status.VERIFIED:
            known = f"{_proof(row) if row.safe else f'UNSAFE, {matched}'}{_elsewhere(row)}"
        case Status.INCORRECT:
            known = f"INCORRECT, {matched}" if matched else "INCORRECT"
        case Status.COMPILED:
            known = "compiled" if row.safe else "UNSAFE, compiled"
        case _:
            known = row.status.value
    if row.status is Status.TIMED:
        return "; ".join((known, *_troubles(row)))
    return f"{known}: {row.reason}" if row.reason else known


def _troubles(row: Row) -> list[str]:
    """Name what is wrong with a row's samples; the sentences about it are its `reason`, too long for a table."""
    if row.noise is None:  # of an older run, which judged nothing but throttling
        return [f"{row.dropped} throttled samples dropped"] if row.dropped else []
    return [kind for kind, size in row.noise.items() if size >= NOTABLE]


def _proof(row: Row) -> str:
    """Say what a result was held against: what agrees with another variant is no more right than that one."""
    if row.reference is None:
        return "verified"
    return "the reference" if row.reference == row.variant else f"same as {row.reference}"


def _elsewhere(row: Row) -> str:
    """Say at which launch the case was verified, if that was not its own."""
    is_timed_launch = row.grid is None or row.verified_launch in {None, f"{row.grid}x{row.block}"}
    return "" if is_timed_launch else f" at {row.verified_launch}"


def _time_table(title: str, rows: Sequence[Row]) -> Table:
    columns = {
        "variant": [row.variant for row in rows],
        "time µs": _numbers([_interval(row.time_us, row.time_low_us, row.time_high_us) for row in rows]),
        "ns/iteration": _numbers(
            [_interval(row.ns_per_iteration, row.ns_per_iteration_low, row.ns_per_iteration_high) for row in rows]
        ),
        "GB/s": _numbers([_bandwidth(row) for row in rows]),
    }
    if baseline := next((row.baseline for row in rows if row.baseline), None):
        columns[f"vs {baseline}"] = [_speedup(row) for row in rows]
    return _table(title, rows, columns)


def _status_table(title: str, rows: Sequence[Row]) -> Table:
    columns = {
        "variant": [row.variant for row in rows],
        "registers": _right(["" if row.registers is None else str(row.registers) for row in rows]),
        "SASS per iteration": [_counts(row) for row in rows],
    }
    return _table(title, rows, columns)


def _counts(row: Row) -> str:
    return " ".join(f"{opcode}={count:g}" for opcode, count in (row.sass_per_iteration or {}).items())


def _table(title: str, rows: Sequence[Row], columns: dict[str, list[str]]) -> Table:
    """Return a table of those columns that hold anything, and of the proof."""
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    kept["proof"] = [proof(row) for row in rows]
    lines = zip(*kept.values(), strict=True)
    return Table(title, tuple(kept), tuple(Line(cells, _style(row)) for cells, row in zip(lines, rows, strict=True)))


def _style(row: Row) -> str:
    if row.status in {Status.INCORRECT, Status.FAILED}:
        return "bad"
    doubtful = not row.safe or row.status is Status.SKIPPED or (row.status is Status.TIMED and _troubles(row))
    return "doubt" if doubtful else ""


def _speedup(row: Row) -> str:
    if row.time_us is None:
        return ""
    if row.variant == row.baseline:
        return "baseline"
    return "" if row.speedup is None else f"{row.speedup:.2f}×"


def _interval(value: float | None, low: float | None, high: float | None) -> Interval | None:
    if value is None:
        return None
    return Interval(value, value if low is None else low, value if high is None else high)


def _bandwidth(row: Row) -> Interval | None:
    if not row.gb_per_s or not row.time_us:
        return None
    low, high = row.time_low_us or row.time_us, row.time_high_us or row.time_us
    return Interval(row.gb_per_s, row.gb_per_s * row.time_us / high, row.gb_per_s * row.time_us / low)


def _numbers(estimates: Sequence[Interval | None]) -> list[str]:
    """Write each estimate as `value ± half the interval's width`, the decimal points below one another."""
    decimals = _decimals([estimate for estimate in estimates if estimate])
    return _right(["" if e is None else f"{e.value:.{decimals}f} ± {_half_width(e, decimals)}" for e in estimates])


def _half_width(estimate: Interval, decimals: int) -> str:
    """Write half the interval's width, rounded up to what the decimals can show, and never as zero."""
    unit = 10**-decimals
    units = math.ceil(round((estimate.high - estimate.low) / 2 / unit, 6))  # rounded first: 2 may be 2.00…01
    return f"{max(1, units) * unit:.{decimals}f}"


def _decimals(estimates: Sequence[Interval]) -> int:
    """Return how many decimals show the smallest value well and, within reason, the narrowest interval."""
    values = [abs(estimate.value) for estimate in estimates if estimate.value]
    widths = [(estimate.high - estimate.low) / 2 for estimate in estimates if estimate.high > estimate.low]
    if not values:
        return 0
    usual = USUAL_DIGITS - 1 - math.floor(math.log10(min(values)))
    needed = math.ceil(round(-math.log10(min(widths)), 6)) if widths else usual  # rounded: 0.1 may be 0.09999…
    return max(0, usual, min(needed, usual + MOST_DIGITS - USUAL_DIGITS))


def _right(cells: Sequence[str]) -> list[str]:
    """Return the cells aligned to the right."""
    width = max(map(len, cells), default=0)
    return [cell.rjust(width) for cell in cells]
