from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shflbench.model import Case, Conditions, Interval, Kernel, Launch, Loop, Proof, Resources, Status, Timing
from shflbench.patterns.discover import builtin, load
from shflbench.session import rows
from tests.fakes.backend import H200

if TYPE_CHECKING:
    from shflbench.store import Row

DECLARATION = load(builtin()["neighbor"]).declaration
LAUNCH = Launch("26x1024", 1024, 26)
TIMING = Timing(
    time_us=Interval(70.0, 69.0, 71.0),
    ns_per_iteration=Interval(16.0, 15.5, 16.5),
    launch_overhead_us=4.5,
    sm_clock_mhz=2000.0,
    samples=90,
    dropped=10,
    conditions=Conditions(1980, 45, 300.0, ("power brake", "sync boost")),
    stopped_by="precision",
)


def row(variant: str = "shfl") -> Row:
    return rows.planned(Case("neighbor", variant, "f64", LAUNCH, 4096), DECLARATION, "cuda", "sm_90")


def test_planned_row_says_what_the_suite_and_the_pattern_say() -> None:
    planned = row("smem-unsafe")
    assert (planned.case_id, planned.mechanism, planned.safe) == (
        "neighbor/smem-unsafe/f64/26x1024/4096",
        "smem-unsafe",
        False,
    )
    assert (planned.grid, planned.block, planned.baseline, planned.status) == (26, 1024, "smem", Status.SKIPPED)


def test_shared_memory_is_the_static_and_the_dynamic_part() -> None:
    loop = Loop(0, 64, 16, {"STS": 16, "LDS": 16, "BAR": 32, "IADD3": 3})
    kernel = Kernel("k", "sm_90", "", b"", Resources(18, 100, 8, 4), (), loop, ())
    compiled = rows.compiled(row("smem"), kernel, dynamic_shared=1024 * 8)
    assert compiled.shared_bytes == 100 + 1024 * 8
    assert (compiled.registers, compiled.local_bytes, compiled.spill_bytes) == (18, 8, 4)
    assert (compiled.sass_per_iteration, compiled.status) == ("STS=1;LDS=1;BAR=2", Status.COMPILED)
    blind = rows.compiled(row("smem"), replace(kernel, loop=None), dynamic_shared=0)
    assert blind.sass_per_iteration is None


@pytest.mark.parametrize(("threads_per_sm", "occupancy"), [(2048, 0.5), (1024, 1.0), (0, None)])
def test_occupancy_is_the_share_of_an_sm_s_threads(threads_per_sm: int, occupancy: float | None) -> None:
    assert rows.resident(row(), 1, replace(H200, threads_per_sm=threads_per_sm)).occupancy == occupancy


@pytest.mark.parametrize(
    ("variant", "matched", "status", "reason"),
    [
        ("shfl", 8, Status.VERIFIED, None),
        ("shfl", 7, Status.INCORRECT, "element 3 is 1.0, not 2.0"),
        ("smem-unsafe", 8, Status.VERIFIED, None),
        ("smem-unsafe", 0, Status.VERIFIED, None),
    ],
)
def test_unsafe_variant_is_reported_and_not_judged(
    variant: str, matched: int, status: Status, reason: str | None
) -> None:
    mismatch = "" if matched == 8 else "element 3 is 1.0, not 2.0"
    verified = rows.verified(row(variant), Proof(matched, 8, (1, 51), "26x1024", mismatch))
    assert (verified.status, verified.reason, verified.matched, verified.inputs) == (status, reason, matched, 8)
    assert (verified.verified_launch, verified.verified_iterations) == ("26x1024", "1;51")


def test_timed_row_counts_cycles_by_the_clock_of_its_samples() -> None:
    timed = rows.timed(row(), TIMING)
    assert timed.status is Status.TIMED
    assert timed.cycles_per_iteration == 32.0
    assert (timed.samples, timed.dropped, timed.throttle) == (90, 10, "power brake;sync boost")
    assert (timed.temperature_c, timed.power_w, timed.sm_clock_mhz) == (45, 300.0, 2000.0)


@pytest.mark.parametrize("unknown", ["ns_per_iteration", "sm_clock_mhz"])
def test_cycles_stay_empty_where_slope_or_clock_are_unknown(unknown: str) -> None:
    changes: dict[str, None] = {unknown: None}
    timed = rows.timed(row(), replace(TIMING, **changes))  # type: ignore[arg-type]
    assert timed.cycles_per_iteration is None
    assert timed.time_us == 70.0


def test_speedup_is_the_ratio_of_times_and_errs_wide() -> None:
    slow = replace(TIMING, time_us=Interval(350.0, 345.0, 355.0))
    baseline, fast = rows.with_speedups([rows.timed(row("smem"), slow), rows.timed(row(), TIMING)])
    assert (baseline.speedup, baseline.speedup_low, baseline.speedup_high) == (1.0, 1.0, 1.0)
    assert (fast.speedup, fast.speedup_low, fast.speedup_high) == (5.0, 345 / 71, 355 / 69)


def test_without_a_timed_baseline_there_are_no_speedups() -> None:
    failed = rows.ended(row("smem"), Status.FAILED, "it\n  crashed")
    assert failed.reason == "it crashed"
    kept = rows.with_speedups([failed, rows.timed(row(), TIMING)])
    assert [one.speedup for one in kept] == [None, None]
