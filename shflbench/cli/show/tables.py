"""The table of one group: the cases that differ only in variant, fastest first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shflbench.analysis.settings import one_pass
from shflbench.analysis.verification import disturbances, verification
from shflbench.cli.layout import Line, Table, align_right
from shflbench.core.grouping import group_by
from shflbench.core.launch import launch_dims
from shflbench.core.model import Interval, Status
from shflbench.core.words import one_or_many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.store.columns import Row

MOST_DIGITS = 5  # significant, of the group's smallest number: more would not be precise
USUAL_DIGITS = 3  # significant; more only if the interval is narrow enough


def group_table(rows: Sequence[Row]) -> Table:
    """Return the table of one group's rows: times if there are any, else the compiler's output."""
    head = rows[0]
    iterations = "one pass" if one_pass(head) else f"{head.iterations} iterations"
    iterations = iterations if head.mechanism else ""  # other tools do not say it
    parts = (head.pattern, head.dtype, head.launch, iterations, *head.option_texts)
    title = "  ".join(part for part in parts if part)
    if any(row.time_us is not None for row in rows):
        return _time_table(title, sorted(rows, key=lambda row: math.inf if row.time_us is None else row.time_us))
    how = "emulated, not timed" if head.backend == "emulator" else "not timed"
    return _status_table(f"{title}  ({how})", rows)


def _verified_with(row: Row) -> str:
    """Return the iterations and the launch of the verification and of the case, where they differ."""
    most = max(row.verified_iterations, default=row.iterations)
    grid, block = row.first_launch
    launch = row.launch if grid is None else f"{grid}x{block}"  # without a GPU, `sms` has no value
    at, of = [], []
    if not one_pass(row) and most != row.iterations:
        at.append(f"up to {most} iterations")
        of.append(f"{row.iterations}")
    verified = launch_dims(row.verified_launch or "")
    if row.verified_launch not in {None, launch} and not (verified and verified.blocks == grid):
        at.append(f"launch {row.verified_launch}")
        of.append(row.launch if launch_dims(row.launch) else launch)
    return f"verified with {' and '.join(at)} instead of {' and '.join(of)}" if at else ""


def _notes(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return with which iterations and launch the cases were verified: one note for all, or one per set of variants."""
    verified = [row for row in rows if row.status in {Status.TIMED, Status.VERIFIED}]
    notes = {note: alike for note, alike in group_by(verified, _verified_with).items() if note}
    compared = _comparison_notes(verified)
    shapes = {f"launches {shape}": alike for shape, alike in group_by(verified, lambda row: row.shape).items() if shape}
    if [len(alike) for alike in notes.values()] == [len(verified)]:
        return (*_of_variants(shapes), *notes, *compared)
    return (*_of_variants(shapes), *_of_variants(notes), *compared)


def _comparison_notes(rows: Sequence[Row]) -> Iterator[str]:
    """Yield by how much results may differ from those of the reference, which do, and what was not compared."""
    compared = [row for row in rows if row.reference not in {None, row.variant}]
    if shares := {f"{row.relative_tolerance:g}": None for row in compared if row.relative_tolerance}:
        yield f"floating-point results may differ by {' or '.join(shares)} of their magnitude (--rtol)"
    for row in compared:
        if row.by_median:
            what = one_or_many(row.by_median, "result differs", "results differ")
            yield f"{row.variant}: {row.by_median} {what} by more, and by less than that share of the median magnitude"
        if row.other_zeros:
            zeros = one_or_many(row.other_zeros, "zero has", "zeros have")
            yield f"{row.variant}: {row.other_zeros} {zeros} another sign than in {row.reference}"
    for phrases, alike in group_by(compared, lambda row: row.not_compared).items():
        if phrases:
            names = "" if len(alike) == len(compared) else f"{', '.join(row.variant for row in alike)}: "
            yield f"{names}not compared: {'; '.join(phrases)}"


