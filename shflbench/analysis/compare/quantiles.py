"""Quantiles of the distributions that the rule needs (scipy would be a large dependency for five numbers)."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

_NORMAL = NormalDist()


def normal(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return _NORMAL.inv_cdf(probability)


def chi2_median(freedom: int) -> float:
    """Return the median of χ² / its degrees of freedom: half of all estimates of a variance of 1 lie below it."""
    return chi2(0.5, freedom) / freedom


@cache
def chi2(probability: float, freedom: int) -> float:
    """Return the quantile of the χ² distribution.

    Computed by bisection on the series of the regularized incomplete gamma function.
    Source: Abramowitz & Stegun, Handbook of Mathematical Functions, 26.4.6 and 6.5.29.
    """
    low, high = 0.0, freedom + 20.0 * math.sqrt(2.0 * freedom)
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _chi2_below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _chi2_below(value: float, freedom: int) -> float:
    shape, x = freedom / 2, value / 2
    if x == 0:
        return 0.0
    term = total = 1 / shape
    index = shape
    while term > 1e-12 * total:
        index += 1
        term *= x / index
        total += term
    return total * math.exp(shape * math.log(x) - x - math.lgamma(shape))


@cache
def student(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution above its median.

    Source: Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4 for the distribution.
    """
    low, high = 0.0, 1.0
    while _student_below(high, freedom) < probability:
        high *= 2
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _student_below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _student_below(value: float, freedom: int) -> float:
    angle = math.atan(value / math.sqrt(freedom))
    cosine2 = math.cos(angle) ** 2
    term = total = 1.0
    if freedom % 2:
        for even in range(2, freedom - 1, 2):
            term *= cosine2 * even / (even + 1)
            total += term
        tail = math.sin(angle) * math.cos(angle) * total if freedom > 1 else 0.0
        within = 2 / math.pi * (angle + tail)
    else:
        for odd in range(1, freedom - 2, 2):
            term *= cosine2 * odd / (odd + 1)
            total += term
        within = math.sin(angle) * total
    return (1 + within) / 2
