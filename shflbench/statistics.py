"""The few statistics that measuring and comparing share: pure functions of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from statistics import NormalDist, fmean, median, pvariance
from typing import TYPE_CHECKING

from shflbench.model import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Return the median of `values` with its exact distribution-free interval.

    The interval runs between two order statistics, as symmetric as their number allows, whose
    binomial coverage is at least `confidence`. Below six values no pair of order statistics covers
    95 %; the interval is then the whole range, and is known to be too narrow.

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
    """Return `numerator / denominator`; its interval covers every pair of values, so it errs wide."""
    return Interval(
        numerator.value / denominator.value,
        numerator.low / denominator.high,
        numerator.high / denominator.low,
    )


@dataclass(frozen=True, slots=True)
class Trend:
    """How values move with time."""

    slope: float  # a unit of time
    p: float  # probability of as clear a trend, up or down, among values that have none


def trend(strata: Sequence[Sequence[tuple[float, float]]]) -> Trend:
    """Return the trend that all `strata` of (time, value) share; only points of one stratum are compared.

    The slope is the median of those between two points, the test is Mann and Kendall's, corrected for ties. Both
    hold for any distribution of independent values, and a few wild ones change neither.

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
    z = max(0, abs(score) - 1) / math.sqrt(variance)  # a score moves in steps of two: meet it halfway
    return Trend(median(slopes), 2 * NormalDist().cdf(-z))


def _kendall(count: int) -> int:
    """Return 18 times the variance of the score of `count` values without ties."""
    return count * (count - 1) * (2 * count + 5)


@dataclass(frozen=True, slots=True)
class Levels:
    """Values split in two groups, the lower and the higher ones."""

    low: float  # mean of the lower ones
    high: float
    share: float  # of the higher ones among all
    distance: float  # between the means, in standard deviations within the groups


def two_levels(values: Sequence[float], smallest: float, step: float = 0.0) -> Levels | None:
    """Return the cut of `values` in two that leaves the least variance within the groups.

    Each group holds at least the share `smallest`; None where that cannot be. Values known to a `step` only have
    at least its variance. A distance of 2 makes a mixture of two normals bimodal, but the best cut through a single
    normal also has 2.6, through a uniform distribution 3.5.

    Sources: Otsu, IEEE Trans. SMC 9 (1979) 62; Ashman, Bird & Zepf, Astronomical Journal 108 (1994) 2348.
    """
    ordered = sorted(values)
    fewest = max(1, math.ceil(smallest * len(ordered)))
    # The least variance within is the largest between; running sums find it in one pass.
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
    within = sum(len(group) * pvariance(group) for group in groups) / len(ordered) + step**2 / 12
    distance = (high - low) / math.sqrt(within) if within else math.inf
    return Levels(low, high, len(groups[1]) / len(ordered), distance if high > low else 0.0)
