"""Statistics that measuring and comparing share (pure functions)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from statistics import NormalDist, fmean, median
from typing import TYPE_CHECKING

from shflbench.core.model import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Return the median of `values` with its exact distribution-free interval.

    The interval lies between two order statistics, as symmetric as their number allows, whose
    binomial coverage is at least `confidence`. Below six values no pair of order statistics covers
    95%: the interval is then the whole range, which is too narrow.

    Source: David & Nagaraja, Order Statistics, 3rd edition, section 7.1.
    Raises ValueError for no values.
    """
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    rank = _lower_rank(len(ordered), confidence)
    return Interval(median(ordered), ordered[rank], ordered[len(ordered) - 1 - rank])


@cache
def _lower_rank(count: int, confidence: float) -> int:
    """Return the largest index r such that (r, count-1-r) covers the median with `confidence`."""
    tail = 0.0
    rank = 0
    for r in range(count // 2):
        tail += math.comb(count, r) / 2**count  # P(Binomial(count, 1/2) ≤ r)
        if 1 - 2 * tail < confidence:
            break
        rank = r
    return rank


def resolution(values: Sequence[float]) -> float:
    """Return the step of the timer that gave `values`: the smallest difference between two of them, 0 if all agree."""
    ordered = sorted(values)
    return min((after - before for before, after in pairwise(ordered) if after > before), default=0.0)


def widen(interval: Interval, by: float) -> Interval:
    """Return `interval` with both ends moved outwards by `by`."""
    return Interval(interval.value, interval.low - by, interval.high + by)


def ratio(numerator: Interval, denominator: Interval) -> Interval:
    """Return `numerator / denominator` with an interval that covers each pair of values, which is conservative."""
    return Interval(
        numerator.value / denominator.value,
        numerator.low / denominator.high,
        numerator.high / denominator.low,
    )


@dataclass(frozen=True, slots=True)
class Trend:
    """A monotonic trend of values over time."""

    slope: float  # per unit of time
    p: float  # two-sided p-value


def trend(strata: Sequence[Sequence[tuple[float, float]]]) -> Trend:
    """Return the trend that all `strata` of (time, value) share; only points of one stratum are compared.

    The slope is the median of the slopes between two points, the test is Mann and Kendall's, corrected for ties. Both
    are valid for any distribution of independent values, and robust against a few outliers.

    Sources: Sen, JASA 63 (1968) 1379; Hirsch, Slack & Smith, Water Resources Research 18 (1982) 107.
    """
    slopes: list[float] = []
    score, variance = 0, 0.0
    for points in strata:
        pairs = [(t1 - t0, v1 - v0) for (t0, v0), (t1, v1) in combinations(sorted(points), 2) if t1 > t0]
        slopes += [dv / dt for dt, dv in pairs]
        score += sum((dv > 0) - (dv < 0) for _, dv in pairs)
        ties = {value: 0 for _, value in points}
        for _, value in points:
            ties[value] += 1
        variance += (_kendall(len(points)) - sum(map(_kendall, ties.values()))) / 18
    if not slopes or variance <= 0:
        return Trend(0.0, 1.0)
    z = max(0, abs(score) - 1) / math.sqrt(variance)  # continuity correction: the score has steps of two
    return Trend(median(slopes), 2 * NormalDist().cdf(-z))


def _kendall(count: int) -> int:
    """Return 18 times the variance of the score of `count` values without ties."""
    return count * (count - 1) * (2 * count + 5)


@dataclass(frozen=True, slots=True)
class Levels:
    """Values split in two groups, the lower and the higher ones."""

    low: float  # mean of the lower group
    high: float  # mean of the higher group
    share: float  # of the higher group among all values
    distance: float  # between the means, in standard deviations within the groups


def two_levels(values: Sequence[float], smallest: float, step: float = 0.0) -> Levels | None:
    """Return the split of `values` into two groups that minimizes the variance within the groups.

    Each group has at least the share `smallest`; None if that is impossible. Values with a resolution of `step` have at
    least its variance. A distance of 2 makes a mixture of two normal distributions bimodal, but the best split of a
    single normal distribution also has 2.6, that of a uniform distribution 3.5.

    Sources: Otsu, IEEE Trans. SMC 9 (1979) 62; Ashman, Bird & Zepf, Astronomical Journal 108 (1994) 2348.
    """
    ordered = sorted(values)
    fewest = max(1, math.ceil(smallest * len(ordered)))
    # The minimum of the variance within is the maximum of the variance between; running sums find it in one pass.
    total, below = math.fsum(ordered), 0.0
    best, cut = -1.0, 0
    for index, value in enumerate(ordered[: len(ordered) - fewest], start=1):
        below += value
        between = index * (len(ordered) - index) * ((total - below) / (len(ordered) - index) - below / index) ** 2
        if index >= fewest and between > best:
            best, cut = between, index
    if not cut:
        return None
    groups = ordered[:cut], ordered[cut:]
    low, high = map(fmean, groups)
    squares = ((value - mean) ** 2 for group, mean in zip(groups, (low, high), strict=True) for value in group)
    within = math.fsum(squares) / len(ordered) + step**2 / 12
    distance = (high - low) / math.sqrt(within) if within else math.inf
    return Levels(low, high, len(groups[1]) / len(ordered), distance if high > low else 0.0)
