"""Create the rows of results from the outputs of the stages."""

from __future__ import annotations

from dataclasses import fields, replace
from operator import add
from typing import TYPE_CHECKING

from shflbench.core.model import Interval, Status
from shflbench.core.statistics import ratio
from shflbench.cuda.compile.rules import exchanges
from shflbench.store import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import Case, Conditions, Device, Kernel, Proof, Timing
    from shflbench.patterns.declare import Pattern


def start_row(case: Case, pattern: Pattern, backend: str, arch: str) -> Row:
    """Return the row of a case with what the suite and the pattern declare."""
    variant = pattern.variant(case.variant)
    return Row(
        case_id=case.id,
        pattern=case.pattern,
        variant=case.variant,
        mechanism=variant.mechanism,
        safe=variant.safe,
        dtype=case.dtype,
        launch=case.launch.expression,
        grid=case.launch.grid,
        block=case.launch.block,
        iterations=case.iterations,
        options=case.options,
        backend=backend,
        arch=arch,
        status=Status.SKIPPED,
        baseline=pattern.baseline.name,
        reference=pattern.reference_variant or None,
    )


def end_row(row: Row, status: Status, reason: str) -> Row:
    """Return `row` with its final status and reason (as one line), without times."""
    kept = {item.name: getattr(row, item.name) for item in fields(row) if not item.metadata["timed"]}
    return Row(**{**kept, "status": status, "reason": " ".join(reason.split())})


def add_kernel(row: Row, kernel: Kernel, dynamic_shared: int, later_shared: Sequence[int] = ()) -> Row:
    """Return `row` with the resources and the instruction counts of its kernel; of several, the largest resources."""
    counts = None
    if loop := kernel.loop:
        counts = {opcode: count / loop.unroll for opcode, count in exchanges(loop.counts).items()} or None
    every = [item.resources for item in (kernel, *kernel.later)]
    return replace(
        row,
        status=Status.COMPILED,
        registers=max(item.registers for item in every),
        shared_bytes=max(map(add, (item.shared_bytes for item in every), (dynamic_shared, *later_shared))),
        local_bytes=max(item.local_bytes for item in every),
        spill_bytes=max(item.spill_bytes for item in every),
        sass_per_iteration=counts,
    )


def add_grid(row: Row, grid: int | None, shape: str, resident_blocks: int | None, device: Device | None) -> Row:
    """Return `row` with its grid on the device, and its occupancy if the `resident_blocks` per SM are known.

    `shape` has the launches where they are not one of `grid` and `block`; else it is empty.
    """
    row = replace(row, grid=grid, shape=shape or None)
    if device is None or not device.threads_per_sm or not resident_blocks or "carveout" in dict(row.options):
        return row  # the driver's occupancy calculator ignores the carveout
    return replace(row, occupancy=resident_blocks * row.first_launch[1] / device.threads_per_sm)


def wants(row: Row, processes: int) -> bool:
    """Whether a case has been measured in fewer than `processes` processes and may be measured again."""
    if row.status is Status.TIMED:
        return max(1, len(row.processes)) < processes
    return row.status is Status.COMPILED


def add_proof(row: Row, proof: Proof) -> Row:
    """Return `row` with the result of verification; an unsafe variant keeps its status and reports its matches."""
    row = replace(
        row,
        matched=proof.matched,
        inputs=proof.inputs,
        verified_launch=proof.launch,
        verified_iterations=proof.iterations,
        relative_tolerance=proof.relative_tolerance or None,
        by_median=proof.by_median if proof.relative_tolerance else None,
        other_zeros=proof.other_zeros if proof.relative_tolerance else None,
        not_compared=proof.not_compared,
        status=Status.VERIFIED,
    )
    if row.safe and not proof.complete:
        return end_row(row, Status.INCORRECT, proof.mismatch)
    return row


def add_times(
    row: Row,
    timing: Timing,
    conditions: Conditions,
    bytes_moved: int | None = None,
    stopped_by: str | None = None,
) -> Row:
    """Return `row` with its times, and with the bandwidth if the bytes moved per launch are known."""
    slope, clock = timing.ns_per_iteration, timing.sm_clock_mhz
    time_low_us, time_high_us = _ends(timing.time_us)
    slope_low, slope_high = _ends(slope)
    return replace(
        row,
        status=Status.TIMED,
        time_us=timing.time_us.value,
        time_low_us=time_low_us,
        time_high_us=time_high_us,
        samples=timing.samples,
        dropped=timing.dropped,
        rounds=timing.rounds,
        launches=timing.launches,
        processes=timing.processes,
        stopped_by=stopped_by,
        noise={trouble.kind: float(f"{trouble.size:.2g}") for trouble in timing.troubles},
        reason="; ".join(trouble.sentence for trouble in timing.troubles) or None,
        ns_per_iteration=slope.value if slope else None,
        ns_per_iteration_low=slope_low,
        ns_per_iteration_high=slope_high,
        cycles_per_iteration=slope.value * clock / 1000 if slope and clock else None,
        gb_per_s=bytes_moved / timing.time_us.value / 1000 if bytes_moved else None,
        launch_overhead_us=timing.launch_overhead_us,
        sm_clock_mhz=clock,
        temperature_c=conditions.temperature_c,
        power_w=conditions.power_w,
        throttle=conditions.throttle,
    )


def with_speedups(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of one group; if the baseline was timed, timed rows have their speedup over it."""
    base = next((row for row in rows if row.variant == row.baseline and row.time_us), None)
    return [_add_speedup(row, base) if base else row for row in rows]


def _add_speedup(row: Row, base: Row) -> Row:
    """Return a timed row with its speedup over the baseline; without an interval where that of a time is unknown."""
    if not row.time_us or not base.time_us:
        return row
    if row.variant == row.baseline:
        return replace(row, speedup=1.0, speedup_low=1.0, speedup_high=1.0)
    if row.time_interval is None or base.time_interval is None:
        return replace(row, speedup=base.time_us / row.time_us)
    speedup = ratio(base.time_interval, row.time_interval)
    return replace(row, speedup=speedup.value, speedup_low=speedup.low, speedup_high=speedup.high)


def _ends(estimate: Interval | None) -> tuple[float | None, float | None]:
    """Return the ends of an interval; None where they are unknown, as of a single round."""
    return (estimate.low, estimate.high) if estimate and estimate.is_known else (None, None)
