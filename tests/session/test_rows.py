from dataclasses import fields, replace

import pytest

from shflbench.core.model import (
    Case,
    Conditions,
    Disturbance,
    Interval,
    Kernel,
    Launch,
    Loop,
    Proof,
    Resources,
    Status,
    Timing,
    Trouble,
)
from shflbench.patterns.discover import builtin, load
from shflbench.session import rows
from shflbench.store import Row
from tests.fakes.backend import H200

DECLARATION = load(builtin()["neighbor"]).declaration
LAUNCH = Launch("26x1024", 1024, 26)
TIMING = Timing(
    time_us=Interval(70.0, 69.0, 71.0),
    ns_per_iteration=Interval(16.0, 15.5, 16.5),
    launch_overhead_us=4.5,
    sm_clock_mhz=2000.0,
    samples=90,
    dropped=10,
    rounds=9,
    launches=8,
    processes=(0, 2),
)
CONDITIONS = Conditions(1980, 45, 300.0, ("power brake", "sync boost"))
DRIFT = Trouble(Disturbance.DRIFT, 0.012, "its time rose by 1.2% over 1.0 s", "warm the GPU up")
NONLINEAR = Trouble(Disturbance.NONLINEAR, 0.02, "at 9 iterations it takes 2% more", "time more iterations")


def row(variant: str = "shfl") -> Row:
    return rows.start_row(Case("neighbor", variant, "f64", LAUNCH, 4096), DECLARATION, "cuda", "sm_90")


def test_first_row_has_the_declarations_of_suite_and_pattern() -> None:
    first_row = row("smem-unsafe")
    assert (first_row.case_id, first_row.mechanism, first_row.safe) == (
        "neighbor/smem-unsafe/f64/26x1024/4096",
        "smem-unsafe",
        False,
    )
    assert (first_row.grid, first_row.block, first_row.baseline, first_row.status) == (26, 1024, "smem", Status.SKIPPED)


def test_shared_memory_is_the_static_and_the_dynamic_part() -> None:
    loop = Loop(0, 64, 16, {"STS": 16, "LDS": 16, "BAR": 32, "IADD3": 3})
    kernel = Kernel("k", "sm_90", "", b"", Resources(18, 100, 8, 4), (), loop, ())
    compiled = rows.add_kernel(row("smem"), kernel, dynamic_shared=1024 * 8)
    assert compiled.shared_bytes == 100 + 1024 * 8
    assert (compiled.registers, compiled.local_bytes, compiled.spill_bytes) == (18, 8, 4)
    assert (compiled.sass_per_iteration, compiled.status) == ({"STS": 1.0, "LDS": 1.0, "BAR": 2.0}, Status.COMPILED)
    blind = rows.add_kernel(row("smem"), replace(kernel, loop=None), dynamic_shared=0)
    assert blind.sass_per_iteration is None


@pytest.mark.parametrize(("threads_per_sm", "occupancy"), [(2048, 0.5), (1024, 1.0), (0, None)])
def test_occupancy_is_the_share_of_an_sm_s_threads(threads_per_sm: int, occupancy: float | None) -> None:
    placed = rows.add_grid(row(), 66, "", 1, replace(H200, threads_per_sm=threads_per_sm))
    assert (placed.grid, placed.occupancy) == (66, occupancy)


def test_occupancy_is_empty_if_the_blocks_per_sm_are_unknown() -> None:
    assert rows.add_grid(row(), 66, "", None, H200).occupancy is None
    assert rows.add_grid(row(), None, "", 1, None).occupancy is None


def test_occupancy_is_that_of_a_shape_of_its_own() -> None:
    placed = rows.add_grid(row(), 66, "33x512, 1x128", 2, replace(H200, threads_per_sm=2048))
    assert (placed.grid, placed.shape, placed.first_launch) == (66, "33x512, 1x128", (33, 512))
    assert placed.occupancy == 0.5


@pytest.mark.parametrize("shape", ["0x32", "8x8:16x16, 1x32", "٣x32", f"{'9' * 5000}x32", "33x512 and more"])
def test_a_shape_that_is_no_launch_along_x_is_that_of_the_case(shape: str) -> None:
    assert replace(row(), grid=66, shape=shape).first_launch == (66, row().block)


def test_occupancy_is_empty_with_a_carveout() -> None:
    carved = Case("neighbor", "shfl", "f64", LAUNCH, 4096, (("mode", "idx"), ("carveout", "50")))
    first_row = rows.start_row(carved, DECLARATION, "cuda", "sm_90")
    assert rows.add_grid(first_row, 66, "", 1, H200).occupancy is None


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
    verified = rows.add_proof(row(variant), Proof(matched, 8, (1, 51), "26x1024", mismatch))
    assert (verified.status, verified.reason, verified.matched, verified.inputs) == (status, reason, matched, 8)
    assert (verified.verified_launch, verified.verified_iterations) == ("26x1024", (1, 51))


