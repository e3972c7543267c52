"""Estimate the time of a case in each process from its samples (pure functions)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Process: TypeAlias = tuple[int, int]  # index of the run on its side, number of the process in the run

Counts = TypeVar("Counts", int, "NDArray[np.int64]")

P90 = 0.9


def fastest_half(times: Floats) -> float:
    """Return the mean of the faster half of `times`, the middle one included.

    Disturbances make launches slower, never faster: the fast half depends least on them.
    """
    return float(np.sort(times)[: _half(len(times))].mean())


def _half(count: Counts) -> Counts:
    return (count + 1) // 2


@dataclass(frozen=True, slots=True)
class Estimates:
    """One kernel on one side of a comparison: arrays with an element for each process, in µs or the metric's unit."""

    processes: tuple[Process, ...]
    values: Floats  # mean of the fastest half of all samples
    variances: Floats  # of that, estimated from the rounds of the process; NaN for a single round
    medians: Floats
    p90s: Floats
    rounds: tuple[int, ...]  # 0 if the variances are not estimated from rounds
    launches: int = 1  # per sample; 0 if the processes disagree

    @classmethod
    def of(cls, taken: Mapping[Process, Sequence[Floats]], launches: int = 1) -> Estimates:
        """Estimate from the times of each process's rounds, in µs."""
        pooled = [np.sort(np.concatenate(rounds)) for rounds in taken.values()]
        return cls(
            processes=tuple(taken),
            values=np.array([fastest_half(times) for times in pooled]),
            variances=np.array([jackknife(rounds) for rounds in taken.values()]),
            medians=np.array([_median_of_sorted(times) for times in pooled]),
            p90s=np.array([_quantile_of_sorted(times, P90) for times in pooled]),
            rounds=tuple(map(len, taken.values())),
            launches=launches,
        )

    @classmethod
    def known(cls, value: float, variance: float, launches: int) -> Estimates:
        """Make estimates of one value and its variance, as a table without samples has them."""
        values = np.array([value])
        return cls(((0, 0),), values, np.array([variance]), values, values, (0,), launches)

    def __len__(self) -> int:
        """Return the number of processes."""
        return len(self.processes)

    @property
    def positive(self) -> bool:
        """Whether every process has a value above 0, so that ratios have a meaning."""
        return bool((self.values > 0).all())

    def select(self, processes: Sequence[Process]) -> Estimates:
        """Return the estimates of these processes, in this order; ValueError for an unknown one."""
        places = [self.processes.index(process) for process in processes]
        return replace(
            self,
            processes=tuple(processes),
            values=self.values[places],
            variances=self.variances[places],
            medians=self.medians[places],
            p90s=self.p90s[places],
            rounds=tuple(self.rounds[place] for place in places),
        )

    def minus(self, offsets: Mapping[Process, float]) -> Estimates:
        """Return the values minus the offset of each process; processes without a known offset are dropped."""
        known = self.select([process for process in self.processes if process in offsets])
        off = np.array([offsets[process] for process in known.processes])
        return replace(known, values=known.values - off, medians=known.medians - off, p90s=known.p90s - off)

    def slope(self, shorter: Estimates, scale: float) -> Estimates:
        """Return `scale` times the difference to the same kernel with fewer iterations in the same processes."""
        return replace(
            self,
            values=(self.values - shorter.values) * scale,
            variances=(self.variances + shorter.variances) * scale**2,
            medians=(self.medians - shorter.medians) * scale,
            p90s=(self.p90s - shorter.p90s) * scale,
        )


def jackknife(rounds: Sequence[Floats]) -> float:
    """Return the variance of the fastest half's mean, from its values without each round in turn.

    Rounds are independent, samples are not: a slow state of the GPU lasts up to 0.1 s and affects all samples of a
    round. NaN for a single round.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, section 11.5.
    """
    count = len(rounds)
    if count < 2:  # noqa: PLR2004  (no variance without two)
        return float("nan")
    times = np.concatenate(rounds)
    sizes = np.array(list(map(len, rounds)))
    owner = np.repeat(np.arange(count), sizes)
    order = np.argsort(times, kind="stable")
    above = times[order] - times[order[0]]  # sums of differences are exact to more digits
    # Sorted by round, and by time within each: a sample with index `place` among all has `place - earlier` samples of
    # other rounds before it, so it is among or before their faster half if there are fewer of these than the half has.
    by_round = np.argsort(owner[order], kind="stable")
    earlier = np.arange(len(times)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    half = _half(len(times) - sizes)
    within = by_round - earlier < half[owner]
    skipped = np.bincount(owner, within, count).astype(np.int64)
    sums = np.cumsum(above)[half + skipped - 1] - np.bincount(owner, above[by_round] * within, count)
    return float((count - 1) * (sums / half).var())


def _median_of_sorted(times: Floats) -> float:
    return (times.item((len(times) - 1) // 2) + times.item(len(times) // 2)) / 2


def _quantile_of_sorted(times: Floats, share: float) -> float:
    """Return the quantile of sorted times to the bit as `np.quantile`, in a tenth of its time."""
    place = (len(times) - 1) * share
    below = int(place)
    low, high = times.item(below), times.item(min(below + 1, len(times) - 1))
    fraction = place - below
    middle = 0.5  # from which NumPy subtracts from the larger value, so that the result cannot exceed it
    return high - (high - low) * (1 - fraction) if fraction >= middle else low + (high - low) * fraction
