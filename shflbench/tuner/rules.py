"""Decide which candidates are measured, and for how long: pure functions of numbers.

Kernel Tuner's strategies (random, genetic, basin hopping, Bayesian, …) search spaces that are too large to list, one
configuration after another, and optuna's successive halving stops one trial by its intermediate values. A family has
some hundred members: all are predicted, and those that are left are timed in turn, in the same rounds, so that a change
of the GPU's clock meets all of them. So none of the two serves, and halving is a few lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from shflbench.grouping import group_by
from shflbench.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from shflbench.model import Interval

# On an H200, 90% of 996 kernels of sums and of block sums, in 7 settings of 1 to 64 warps per SM, took 0.94 to 1.13
# times the predicted cycles (all: 0.83 to 1.20). In each setting, these rules kept the fastest kernel, with 13 to 36
# others of some 145: `benchmarks/tuner.md` and `benchmarks/tuner.json`.
PREDICTED_WITHIN = 1.15
MOST_MEASURED = 24  # per setting: six times as many as the first four
BEST_OF_KIND = 3  # of each are measured; of each mechanism, they are the winners: reference runs show the best of each
SURELY_SLOWER = 1.02  # twice what matters between two variants: `analysis.contest.MATTERS`
CYCLES = 200_000  # of a launch, 0.1 ms at 2 GHz: twenty times what a launch costs by itself
MOST_ITERATIONS = 1024
FEWEST_PASSES = 4  # through the unrolled loop: the time per iteration is that between launches of several lengths


@dataclass(frozen=True, slots=True)
class Rung:
    """How long a round of the tournament measures each candidate."""

    precision: float  # half-width of the interval, as a fraction of the median
    max_seconds: float
    processes: int
    best_of_kind: int  # candidates of each kind that it measures, however slow: see `RankedCandidate.kind`


# The first rung takes nine rounds, the fewest that an interval needs. Processes with the same code differ by up to 1%:
# the last rung has three. It takes most of the time, and so measures no losers but the best of each kind.
RUNGS = (Rung(0.02, 0.02, 1, BEST_OF_KIND), Rung(0.005, 0.06, 1, BEST_OF_KIND), Rung(0.002, 0.25, 3, 1))


def count_iterations(cycles: float, unroll: int) -> int:
    """Return the iterations of a launch, a power of two, whose fastest candidate takes `cycles` per iteration."""
    most = min(float(MOST_ITERATIONS), CYCLES / cycles)
    return max(FEWEST_PASSES * unroll, 1 << max(0, int(most).bit_length() - 1))


def leave_out(predicted: Mapping[str, float | None], kinds: Mapping[str, str]) -> dict[str, str]:
    """Return by candidate why it is not measured, empty for one that is; `predicted` cycles, None where unknown.

    Measured are those without a prediction, the best of each kind, and those within `PREDICTED_WITHIN` of the best.
    """
    known = {name: cycles for name, cycles in predicted.items() if cycles}
    order = sorted(known, key=lambda name: (known[name], name))
    kept = best_of_kinds(order, kinds, BEST_OF_KIND)
    first = {*order[:MOST_MEASURED]}
    reasons = dict.fromkeys(kinds, "")
    for name in order:
        slowdown = known[name] / known[order[0]]
        if name not in kept and (name not in first or slowdown > PREDICTED_WITHIN):
            reasons[name] = f"predicted to take {slowdown:.2f}× the cycles of {order[0]}"
    return reasons


def drop(times: Mapping[str, Interval], kinds: Mapping[str, str], following: Rung) -> dict[str, str]:
    """Return by candidate why the following rung does not measure it, empty if it does; times with 95% intervals.

    It measures the best of each kind, and of the faster half those that are not surely slower than the fastest.
    """
    order = sorted(times, key=lambda name: (times[name].value, name))
    kept = best_of_kinds(order, kinds, following.best_of_kind)
    half = {*order[: ceil(len(order) / 2)]}
    reasons = {}
    for name in order:
        slowdown = ratio(times[name], times[order[0]])
        stays = name in kept or (name in half and slowdown.low <= SURELY_SLOWER)
        ends = f"{slowdown.value:.3f}× ({slowdown.low:.3f}× to {slowdown.high:.3f}×)"
        reasons[name] = "" if stays else f"took {ends} the time of {order[0]}"
    return reasons


def best_of_kinds(order: Iterable[str], kinds: Mapping[str, str], count: int) -> Collection[str]:
    """Return the first `count` of each kind of the candidates in this order."""
    return {name for of_kind in group_by(order, kinds.__getitem__).values() for name in of_kind[:count]}
