"""Bootstrap intervals of the ratio of two sides' medians.

The median of a resample is an order statistic of the sample whose rank follows from a beta distribution, so that no
sample is drawn. Source: Davison & Hinkley, Bootstrap Methods and their Application, sections 2.10 (medians) and 3.8
(resampling at two levels).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.compare_power.rules import Call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shflbench.analysis.compare.estimates import Floats

RESAMPLES = 2000
TAIL = 0.005  # on each side of the interval: 99%
SEED = 20261122


def pooled_bootstrap(base: Floats, new: Floats, cases: int) -> Call:
    """Call a case if the interval of the ratio of medians, by resampling sorted samples, does not contain 1."""
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


def _medians(random: np.random.Generator, ordered: Floats) -> NDArray[np.float64]:
    """Return the lower medians of resamples with as many elements as the sample."""
    count = len(ordered)
    rank = (count + 1) // 2
    return ordered[np.floor(count * random.beta(rank, count - rank + 1, RESAMPLES)).astype(np.intp)]


def _call(base: NDArray[np.float64], new: NDArray[np.float64]) -> Call:
    low, high = np.quantile(new / base, (TAIL, 1 - TAIL))
    return Call.SLOWER if low > 1 else Call.FASTER if high < 1 else Call.NOTHING
