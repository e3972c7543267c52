"""Measure with the sentinels: the offset of each process, and whether the machine changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping  # noqa: TC003  (a field's type)
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.noise import USUAL

if TYPE_CHECKING:
    from shflbench.analysis.compare.estimates import Estimates, Process

# Shorter sentinels measure the time that a process adds to each launch, longer ones whether the clock is the same.
LONG_US = 100.0
FEWEST = 3  # short ones, of six: with fewer, one that changed by itself would affect the median too much
# The long ones agree within 0.06% between five H200s (benchmarks/compare_power); a clock step of 15 MHz changes them
# by 0.76%.
MOVED = 0.002
SURE = 4.5  # standard deviations beyond which a sentinel's time has changed


@dataclass(frozen=True, slots=True)
class Offsets:
    """How much longer each process's launches took than the mean of both sides, in µs."""

    base: Mapping[Process, float]
    new: Mapping[Process, float]

    @property
    def difference(self) -> float:
        """How much longer the new side's launches took, in µs."""
        return self.between(self.base, self.new)

    def between(self, base: Iterable[Process], new: Iterable[Process]) -> float:
        """Return how much longer the launches took in these processes of the new side than in these of the base."""
        return fmean(self.new[process] for process in new) - fmean(self.base[process] for process in base)


def offsets(base: Mapping[str, Estimates], new: Mapping[str, Estimates]) -> Offsets | None:
    """Return the offset of each process, the median over the short sentinels; None if there are too few.

    On an H200 all launches of a process share an offset, which differs between processes with a standard deviation of
    0.06 µs. It must be measured with kernels that cannot have changed: the median change of the suite itself would hide
    a change that all cases share. All sentinels of a side have the same processes.
    """
    names = [name for name, estimates in base.items() if name in new and _typical(estimates) < LONG_US]
    if len(names) < FEWEST:
        return None
    processes = base[names[0]].processes, new[names[0]].processes
    before = np.array([base[name].select(processes[0]).values for name in names])
    after = np.array([new[name].select(processes[1]).values for name in names])
    middle = (before.mean(axis=1, keepdims=True) + after.mean(axis=1, keepdims=True)) / 2
    medians = (np.median(values - middle, axis=0).tolist() for values in (before, after))
    return Offsets(*(dict(zip(*side, strict=True)) for side in zip(processes, medians, strict=True)))


def machine_change(base: Mapping[str, Estimates], new: Mapping[str, Estimates], offset_us: float) -> float:
    """Return the fraction by which the machine became slower (faster: below 0); 0 if the sentinels did not change.

    All long sentinels must have changed in the same direction; the smallest change counts.
    """
    moves = []
    for name, estimates in base.items():
        if name in new and _typical(estimates) >= LONG_US:
            before, after = float(estimates.values.mean()), float(new[name].values.mean()) - offset_us
            deviation = USUAL.deviation(before) * math.sqrt(1 / len(estimates) + 1 / len(new[name])) / before
            move = after / before - 1
            moves.append(move if abs(move) > max(MOVED, SURE * deviation) else 0.0)
    if moves and all(move > 0 for move in moves):
        return min(moves)
    return max(moves) if moves and all(move < 0 for move in moves) else 0.0


def _typical(estimates: Estimates) -> float:
    return float(np.median(estimates.values))
