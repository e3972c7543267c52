"""Rules of other tools that compare timings, as pure functions of the times of two sides.

Each takes the sorted times of base and new in µs and the number of cases of the suite.
"""

from __future__ import annotations

import math
from enum import Enum
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from shflbench.analysis.compare.estimates import Floats

SIGNIFICANT = 0.01
NORMAL = NormalDist()


class Call(Enum):
    """The result of a rule for a case."""

    SLOWER = "slower"
    FASTER = "faster"
    NOTHING = "nothing"
    AMBIGUOUS = "ambiguous"


def _way(new: float, base: float) -> Call:
    return Call.SLOWER if new > base else Call.FASTER


def legacy(base: Floats, new: Floats, cases: int) -> Call:
    """Call a case by NVBench's first rule: the means differ by more than the smaller relative standard deviation.

    Source: python/scripts/nvbench_compare.py, `compare_benches`; nvbench/detail/statistics.cuh, `standard_deviation`.
    """
    del cases
    before, after = float(base.mean()), float(new.mean())
    noise = min(float(base.std(ddof=1)) / before, float(new.std(ddof=1)) / after)
    return _way(after, before) if noise and abs(after - before) / before > noise else Call.NOTHING


# Its preset `default`: the gap at which two ranges differ, the distance up to which medians are the same, the share of
# the narrower range that the other must overlap, and the largest scatter for which that holds.
GAP, CLOSE, OVERLAP, SCATTER = 0.005, 0.005, 0.5, 0.02


def robust(base: Floats, new: Floats, cases: int) -> Call:
    """Call a case by NVBench's second rule, from its summaries: ranges from the minimum to the third quartile.

    The clock, which it also checks, is the same here. With samples it decides on "same" in another way.
    Source: docs/nvbench_compare_robust.md, "Decision Tree"; python/scripts/nvbench_compare_robust.py.
    """
    del cases
    (low, center, high), (new_low, new_center, new_high) = before, after = _range(base), _range(new)
    if new_low > high and (new_low - high) / high >= GAP:
        return Call.SLOWER
    if new_high < low and (low - new_high) / new_high >= GAP:
        return Call.FASTER
    quiet = max(_scatter(base), _scatter(new)) <= SCATTER
    close = abs(center - new_center) / min(center, new_center) <= CLOSE
    shared = min(high, new_high) - max(low, new_low)
    narrow = min(each[2] - each[0] for each in (before, after))
    overlap = shared >= 0 if narrow == 0 else shared / narrow >= OVERLAP
    return Call.NOTHING if quiet and close and overlap else Call.AMBIGUOUS


def _quartile(times: Floats, quarter: int) -> float:
    """Return a quartile of sorted times as NVBench does, which does not interpolate."""
    return float(times[round(quarter / 4 * (len(times) - 1))])


def _range(times: Floats) -> tuple[float, float, float]:
    return float(times[0]), _quartile(times, 2), _quartile(times, 3)


def _scatter(times: Floats) -> float:
    return (_quartile(times, 3) - _quartile(times, 1)) / _quartile(times, 2)


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


def _z(base: Floats, new: Floats) -> float:
    """Return Mann and Whitney's U as a normal deviate, corrected for ties; above 0 where `new` is larger.

    Source: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, section 4.1.
    """
    below = (np.searchsorted(base, new, "left") + np.searchsorted(base, new, "right")).sum() / 2
    pairs, count = len(base) * len(new), len(base) + len(new)
    ties = np.unique(np.concatenate([base, new]), return_counts=True)[1]
    variance = pairs / 12 * (count + 1 - float((ties**3 - ties).sum()) / (count * (count - 1)))
    return float(below - pairs / 2) / math.sqrt(variance) if variance > 0 else 0.0


Rule: TypeAlias = "Callable[[Floats, Floats, int], Call]"

RULES: Mapping[str, Rule] = {
    "NVBench, legacy script: means differ by more than the smaller standard deviation": legacy,
    "NVBench, robust script, by its summaries": robust,
    "medians differ by more than 2%": partial(medians, by=0.02),
    "medians differ by more than 5%": partial(medians, by=0.05),
    "95% intervals of the medians do not overlap": intervals,
    "Mann-Whitney, p < 0.01": partial(mann_whitney, bonferroni=False),
    "Mann-Whitney, p < 0.01 with Bonferroni's correction": partial(mann_whitney, bonferroni=True),
}