def test_timed_row_counts_cycles_by_the_clock_of_its_samples() -> None:
    timed = rows.add_times(row(), TIMING, CONDITIONS)
    assert timed.status is Status.TIMED
    assert timed.cycles_per_iteration == 32.0
    assert (timed.samples, timed.dropped, timed.throttle) == (90, 10, ("power brake", "sync boost"))
    assert (timed.temperature_c, timed.power_w, timed.sm_clock_mhz) == (45, 300.0, 2000.0)
    assert (timed.rounds, timed.launches, timed.processes) == (9, 8, (0, 2))


def test_noise_names_every_disturbance_and_the_reason_describes_it() -> None:
    quiet = rows.add_times(row(), TIMING, CONDITIONS)
    assert (quiet.noise, quiet.reason) == ({}, None)
    noisy = rows.add_times(row(), replace(TIMING, troubles=(DRIFT, NONLINEAR)), CONDITIONS)
    assert noisy.noise == {Disturbance.DRIFT: 0.012, Disturbance.NONLINEAR: 0.02}
    assert noisy.reason == "its time rose by 1.2% over 1.0 s; at 9 iterations it takes 2% more"


def test_failed_row_has_no_times() -> None:
    (failed,) = rows.with_speedups(
        [rows.end_row(rows.add_times(row(), TIMING, CONDITIONS), Status.FAILED, "it crashed")]
    )
    timed = [item.name for item in fields(Row) if item.metadata["timed"]]
    assert {"time_us", "processes", "gb_per_s", "throttle"} <= set(timed)
    assert {name: getattr(failed, name) or None for name in (*timed, "speedup")} == dict.fromkeys((*timed, "speedup"))


@pytest.mark.parametrize(
    ("status", "processes", "wanted"),
    [
        (Status.COMPILED, (), [True, True, True]),
        (Status.TIMED, (0,), [False, True, True]),
        (Status.TIMED, (0, 3), [False, False, True]),
        (Status.FAILED, (), [False, False, False]),
        (Status.INCORRECT, (), [False, False, False]),
        (Status.SKIPPED, (), [False, False, False]),
        (Status.VERIFIED, (), [False, False, False]),
    ],
)
def test_case_is_measured_in_the_requested_number_of_processes(
    status: Status, processes: tuple[int, ...], wanted: list[bool]
) -> None:
    found = replace(row(), status=status, processes=processes)
    assert [rows.wants(found, count) for count in (1, 2, 3)] == wanted


@pytest.mark.parametrize("unknown", ["ns_per_iteration", "sm_clock_mhz"])
def test_cycles_are_empty_if_slope_or_clock_are_unknown(unknown: str) -> None:
    changes: dict[str, None] = {unknown: None}
    timed = rows.add_times(row(), replace(TIMING, **changes), CONDITIONS)  # type: ignore[arg-type]
    assert timed.cycles_per_iteration is None
    assert timed.time_us == 70.0


def test_speedup_is_the_ratio_of_times_with_a_wide_interval() -> None:
    slow = replace(TIMING, time_us=Interval(350.0, 345.0, 355.0))
    baseline, fast = rows.with_speedups(
        [rows.add_times(row("smem"), slow, CONDITIONS), rows.add_times(row(), TIMING, CONDITIONS)]
    )
    assert (baseline.speedup, baseline.speedup_low, baseline.speedup_high) == (1.0, 1.0, 1.0)
    assert (fast.speedup, fast.speedup_low, fast.speedup_high) == (5.0, 345 / 71, 355 / 69)


def test_times_of_single_rounds_have_a_speedup_and_no_intervals() -> None:
    single = replace(TIMING, time_us=Interval.unknown(350.0), ns_per_iteration=Interval.unknown(80.0))
    slow, fast = (
        rows.add_times(row("smem"), single, CONDITIONS),
        rows.add_times(row(), TIMING, CONDITIONS),
    )
    assert (slow.time_us, slow.time_interval, slow.slope_interval) == (350.0, None, None)
    assert (fast.time_interval, fast.slope_interval) == (TIMING.time_us, TIMING.ns_per_iteration)
    _, sped = rows.with_speedups([slow, fast])
    assert (sped.speedup, sped.speedup_low, sped.speedup_high) == (5.0, None, None)


def test_without_a_timed_baseline_there_are_no_speedups() -> None:
    failed = rows.end_row(row("smem"), Status.FAILED, "it\n  crashed")
    assert failed.reason == "it crashed"
    kept = rows.with_speedups([failed, rows.add_times(row(), TIMING, CONDITIONS)])
    assert [one.speedup for one in kept] == [None, None]
