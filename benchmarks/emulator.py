"""Measure the emulator: `python -m benchmarks emulator`. Prints the aims, for two cores, beside the figures."""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import partial
from time import perf_counter

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.launch import execute
from tests import kernels

TIMES = 3
LAUNCHES = {  # 26x1024 threads, 4096 iterations → seconds aimed at; None: for information
    "neighbor/shfl/f32/mode=idx": 0.3,
    "neighbor/smem/f32/mode=idx": None,
    "reduce/shfl/f32/width=32": 1.5,
    "reduce/shfl/f64/width=32": None,
    "reduce/smem/f32/width=32": None,
    "reduce/cub/i64/width=32": None,
}
CHECKS = (
    *("neighbor/shfl/f32/mode=idx", "neighbor/smem-syncwarp/f32/mode=idx"),
    *("reduce/shfl/f32/width=32", "reduce/smem/f32/width=32", "reduce/cub/f64/width=32"),
)
CHECK_SECONDS = 1.0


def fastest(run: Callable[[], object]) -> float:
    """Return the seconds of the fastest of some runs."""
    times = []
    for _ in range(TIMES):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def show(what: str, seconds: float, aim: float | None) -> None:
    """Print one line."""
    judged = "" if aim is None else f"   aim {aim} s: {'met' if seconds < aim else 'MISSED'}"
    print(f"{what:52} {seconds:7.3f} s{judged}")


def main() -> None:
    """Print all figures."""
    for name, aim in LAUNCHES.items():
        launch, _ = kernels.launch(name, kernels.kernel(name), 4096, "26x1024")
        show(f"{name} 26x1024, 4096 iterations, lockstep", fastest(partial(execute, launch)), aim)
    for name in CHECKS:
        iterations = 2 * kernels.subjects()[name].pattern.declaration.unroll + 3
        launch, _ = kernels.launch(name, kernels.kernel(name), iterations)
        show(f"{name} 2x128, {iterations} iterations, all schedules", fastest(partial(explore, launch)), CHECK_SECONDS)
    print(f"most memory in use: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB   aim 1024 MiB")
