"""Thousands of sides of comparisons, in memory only.

base, new = side(Simulated(seed=1)), side(Simulated(seed=2))
pool = Pool(Simulated(processes=100))           # estimates once what a hundred processes say
one = pool.side([3, 14, 15])                    # any of them, as if they were one run
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shflbench.analysis.compare import Side
from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.compare.sides import KernelTimes
from shflbench.core.model import Status
from shflbench.measure.sentinels import version
from shflbench.store import Run, SentinelSet
from tests.fakes.processes import in_memory, verified
from tests.fakes.runs import info
from tests.fakes.simulated import Simulated, own_points

if TYPE_CHECKING:
    from shflbench.analysis.compare.estimates import Process

T = TypeVar("T")


def side(run: Simulated, name: str = "") -> Side:
    """Return a side of one run as the product reads it from a disk, at each case's own iterations alone."""
    times = in_memory(run)
    kernels = {
        point.name: KernelTimes(
            {point.iterations: {(0, number): rounds for number, rounds in enumerate(times[point.name])}},
            point.launches,
        )
        for point in own_points(run)
    }
    rows = {}
    for case in run.cases:
        typical = float(np.median(np.median([each for rounds in times[case.id] for each in rounds], axis=1)))
        rows[case.id] = replace(verified(case), status=Status.TIMED, time_us=typical)
    name = name or f"seed-{run.seed}"
    about = replace(
        info(name=run.suite),
        argv=("shflbench", "run", name),  # no two sides are the same run
        finished="2026-11-20T08:00:30Z",
        sentinels=SentinelSet(version()) if run.sentinels else None,
    )
    return Side((Run(Path(name), about, tuple(rows.values())),), rows, kernels, name)


def without(known: Side, *names: str, process: int = 3) -> Side:
    """Return the side as if a process had not timed some cases or sentinels."""
    kernels = {
        name: KernelTimes(
            {
                count: {key: rounds for key, rounds in taken.items() if name not in names or key != (0, process)}
                for count, taken in kernel.counts.items()
            },
            kernel.launches,
        )
        for name, kernel in known.kernels.items()
    }
    return replace(known, kernels=kernels)


def shuffled(known: Side) -> Side:
    """Return the same side with its cases, and the processes and rounds of each, in another order."""
    random = np.random.default_rng(7)

    def mixed(things: Iterable[T]) -> list[T]:
        listed = list(things)
        return [listed[place] for place in random.permutation(len(listed))]

    def kernel(ordered: KernelTimes) -> KernelTimes:
        counts = {
            count: {process: mixed(rounds) for process, rounds in mixed(taken.items())}
            for count, taken in ordered.counts.items()
        }
        return replace(ordered, counts=counts)

    kernels = {name: kernel(ordered) for name, ordered in mixed(known.kernels.items())}
    return replace(known, rows=dict(mixed(known.rows.items())), kernels=kernels)


@dataclass(frozen=True)
class EstimatedTimes(KernelTimes):
    """The times of a kernel whose samples were looked at before."""

    estimates: Estimates

    def at(self, iterations: int) -> Estimates | None:
        return self.estimates if iterations in self.counts else None


@dataclass(frozen=True)
class Pool:
    """Many processes, any of which can form a run."""

    run: Simulated

    @cached_property
    def _whole(self) -> Side:
        return side(self.run)

    @cached_property
    def estimates(self) -> dict[str, Estimates]:
        """What is known of each case and sentinel."""
        found = {name: kernel.at(max(kernel.counts)) for name, kernel in self._whole.kernels.items()}
        return {name: own for name, own in found.items() if own is not None}

    def side(self, processes: Sequence[int]) -> Side:
        """Return a side of these processes alone."""
        name = f"{self._whole.name}: {'+'.join(map(str, processes))}"
        keys: list[Process] = [(0, process) for process in processes]
        kernels: dict[str, KernelTimes] = {
            kernel_name: EstimatedTimes(
                {count: {key: taken[key] for key in keys} for count, taken in kernel.counts.items()},
                kernel.launches,
                self.estimates[kernel_name].select(keys),
            )
            for kernel_name, kernel in self._whole.kernels.items()
        }
        (run,) = self._whole.runs
        about = replace(run.info, argv=("shflbench", "run", name))
        return Side((replace(run, info=about),), self._whole.rows, kernels, name)
