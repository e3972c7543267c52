"""The few statistics that measuring and comparing share: pure functions of numbers."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median
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


def widened(interval: Interval, by: float) -> Interval:
    """Return `interval` with both ends moved outwards by `by`."""
    return Interval(interval.value, interval.low - by, interval.high + by)


def ratio(numerator: Interval, denominator: Interval) -> Interval:
    """Return `numerator / denominator`; its interval covers every pair of values, so it errs wide."""
    return Interval(
        numerator.value / denominator.value,
        numerator.low / denominator.high,
        numerator.high / denominator.low,
    )