def _of_variants(notes: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """Yield each note with the variants that it is on."""
    for note, alike in notes.items():
        yield f"{', '.join(row.variant for row in alike)}: {note}"


def _time_table(title: str, rows: Sequence[Row]) -> Table:
    columns = {
        "variant": [row.variant for row in rows],
        "time µs": time_cells(rows),
        "ns/iteration": _numbers([_estimate(row.ns_per_iteration, row.slope_interval) for row in rows]),
        "GB/s": _numbers([_bandwidth(row) for row in rows]),
    }
    if baseline := next((row.baseline for row in rows if row.baseline), None):
        columns[f"vs {baseline}"] = [_speedup(row) for row in rows]
    return _table(title, rows, columns)


def time_cells(rows: Sequence[Row]) -> list[str]:
    """Return the time of each row with its interval; empty without a time."""
    return _numbers([_estimate(row.time_us, row.time_interval) for row in rows])


def _status_table(title: str, rows: Sequence[Row]) -> Table:
    columns = {
        "variant": [row.variant for row in rows],
        "registers": align_right(["" if row.registers is None else str(row.registers) for row in rows]),
        "SASS per iteration": [_counts(row) for row in rows],
    }
    return _table(title, rows, columns)


def _counts(row: Row) -> str:
    return " ".join(f"{opcode}={count:g}" for opcode, count in (row.sass_per_iteration or {}).items())


def _table(title: str, rows: Sequence[Row], columns: dict[str, list[str]]) -> Table:
    """Return a table of the columns that are not empty, and of the verification."""
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    kept["verification"] = [verification(row) for row in rows]
    lines = zip(*kept.values(), strict=True)
    body = tuple(Line(cells, _style(row)) for cells, row in zip(lines, rows, strict=True))
    return Table(title, tuple(kept), body, notes=_notes(rows))


def _style(row: Row) -> str:
    if row.status in {Status.INCORRECT, Status.FAILED}:
        return "bad"
    doubtful = not row.safe or row.status is Status.SKIPPED or (row.status is Status.TIMED and disturbances(row))
    return "doubt" if doubtful else ""


def _speedup(row: Row) -> str:
    if row.time_us is None:
        return ""
    if row.variant == row.baseline:
        return "baseline"
    return "" if row.speedup is None else f"{row.speedup:.2f}×"


def _estimate(value: float | None, interval: Interval | None) -> Interval | None:
    return interval or (None if value is None else Interval.unknown(value))


def _bandwidth(row: Row) -> Interval | None:
    if not row.gb_per_s or not row.time_us:
        return None
    time = row.time_interval
    if time is None:
        return Interval.unknown(row.gb_per_s)
    moved = row.gb_per_s * time.value
    return Interval(row.gb_per_s, moved / time.high, moved / time.low)


def _numbers(estimates: Sequence[Interval | None]) -> list[str]:
    """Format each estimate as `value ± half the interval's width`, or as `value` if that is unknown, aligned."""
    decimals = _decimals([estimate for estimate in estimates if estimate])
    widths = ["" if estimate is None else _half_width(estimate, decimals) for estimate in estimates]
    unknown = " " * max(map(len, widths), default=0)
    return align_right(
        [
            "" if estimate is None else f"{estimate.value:.{decimals}f}{width or unknown}"
            for estimate, width in zip(estimates, widths, strict=True)
        ]
    )


def _half_width(estimate: Interval, decimals: int) -> str:
    """Format half the interval's width as ` ± 0.05`, rounded up to the last decimal, and never as zero."""
    if not estimate.is_known:
        return ""
    unit = 10**-decimals
    units = math.ceil(round((estimate.high - estimate.low) / 2 / unit, 6))  # rounded first: 2 may be 2.00…01
    return f" ± {max(1, units) * unit:.{decimals}f}"


def _decimals(estimates: Sequence[Interval]) -> int:
    """Return the number of decimals for the smallest value and, within limits, for the narrowest interval."""
    values = [abs(estimate.value) for estimate in estimates if estimate.value]
    known = [estimate for estimate in estimates if estimate.is_known and estimate.high > estimate.low]
    widths = [(estimate.high - estimate.low) / 2 for estimate in known]
    if not values:
        return 0
    usual = USUAL_DIGITS - 1 - math.floor(math.log10(min(values)))
    needed = math.ceil(round(-math.log10(min(widths)), 6)) if widths else usual  # rounded: 0.1 may be 0.09999…
    return max(0, usual, min(needed, usual + MOST_DIGITS - USUAL_DIGITS))
