"""Estimates of a case in some processes, without samples: `estimated(10.0, 10.1, 9.9)` are three processes."""

from itertools import repeat

import numpy as np

from shflbench.analysis.compare.estimates import Estimates


def estimated(*values: float, variance: float = 1e-6, rounds: int = 12, launches: int = 1) -> Estimates:
    """Return estimates of one process for each value; medians and slow samples lie 1 and 3% above it."""
    known = np.array(values)
    return Estimates(
        processes=tuple(zip(repeat(0), range(len(values)), strict=False)),
        values=known,
        variances=np.full(len(values), variance),
        medians=1.01 * known,
        p90s=1.03 * known,
        rounds=(rounds,) * len(values),
        launches=launches,
    )
