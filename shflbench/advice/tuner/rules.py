"""Decide which candidates are measured, and for how long: pure functions of numbers.

Kernel Tuner's strategies (random, genetic, basin hopping, Bayesian, …) search spaces that are too large to list, one
configuration after another, and optuna's successive halving stops one trial by its intermediate values. A family has
some hundred members: all are predicted, and those that are left are timed in turn, in the same rounds, so that a change
of the GPU's clock meets all of them. So none of the two serves, and halving is a few lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.model import Interval
from shflbench.core.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

# On an H200, 90% of 996 kernels of sums and of block sums, in 7 settings of 1 to 64 warps per SM, took 0.94 to 1.13
# times the predicted cycles (all: 0.83 to 1.20). In each setting, these rules kept the fastest kernel, with 9 to 33
# others of some 145: `benchmarks/earlier.md`.
PREDICTED_WITHIN = 1.15
MOST_MEASURED = 24  # per setting: all kernels within 1% of the fastest were among the first nine
BEST_OF_KIND = 2  # of each are measured: the faster took at most 2.6% longer than the best of the kind
BEST_OF_MECHANISM = 3  # of each are winners: reference runs show the best of each
SURELY_SLOWER = 1.02  # twice what matters between two variants: `analysis.ranking.TIE`
SURELY_NOT_FASTER = 0.995  # half of what matters: the rest is for what further processes may differ
PER_RUNG = 0.01  # of a time, which processes with the same code differ by
CYCLES = 200_000  # of a launch, 0.1 ms at 2 GHz: twenty times what a launch costs by itself
MOST_ITERATIONS = 1024
FEWEST_PASSES = 4  # through the unrolled loop: the time per iteration is that between launches of several lengths


@dataclass(frozen=True, slots=True)
class Rung:
    """How long a round of the tournament measures each candidate."""

    precision: float  # half-width of the interval, as a fraction of the median
    max_seconds: float
    processes: int
    most: int  # candidates that it measures, beside the fastest member and the fastest variant of the pattern


# Each process warms up first. The first rung takes few rounds of sampling: kernels that differ by what is surely
# slower, 2%, differ in each round, of which the times vary by 0.1 to 0.3% on an H200. Processes with the same code
# differ by up to 1%, so the second has two of them, and with them the rounds that an interval needs; the last has
# three, and measures only what the second could not decide. `benchmarks/earlier.md` has the GPU time of these rules.
RUNGS = (Rung(0.02, 0.01, 1, MOST_MEASURED), Rung(0.005, 0.02, 2, 6), Rung(0.002, 0.02, 3, 3))


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


def drop(times: Mapping[str, Interval], members: Collection[str], following: Rung) -> dict[str, str]:
    """Return by candidate why the following rung does not measure it, empty if it does; times with 95% intervals.

    It measures the fastest `most` that are not surely slower than the fastest, and the fastest of the `members` of the
    family and of the pattern's variants, so that what the family gains is known. A time without an interval is not
    surely slower.
    """
    order = sorted(times, key=lambda name: (times[name].value, name))
    slowdowns = {name: _slowdown(times[name], times[order[0]]) for name in order}
    near = [name for name in order if not slowdowns[name].low > SURELY_SLOWER]
    kept = best_of_kinds(order, {name: str(name in members) for name in order}, 1)
    stays = {*near[: following.most], *kept}
    return {name: "" if name in stays else f"took {_text(slowdowns[name])} the time of {order[0]}" for name in order}


def is_decided(times: Mapping[str, Interval]) -> bool:
    """Return whether more time would change the choice by less than what matters: no other may be faster by as much.

    Whether others are as fast, or slower, may be open. A time without an interval decides nothing.
    """
    fastest = min(times, key=lambda name: (times[name].value, name))
    slowdowns = [_slowdown(times[name], times[fastest]) for name in times if name != fastest]
    return all(one.low >= SURELY_NOT_FASTER for one in slowdowns)


def rank_time(time_us: float, rung: int) -> float:
    """Return the number by which times of several rungs are ordered: those of earlier rungs count 1% more per rung.

    Processes differ by as much. A candidate that a later rung measured may still be the slower one: the fastest member
    and the fastest variant always stay.
    """
    return time_us * (1 + PER_RUNG * (len(RUNGS) - rung))


def best_of_kinds(order: Iterable[str], kinds: Mapping[str, str], count: int) -> Collection[str]:
    """Return the first `count` of each kind of the candidates in this order."""
    return {name for of_kind in group_by(order, kinds.__getitem__).values() for name in of_kind[:count]}


def _slowdown(time: Interval, fastest: Interval) -> Interval:
    if time.is_known and fastest.is_known:
        return ratio(time, fastest)
    return Interval.unknown(time.value / fastest.value)


def _text(slowdown: Interval) -> str:
    ends = f" ({slowdown.low:.3f}× to {slowdown.high:.3f}×)" if slowdown.is_known else ""
    return f"{slowdown.value:.3f}×{ends}"
