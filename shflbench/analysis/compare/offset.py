"""What the sentinels say: the offset of each process, and whether the machine is what it was."""

from __future__ import annotations

import math
from collections.abc import Mapping  # noqa: TC003  (a field's type)
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.noise import USUAL

if TYPE_CHECKING:
    from shflbench.analysis.compare.estimates import Estimates, Process

# Sentinels below it measure what a process adds to every launch; those above it tell whether the clock is the same.
LONG_US = 100.0
FEWEST = 3  # short ones, of six: below, one that moved by itself would be a third of the answer
# The long ones agree to 0.06 % between five H200s (benchmarks/compare_power); a clock that is one step of 15 MHz lower
# moves them by 0.76 %.
MOVED = 0.002
SURE = 4.5  # standard deviations beyond which a sentinel has moved, where few processes know it less well


@dataclass(frozen=True, slots=True)
class Offsets:
    """By how much each process's launches took longer than those of both sides together, in µs."""

    base: Mapping[Process, float]
    new: Mapping[Process, float]

    @property
    def difference(self) -> float:
        """By how much longer the new side's launches took, in µs."""
        return fmean(self.new.values()) - fmean(self.base.values())


def offsets(base: Mapping[str, Estimates], new: Mapping[str, Estimates]) -> Offsets | None:
    """Return the offset of every process by the median of the short sentinels; None where too few are known.

    An H200 adds one offset to all launches of a process, drawn afresh with a standard deviation of 0.06 µs. It must be
    taken from kernels that cannot have changed: the median change of the suite itself would hide what all cases share.
    All sentinels of a side have the same processes.
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
    """Return by what fraction the machine became slower (or faster, below 0); 0 where the sentinels did not move.

    All long ones must have moved the same way; the one that moved least is believed.
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
