"""Runs of several processes with the noise of a real GPU, on disk and in memory.

    base = Simulated(seed=1)                              # 3 processes, 40 cases of 4.5 µs to 2.3 ms
    new = Simulated(seed=2, factors={case_id: 1.02})      # the same code, but for one case that is 2% slower
    folder = write(tmp_path / "base", base)
    times = in_memory(base)                               # case id → process → round → times in µs

A seed gives the same times again, in memory and on disk.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from shflbench.core.model import Case, Conditions, Sample
from shflbench.measure.estimate import timing
from shflbench.measure.sentinels import version as sentinels_version
from shflbench.session.rows import add_times, with_speedups
from shflbench.store import Row, RunFolder, RunInfo, SentinelSet
from shflbench.store.run_files import SAMPLES_FILE
from tests.fakes.runs import CLOCK_MHZ, info, verified_row
from tests.fakes.simulated import SENTINEL_US, VARIANTS, Numbers, Process, Simulated, further_points, own_points, spread

Times = dict[str, list[list[Numbers]]]  # case id → process → round → times in µs at the case's own iterations

__all__ = ["SENTINEL_US", "Simulated", "in_memory", "spread", "verified", "write"]


def in_memory(run: Simulated) -> Times:
    """Return the times at each case's own iterations; sentinels are among the cases."""
    points = own_points(run)
    found: Times = {point.name: [] for point in points}
    for number in range(run.processes):
        times = Process(run, number, len(points)).times_us(points)[0]
        for point, rounds in zip(points, times, strict=True):
            found[point.name].append(list(rounds[:, : point.size]))
    return found


def write(folder: Path, run: Simulated | None = None, *, samples: bool = True, about: RunInfo | None = None) -> Path:
    """Write the run through the store, its rows by the product's own estimators; without `samples` only the rows."""
    run = run or Simulated()
    taken = _samples(run)
    run_folder = RunFolder.create_at(about or info(name=run.suite), folder)
    for _, group in groupby(run.cases, key=lambda case: case.group):
        cases = list(group)
        rows = with_speedups([_row(case, taken[case.id]) for case in cases])
        run_folder.append(rows, [sample for case in cases for sample in taken[case.id]])
    if run.sentinels:
        run_folder.append((), [sample for name in SENTINEL_US for sample in taken[name]])
    run_folder.finish("2026-11-20T08:00:30Z", sentinels=SentinelSet(sentinels_version()) if run.sentinels else None)
    if not samples:
        (folder / SAMPLES_FILE).unlink()
    return folder


def _samples(run: Simulated) -> dict[str, list[Sample]]:
    """Return all samples of each case and sentinel."""
    own = own_points(run)
    found: dict[str, list[Sample]] = {point.name: [] for point in own}
    for number in range(run.processes):
        process = Process(run, number, len(own))
        for points in (own, further_points(run, own)):
            times, begins = (values.tolist() for values in process.times_us(points))
            for point, its_times, its_begins in zip(points, times, begins, strict=True):
                found[point.name] += [
                    Sample(
                        case_id=point.name,
                        process=number,
                        round=this,
                        sample=index,
                        iterations=point.iterations,
                        launches=point.launches,
                        time_us=time_us,
                        sm_clock_mhz=CLOCK_MHZ,
                        dropped=False,
                        seconds=began,
                    )
                    for this, (began, burst) in enumerate(zip(its_begins, its_times, strict=True))
                    for index, time_us in enumerate(burst[: point.size])
                ]
    return found


def _row(case: Case, samples: Sequence[Sample]) -> Row:
    found = timing(samples, case.iterations)
    assert found is not None  # all samples are kept
    return add_times(verified(case), found, Conditions(sm_clock_mhz=1980, temperature_c=38, power_w=182.5))


def verified(case: Case) -> Row:
    """Return the row of a case that is about to be timed."""
    return verified_row(
        case,
        VARIANTS[case.variant],
        shared_bytes=0 if case.variant == "shfl" else 4 * case.launch.block,
        sass_per_iteration={"SHFL": 1.0} if case.variant == "shfl" else {"LDS": 1.0, "STS": 1.0},
    )
