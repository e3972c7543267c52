"""The times of a run's cases with their uncertainty, for intervals that hold jointly.

A value is the mean over the processes of a run. Its standard error has the parts of the rule that `compare` uses: the
noise model of the run, the rounds of this case, and what its processes differ beyond that. The quantile is that of a
joint error of 1% over all values of a claim (Bonferroni). The interval contains the median and the mean of the fastest
half: where the samples cluster around two times, both are a time of the case.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparison import Metric
from shflbench.analysis.compare.estimates import P90
from shflbench.analysis.compare.metrics import MetricValues, values_from_row, values_from_samples
from shflbench.analysis.compare.noise import ASSUMED, OFFSET_US, NoiseModel, Spread, fit_noise
from shflbench.analysis.compare.offset import offsets
from shflbench.analysis.compare.quantiles import chi2, normal, student
from shflbench.analysis.compare.rule import (
    CHANCE,
    EXCESS_ERROR,
    FAMILY_ERROR,
    FEW,
    FEWEST_ROUNDS,
    TAILS,
    Contrast,
    variance_of,
)
from shflbench.analysis.compare.sides import Side
from shflbench.core.model import Interval, Status
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.compare.estimates import Process
    from shflbench.store import Row, Run

MOST_VALUES = 1000  # of a claim with a 90th percentile: no more are expected
LONGEST_US = 1e12  # eleven days: a longer time comes from a damaged file
TIMED = {
    "time": Metric.TIME,
    "ns_per_iteration": Metric.NS_PER_ITERATION,
    "cycles_per_iteration": Metric.CYCLES_PER_ITERATION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertainValue:
    """A measured value, and what its interval is made of."""

    value: float  # as the results have it
    low: float  # of several estimates of the value
    high: float
    variance: float  # of the mean over the processes, by the noise of the run and of the case
    excess: float = 0.0  # variance of the mean, by what the processes of this case differ beyond that
    freedom: int = 0  # degrees of freedom of the spread between processes
    shifts: bool = False  # whether an offset that all launches of the run share is in the value

    def interval(self, family: int, offset_us: float = 0.0) -> Interval:
        """Return the interval that holds jointly for `family` values, if all launches took `offset_us` longer.

        It does not reach below 0: no time does.
        """
        k = quantile(family, self.freedom)
        c = student(1 - EXCESS_ERROR / 2, self.freedom) if self.excess else 0.0
        half_width = math.sqrt(k**2 * self.variance + c**2 * self.excess)
        shift = offset_us if self.shifts else 0.0
        low = max(0.0, self.low - half_width - shift)
        return Interval(self.value - shift, low, self.high + half_width - shift)


def quantile(family: int, freedom: int = 0) -> float:
    """Return the quantile for one of `family` intervals; see analysis/compare/rule.py for its constants."""
    few = FEW / freedom if freedom else 0.0
    return (TAILS + few) * normal(1 - FAMILY_ERROR / 2 / max(1, family))


class RunTimes:
    """The times of one run; its samples are read when the first value is needed."""

    def __init__(self, run: Run, side: Side | None = None) -> None:
        """Take the run, and its samples if they are known already."""
        self._run, self._given = run, side
        self._known: dict[tuple[str, str], UncertainValue | None] = {}  # by case and quantity

    @cached_property
    def side(self) -> Side:
        """The samples. ResultsError where they are damaged or do not match the rows."""
        return self._given or Side.of([self._run])

    @property
    def is_read(self) -> bool:
        """Whether a time was needed."""
        return "side" in vars(self)

    @property
    def has_samples(self) -> bool:
        """Whether the run has samples."""
        return bool(self.side.kernels)

    @cached_property
    def _offsets(self) -> Mapping[Process, float] | None:
        """How much longer the launches of a process took than those of the mean process, by the sentinels, in µs."""
        sentinels = self.side.sentinel_estimates() if self.side.sentinels else {}
        shifts = offsets(sentinels, sentinels) if sentinels else None
        return shifts.base if shifts else None

    def offset_us(self, family: int) -> float:
        """Return the largest offset that all processes may share, in µs; 0 where the noise contains it."""
        known = self._offsets
        return quantile(family) * OFFSET_US / math.sqrt(len(known)) if known else 0.0

    @cached_property
    def _times(self) -> Mapping[str, MetricValues]:
        """The time of each case in each process, without the offset of the process."""
        times = {}
        for case_id, row in self.side.rows.items():
            if row.status is Status.TIMED and row.time_us is not None and row.time_us < LONGEST_US:
                values = values_from_samples(self.side, case_id, Metric.TIME, self._offsets)
                if values is not None and values.estimates.positive:
                    times[case_id] = values
        return times

    @cached_property
    def noise(self) -> NoiseModel:
        """The noise of one process's time: fitted to the processes of the run, or assumed."""
        several = [values for values in self._times.values() if len(values.estimates) > 1]
        if several:
            spreads = [_spread(values) for values in several]
            return fit_noise([values.weights for values in several], spreads, "fitted to the processes of the run")
        return ASSUMED if self._offsets else ASSUMED.with_offsets()

    def measured(self, row: Row, quantity: str) -> UncertainValue | None:
        """Return a time or a time per iteration of a timed case; None where the run does not have it."""
        key = (row.case_id, quantity)
        if key not in self._known:
            self._known[key] = self._measure(row, quantity)
        return self._known[key]

    def _measure(self, row: Row, quantity: str) -> UncertainValue | None:
        if row.time_us is None or row.time_us >= LONGEST_US:
            return None
        if quantity == "p90":
            return self._p90(row)
        metric = TIMED[quantity]
        value: float | None = getattr(row, "time_us" if metric is Metric.TIME else metric.value)
        values = self._values(row, metric)
        if values is None or value is None:
            return None
        ends = [value, float(values.estimates.values.mean())]
        if metric is Metric.NS_PER_ITERATION and row.ns_per_iteration_low and row.ns_per_iteration_high:
            ends += [row.ns_per_iteration_low, row.ns_per_iteration_high]
        shifts = metric is Metric.TIME and self._offsets is not None
        return self._uncertain(value, ends, values, shifts=shifts)

    def _values(self, row: Row, metric: Metric) -> MetricValues | None:
        if not self.has_samples:
            return values_from_row(self.side, row.case_id, metric)
        if metric is Metric.TIME:
            values = self._times.get(row.case_id)
        else:
            values = values_from_samples(self.side, row.case_id, metric, None)
        return values if values and min(values.estimates.rounds, default=0) >= FEWEST_ROUNDS else None

    def _uncertain(self, value: float, ends: list[float], values: MetricValues, *, shifts: bool) -> UncertainValue:
        estimates = values.estimates
        processes = len(estimates)
        variance = variance_of(Contrast("", estimates, estimates, values.weights), self.noise)
        spread, excess = _spread(values), 0.0
        if spread.freedom:
            excess = max(0.0, spread.variance - chi2(1 - CHANCE, spread.freedom) / spread.freedom * variance)
        if not any(estimates.rounds):  # from a table: its interval and the noise are independent
            variance = self.noise.variance(values.weights) + float(estimates.variances[0])
        return UncertainValue(
            value=value,
            low=min(ends),
            high=max(ends),
            variance=variance / processes,
            excess=excess / processes,
            freedom=spread.freedom,
            shifts=shifts,
        )

    def _p90(self, row: Row) -> UncertainValue | None:
        """Return the 90th percentile of all samples.

        Rounds are independent, samples are not, so the ends are quantiles of the samples whose distance from 0.9 is the
        uncertainty of a share of that many rounds.
        """
        values, kernel = self._times.get(row.case_id), self.side.kernels.get(row.case_id)
        if values is None or kernel is None:
            return None
        rounds = [times for process in kernel.counts[row.iterations].values() for times in process]
        times = np.concatenate(rounds)
        margin = quantile(MOST_VALUES) * math.sqrt(P90 * (1 - P90) / len(rounds))
        value, low, high = np.quantile(times, (P90, max(0.0, P90 - margin), min(1.0, P90 + margin))).tolist()
        return self._uncertain(value, [low, high], values, shifts=self._offsets is not None)


def known_times(run: Run) -> tuple[RunTimes | None, str]:
    """Return the times of a run, None without a time; None and why, as a clause, where its samples are damaged."""
    if not any(row.time_us for row in run.rows):
        return None, ""
    times = RunTimes(run)
    try:
        times.side  # noqa: B018  (reads the samples)
    except ResultsError as error:
        return None, f"{error}; ties are decided by the intervals of the rows alone"
    return times, ""


def _spread(values: MetricValues) -> Spread:
    """Return how a case differs between the processes."""
    freedom = len(values.estimates) - 1
    return Spread(float(values.estimates.values.var(ddof=1)) if freedom else 0.0, freedom)
