"""Measure the emulator: `python benchmarks/emulator.py`. The aims, on two cores, stand beside each figure."""

from __future__ import annotations

import resource
import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent))  # the committed PTX lies among the tests

from shflbench.backends.emulator.explore import explore
from shflbench.backends.emulator.launch import execute
from tests.backends.emulator.compiled import compiled_patterns

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 3
LAUNCHES = {  # 26x1024 threads, 4096 trips → seconds aimed at; None: for information
    "neighbor-shfl-f32": 0.3,
    "neighbor-smem-f32": None,
    "reduce-shfl-f32": 1.5,
    "reduce-shfl-f64": None,
    "reduce-smem-f32": None,
    "reduce-cub-i64": None,
}
CHECKS = ("neighbor-shfl-f32", "neighbor-smem-syncwarp-f32", "reduce-shfl-f32", "reduce-smem-f32", "reduce-cub-f64")
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
    kernels = {item.name.removeprefix("sm_90/"): item for item in compiled_patterns()}
    for name, aim in LAUNCHES.items():
        launch, _ = kernels[name].launch(4096, grid=26, block=1024)
        show(f"{name} 26x1024, 4096 trips, lock step", fastest(partial(execute, launch)), aim)
    for name in CHECKS:
        trips = 2 * kernels[name].pattern.declaration.unroll + 3
        launch, _ = kernels[name].launch(trips)
        show(f"{name} 2x128, {trips} trips, all schedules", fastest(partial(explore, launch)), CHECK_SECONDS)
    print(f"most memory in use: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB   aim 1024 MiB")


if __name__ == "__main__":
    main()
