"""Measure on the recordings what makes a time differ: the process, the opening of the kernel, or the round.

    python -m benchmarks.compare_power.places                 prints two tables
    python -m benchmarks.compare_power.places --record FILE   also writes them as a page

A process of a slowed suite opens each kernel six times, with 0, 1, 2, 3, 5 and 10% more iterations: it loads the code
and allocates the buffers anew. What six openings of a process have in common belongs to the process, what they do not
to the opening.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.compare_power.__main__ import RECORDED, recordings
from benchmarks.compare_power.batch import load
from benchmarks.compare_power.markdown import table
from benchmarks.compare_power.suite import PERCENT_MORE
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.analysis.compare.offset import offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.compare_power.batch import Batch
    from shflbench.analysis.compare.pool import Pool

LONGEST_US = 60.0  # of the short kernels; the rounds of longer ones differ by more than their openings
DRAWS, PER_SIDE, SEED = 1500, 3, 0

HEAD = """\
# What makes times differ: process, opening, round

Written by `python -m benchmarks.compare_power.places --record benchmarks/places.md`; do not edit. [How we
time](../docs/explanation/how-we-time.md) explains the terms.
"""


class Components(NamedTuple):
    """Standard deviations of the time of one case, in ns."""

    process: float  # that all openings in a process share, without the offset that the sentinels measure
    opening: float  # of code and buffers, in one process
    rounds: float  # of the value of one opening, from its rounds


def components(values_us: NDArray[np.float64], variances: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the variances of process, opening and rounds, in µs².

    `values_us` and the variance of each from its rounds have the shape [openings, processes]. Source: the two-way
    analysis of variance without replication, Scheffé, The Analysis of Variance, 1959, section 4.2.
    """
    openings, processes = values_us.shape
    centered = values_us - values_us.mean(axis=1, keepdims=True)
    means = centered.mean(axis=0)
    within = ((centered - means) ** 2).sum() / ((openings - 1) * (processes - 1))
    between = openings * (means**2).sum() / (processes - 1)
    rounds = float(np.nanmean(variances))
    return float(between - within) / openings, float(within) - rounds, rounds


def of_batches(batches: Sequence[Batch]) -> dict[str, tuple[float, Components]]:
    """Return the mean time in µs and the components of each case that has slowed copies, over all batches."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for batch in batches:
        processes = batch.processes(PERCENT_MORE[-1])
        pools = [batch.pool(percent).select(processes) for percent in (0, *PERCENT_MORE)]
        offset_us = np.mean([offsets_of(pool) for pool in pools], axis=0)
        for case_id in pools[-1].cases:
            times = np.array([pool.cases[case_id].values for pool in pools]) - offset_us
            variances = np.array([pool.cases[case_id].variances for pool in pools])
            found.setdefault(case_id, []).append((float(times[0].mean()), *components(times, variances)))
    means = {case_id: np.mean(several, axis=0).tolist() for case_id, several in found.items()}
    return {
        case_id: (time_us, Components(*(1000 * math.sqrt(max(0.0, variance)) for variance in variances)))
        for case_id, (time_us, *variances) in means.items()
    }


def offsets_of(pool: Pool) -> list[float]:
    """Return the offset of each process, in µs."""
    shifts = offsets(pool.sentinels, pool.sentinels)
    assert shifts is not None  # noqa: S101  (every batch has all sentinels)
    return list(shifts.base.values())


def largest_differences(batches: Sequence[Batch]) -> dict[str, tuple[float, float]]:
    """Return the time of each case that waits for memory, and the largest difference of two sides, in µs."""
    found: dict[str, list[tuple[float, float]]] = {}
    random = np.random.default_rng(SEED)
    for batch in batches:
        pool = batch.pool()
        draws = [random.permutation(len(pool.processes))[: 2 * PER_SIDE] for _ in range(DRAWS)]
        cases = subtract_offsets(pool)
        for case_id in sorted(pool.passes | pool.chains):
            values = cases[case_id].values
            sides = [(values[draw[:PER_SIDE]].mean(), values[draw[PER_SIDE:]].mean()) for draw in draws]
            largest = max(abs(float(new - base)) for base, new in sides)
            found.setdefault(case_id, []).append((float(values.mean()), largest))
    return {case_id: (several[0][0], max(most for _, most in several)) for case_id, several in found.items()}


def page(batches: Sequence[Batch]) -> str:
    """Return both tables."""
    by_case = of_batches(batches)
    chains = frozenset().union(*(batch.pool().chains for batch in batches))
    rows = [
        (f"`{case_id}`", f"{time_us:.4g}", *(f"{part:.0f}" for part in parts))
        for case_id, (time_us, parts) in sorted(by_case.items(), key=lambda item: item[1][0])
        if time_us < LONGEST_US or case_id in chains
    ]
    share = math.sqrt(2 / PER_SIDE)
    differences = [
        (f"`{case_id}`", f"{time_us:.4g}", f"{most:.3f}", f"{most / share:.3f}", f"{100 * most / share / time_us:.2f}%")
        for case_id, (time_us, most) in sorted(largest_differences(batches).items())
    ]
    return "\n".join(
        [
            HEAD,
            f"Standard deviations in ns, means over {len(batches)} batches. The offset of the process, which",
            "the sentinels measure, is subtracted; part of the process column is the error of that offset.\n",
            table(["case", "µs", "process", "opening", "rounds"], rows),
            "",
            f"Kernels that wait for memory: the largest difference in µs between two sides of {PER_SIDE} processes of",
            f"unchanged code, in {DRAWS} draws from each batch; divided by √(2/{PER_SIDE}); and that as a fraction.\n",
            table(["case", "µs", "difference", "for one process", "fraction"], differences),
            "",
        ]
    )


def main() -> None:
    """Print the page, and write it if requested."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", type=Path, metavar="FILE", help="also write the page to this Markdown file")
    options = parser.parse_args()
    text = page(load(recordings(RECORDED)))
    print(text, end="")
    if options.record:
        options.record.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
