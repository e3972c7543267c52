"""What the samples of one case say of its time in each process: pure functions of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Process: TypeAlias = tuple[int, int]  # place of the run on its side, number of the process in the run

P90 = 0.9


def fastest_half(times: Floats) -> float:
    """Return the mean of the faster half of `times`, the middle one included.

    What disturbs a GPU makes launches slower and never faster: the fast half is the kernel, the slow one the machine.
    """
    return float(np.sort(times)[: _half(len(times))].mean())


def _half(count: int) -> int:
    return (count + 1) // 2


@dataclass(frozen=True, slots=True)
class Estimates:
    """One kernel on one side of a comparison: arrays with an element for each process, in µs or the metric's unit."""

    processes: tuple[Process, ...]
    values: Floats  # mean of the fastest half of all samples
    variances: Floats  # of that, as the rounds of the process tell; NaN for a single round
    medians: Floats
    p90s: Floats
    rounds: tuple[int, ...]  # 0 where the variances come from elsewhere
    launches: int = 1  # that a sample brackets; 0 where the processes disagree

    @classmethod
    def of(cls, taken: Mapping[Process, Sequence[Floats]], launches: int = 1) -> Estimates:
        """Estimate from the times of each process's rounds, in µs."""
        pooled = [np.concatenate(rounds) for rounds in taken.values()]
        return cls(
            processes=tuple(taken),
            values=np.array([fastest_half(times) for times in pooled]),
            variances=np.array([jackknife(rounds) for rounds in taken.values()]),
            medians=np.array([np.median(times) for times in pooled]),
            p90s=np.array([np.quantile(times, P90) for times in pooled]),
            rounds=tuple(map(len, taken.values())),
            launches=launches,
        )

    @classmethod
    def known(cls, value: float, variance: float, launches: int) -> Estimates:
        """Take one value and its variance for all that is known, as in a table without samples."""
        values = np.array([value])
        return cls(((0, 0),), values, np.array([variance]), values, values, (0,), launches)

    def __len__(self) -> int:
        """Return the number of processes."""
        return len(self.processes)

    @property
    def positive(self) -> bool:
        """Whether every process has a value above 0: a ratio of others says nothing."""
        return bool((self.values > 0).all())

    def select(self, processes: Sequence[Process]) -> Estimates:
        """Return these processes alone, in this order; ValueError where one is not there."""
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
        """Return what would have been measured without the offset of each process; without a process of unknown one."""
        known = self.select([process for process in self.processes if process in offsets])
        off = np.array([offsets[process] for process in known.processes])
        return replace(known, values=known.values - off, medians=known.medians - off, p90s=known.p90s - off)

    def less(self, shorter: Estimates, scale: float) -> Estimates:
        """Return the difference to the same kernel with fewer trips in the same processes, times `scale`."""
        return replace(
            self,
            values=(self.values - shorter.values) * scale,
            variances=(self.variances + shorter.variances) * scale**2,
            medians=(self.medians - shorter.medians) * scale,
            p90s=(self.p90s - shorter.p90s) * scale,
        )


def jackknife(rounds: Sequence[Floats]) -> float:
    """Return the variance of the fastest half's mean, from what it is without one round after the other.

    A round is the independent unit, not a sample: what slows a GPU down lasts up to 0.1 s and hits all samples of a
    round alike. NaN for a single round.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, section 11.5.
    """
    count = len(rounds)
    if count < 2:  # noqa: PLR2004  (no variance without two)
        return float("nan")
    times = np.concatenate(rounds)
    owner = np.repeat(np.arange(count), list(map(len, rounds)))
    order = np.argsort(times, kind="stable")
    times, owner = times[order], owner[order]
    without = np.array([_faster_half_of_sorted(times[owner != left_out]) for left_out in range(count)])
    return float((count - 1) * without.var())


def _faster_half_of_sorted(times: Floats) -> float:
    return float(times[: _half(len(times))].mean())
