"""Estimate the time of a case in each process from its samples (pure functions)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shflbench.core.grouping import group_by

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
    return float(_mean_of_fastest_half(np.sort(times)))


def _mean_of_fastest_half(ordered: Floats) -> Floats:
    return np.asarray(ordered[..., : _half(ordered.shape[-1])].mean(axis=-1))


def _half(count: Counts) -> Counts:
    return (count + 1) // 2


@dataclass(frozen=True, slots=True)
class Estimates:
    """One kernel on one side of a comparison: arrays with an element for each process, in µs or the metric's unit."""

    processes: tuple[Process, ...]
    values: Floats  # mean of the fastest half of all samples
    variances: Floats  # of that, estimated from the rounds of the process; of a single round, see `_jackknife`
    medians: Floats
    p90s: Floats
    rounds: tuple[int, ...]  # 0 if the variances are not estimated from rounds
    launches: int = 1  # per sample; 0 if the processes disagree

    @classmethod
    def of(cls, taken: Mapping[Process, Sequence[Floats]], launches: int = 1) -> Estimates:
        """Estimate from the times of each process's rounds, in µs."""
        (estimates,) = estimate_all([(taken, launches)])
        return estimates

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
        processes = [process for process in self.processes if process in offsets]
        known = self if len(processes) == len(self) else self.select(processes)
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


def estimate_all(kernels: Sequence[tuple[Mapping[Process, Sequence[Floats]], int]]) -> list[Estimates]:
    """Estimate kernels from the times of each process's rounds, in µs, and the launches per sample.

    Processes with as many rounds and samples are estimated together: one by one, the calls of NumPy take most of the
    time.
    """
    processes = [rounds for taken, _ in kernels for rounds in taken.values()]
    sizes = [tuple(map(len, rounds)) for rounds in processes]
    columns = np.empty((4, len(processes)))
    for places in group_by(range(len(processes)), lambda place: (len(sizes[place]), sum(sizes[place]))).values():
        times = np.concatenate([part for place in places for part in processes[place]]).reshape(len(places), -1)
        columns[:, places] = _estimate(times, np.array([sizes[place] for place in places]))
    estimates = []
    end = 0
    for taken, launches in kernels:
        begin, end = end, end + len(taken)
        values, variances, medians, p90s = columns[:, begin:end]
        rounds = tuple(map(len, taken.values()))
        estimates.append(Estimates(tuple(taken), values, variances, medians, p90s, rounds, launches))
    return estimates


def _estimate(times: Floats, sizes: NDArray[np.int64]) -> tuple[Floats, ...]:
    """Return the values, variances, medians and p90s of processes: lines of `times`, and of `sizes` of their rounds."""
    order = np.argsort(times, axis=1, kind="stable")
    ordered = np.take_along_axis(times, order, axis=1)
    last = times.shape[1] - 1
    medians = (ordered[:, last // 2] + ordered[:, (last + 1) // 2]) / 2
    return _mean_of_fastest_half(ordered), _jackknife(ordered, order, sizes), medians, _p90(ordered)


def _jackknife(ordered: Floats, order: NDArray[np.int64], sizes: NDArray[np.int64]) -> Floats:
    """Return the variance of the fastest half's mean, from its values without each round in turn.

    Rounds are independent, samples are not: a slow state of the GPU lasts up to 0.1 s and affects all samples of a
    round. Of a single round, each sample counts as a round: independent samples would vary by as much, others by more.
    NaN for a single sample.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, section 11.5.
    """
    samples = ordered.shape[1]
    if sizes.shape[1] == 1:
        sizes = np.ones_like(order)
    processes, count = sizes.shape
    if count < 2:  # noqa: PLR2004  (no variance without two)
        return np.full(processes, np.nan)
    above = ordered - ordered[:, :1]  # sums of differences are exact to more digits
    # Rounds and samples of all processes are numbered through, those of the first process first.
    sizes = sizes.ravel()
    round_of = np.repeat(np.arange(len(sizes)), sizes)
    first = np.repeat(np.arange(processes) * samples, count)  # sample of the process of each round
    # Sorted by round, and by time within each: a sample with index `place` among all has `place - earlier` samples of
    # other rounds before it, so it is among or before their faster half if there are fewer of these than the half has.
    sorted_rounds = round_of[order + first[::count, None]]
    by_round = np.sort((sorted_rounds * samples + np.arange(samples)).ravel()) - round_of * samples
    earlier = np.arange(ordered.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    half = _half(samples - sizes)
    within = by_round - earlier < half[round_of]
    skipped = np.bincount(round_of, within, len(sizes)).astype(np.int64)
    by_round += first[round_of]
    sums = np.cumsum(above, axis=1).ravel()[first + half + skipped - 1]
    sums -= np.bincount(round_of, above.ravel()[by_round] * within, len(sizes))
    return np.asarray((count - 1) * (sums / half).reshape(processes, count).var(axis=1))


def _p90(ordered: Floats) -> Floats:
    """Return the quantile of sorted lines to the bit as `np.quantile`, in a tenth of its time."""
    place = (ordered.shape[1] - 1) * P90
    below = int(place)
    low, high = ordered[:, below], ordered[:, min(below + 1, ordered.shape[1] - 1)]
    fraction = place - below
    middle = 0.5  # from which NumPy subtracts from the larger value, so that the result cannot exceed it
    return np.asarray(high - (high - low) * (1 - fraction) if fraction >= middle else low + (high - low) * fraction)
