"""Textbook rules that compare timings, as pure functions of the times of two sides.

Each takes the sorted times of base and new in µs and the number of cases of the suite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from benchmarks.compare_power.recording import Floats

SIGNIFICANT = 0.01
RESAMPLES = 2000
TAIL = 0.005  # on each side of the interval: 99%
SEED = 20261122
NORMAL = NormalDist()


class Call(Enum):
    """The result of a rule for a case."""

    SLOWER = "slower"
    FASTER = "faster"
    NOTHING = "nothing"


def _way(new: float, base: float) -> Call:
    return Call.SLOWER if new > base else Call.FASTER


def medians(base: Floats, new: Floats, cases: int, by: float) -> Call:
    """Call a case if the medians differ by more than the fraction `by`."""
    del cases
    before, after = float(np.median(base)), float(np.median(new))
    return _way(after, before) if abs(after / before - 1) > by else Call.NOTHING


def intervals(base: Floats, new: Floats, cases: int) -> Call:
    """Call a case if the 95% intervals of the two medians do not overlap.

    Source: David & Nagaraja, Order Statistics, section 7.1, with the normal approximation of the binomial distribution.
    """
    del cases
    (low, high), (new_low, new_high) = (_interval(each) for each in (base, new))
    return _way(new_low, low) if new_low > high or new_high < low else Call.NOTHING


def _interval(times: Floats) -> tuple[float, float]:
    count = len(times)
    rank = max(0, math.floor((count - NORMAL.inv_cdf(0.975) * math.sqrt(count)) / 2))
    return float(times[rank]), float(times[count - 1 - rank])


def mann_whitney(base: Floats, new: Floats, cases: int, *, bonferroni: bool) -> Call:
    """Call a case if Mann and Whitney's test is significant at 1%, or at 1% for all cases together."""
    level = SIGNIFICANT / cases if bonferroni else SIGNIFICANT
    z = _z(base, new)
    return _way(z, 0.0) if 2 * NORMAL.cdf(-abs(z)) < level else Call.NOTHING


def significant_and_large(base: Floats, new: Floats, cases: int, by: float) -> Call:
    """Call a case if Mann and Whitney's test is significant for all cases together, and medians differ by `by`."""
    tested = mann_whitney(base, new, cases, bonferroni=True)
    return tested if tested is medians(base, new, cases, by) else Call.NOTHING


def _z(base: Floats, new: Floats) -> float:
    """Return Mann and Whitney's U as a normal deviate, corrected for ties; above 0 where `new` is larger.

    Source: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, section 4.1.
    """
    below = (np.searchsorted(base, new, "left") + np.searchsorted(base, new, "right")).sum() / 2
    pairs, count = len(base) * len(new), len(base) + len(new)
    ties = np.unique(np.concatenate([base, new]), return_counts=True)[1]
    variance = pairs / 12 * (count + 1 - float((ties**3 - ties).sum()) / (count * (count - 1)))
    return float(below - pairs / 2) / math.sqrt(variance) if variance > 0 else 0.0


def pooled_bootstrap(base: Floats, new: Floats, cases: int) -> Call:
    """Call a case if the interval of the ratio of medians, by resampling sorted samples, does not contain 1.

    The median of a resample is an order statistic of the sample whose rank follows from a beta distribution, so that no
    sample is drawn. Source: Davison & Hinkley, Bootstrap Methods and their Application, sections 2.10 (medians) and 3.8
    (resampling at two levels).
    """
    del cases
    random = np.random.default_rng(SEED)
    return _call(*(_medians(random, side) for side in (base, new)))


def hierarchical_bootstrap(base: Sequence[Floats], new: Sequence[Floats]) -> Call:
    """Call a case by such an interval, resampling the processes of each side, and the sorted samples of each process.

    A side's value is the mean of the medians of its processes.
    """
    random = np.random.default_rng(SEED)
    values = []
    for side in (base, new):
        medians = np.stack([_medians(random, times) for times in side])
        chosen = random.integers(0, len(side), medians.shape)
        values.append(np.take_along_axis(medians, chosen, axis=0).mean(axis=0))
    return _call(*values)


def _medians(random: np.random.Generator, ordered: Floats) -> Floats:
    """Return the lower medians of resamples with as many elements as the sample."""
    count = len(ordered)
    rank = (count + 1) // 2
    return ordered[np.floor(count * random.beta(rank, count - rank + 1, RESAMPLES)).astype(np.intp)]


def _call(base: Floats, new: Floats) -> Call:
    low, high = np.quantile(new / base, (TAIL, 1 - TAIL))
    return Call.SLOWER if low > 1 else Call.FASTER if high < 1 else Call.NOTHING


Rule: TypeAlias = "Callable[[Floats, Floats, int], Call]"

RULES: Mapping[str, Rule] = {
    "medians differ by more than 2%": partial(medians, by=0.02),
    "medians differ by more than 5%": partial(medians, by=0.05),
    "95% intervals of the medians do not overlap": intervals,
    "Mann-Whitney, p < 0.01": partial(mann_whitney, bonferroni=False),
    "Mann-Whitney, p < 0.01 with Bonferroni's correction": partial(mann_whitney, bonferroni=True),
    "Mann-Whitney, corrected, and medians differ by more than 1%": partial(significant_and_large, by=0.01),
    "bootstrap of medians, 99% interval without 0": pooled_bootstrap,
}
