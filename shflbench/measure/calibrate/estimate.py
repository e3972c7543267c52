"""The value of a figure from the times of its kernel: pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from shflbench.core.model import Interval
from shflbench.core.statistics import median_interval, widen
from shflbench.measure.calibrate.probe import Formula
from shflbench.measure.rounds import USUAL_STEP_US

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class TimedLength:
    """The median time of a launch with a number of passes through its loop, and the SM clock meanwhile."""

    passes: int  # or launches, where these are varied
    time_us: float
    clock_mhz: float | None

    @property
    def clocks(self) -> float | None:
        """The time in clocks of the SM; None if its clock is unknown."""
        return None if self.clock_mhz is None else self.time_us * self.clock_mhz


@dataclass(frozen=True, slots=True)
class LengthPair:
    """One round of a figure: two lengths, one after the other; `work` per pass as the figure counts it."""

    long: TimedLength
    short: TimedLength
    work: float

    def value(self, formula: Formula) -> float | None:
        """Return the figure by this round; None if the clock is unknown, or if the longer launch was not slower."""
        passes = self.long.passes - self.short.passes
        us = (self.long.time_us - self.short.time_us) / passes
        if us <= 0:
            return None
        if formula is Formula.WORK_PER_SECOND:
            return self.work / us * 1e6
        if formula is Formula.PER_LAUNCH:
            return us
        if formula is Formula.INTERCEPT:
            return self.short.time_us - us * self.short.passes
        if self.long.clocks is None or self.short.clocks is None or self.long.clocks <= self.short.clocks:
            return None
        clocks = (self.long.clocks - self.short.clocks) / passes
        return self.work / clocks if formula is Formula.WORK_PER_CLOCK else clocks / self.work

    @property
    def relative_step(self) -> float:
        """The step of the timer, as a fraction of the difference of the two times."""
        return USUAL_STEP_US / abs(self.long.time_us - self.short.time_us)


def estimate(rounds: Sequence[Sequence[LengthPair]], formula: Formula) -> Interval | None:
    """Return the median of the rounds of one process with its 95% interval; None if no round has a value.

    The value of a round is the median of its pairs. The interval is widened by half a step of the timer at either end:
    all rounds may have the same error. It holds for the process that measured; others may differ by more.
    """
    kept = [[(pair, value) for pair in pairs if (value := pair.value(formula)) is not None] for pairs in rounds]
    values = [median(value for _, value in taken) for taken in kept if taken]
    if not values:
        return None
    interval = median_interval(values)
    step = max(pair.relative_step for taken in kept for pair, _ in taken)
    return widen(interval, USUAL_STEP_US / 2 if formula is Formula.INTERCEPT else abs(interval.value) * step / 2)


def over_processes(intervals: Sequence[Interval]) -> Interval:
    """Return the median of the values of several processes, and an interval that spans those of all of them.

    The range of three values alone covers the median of all processes with 75%. ValueError for no intervals.
    """
    low, high = min(interval.low for interval in intervals), max(interval.high for interval in intervals)
    return Interval(median(interval.value for interval in intervals), low, high)
