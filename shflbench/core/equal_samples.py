"""Find two processes that hold one measurement (pure functions of arrays)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

ROUNDING = 1e-6  # a run folder has seven digits of a time
# A coarse timer gives processes of few samples equal times by chance: all of 4 samples of two values in 1 of 16 pairs.
CHANCE = 1e-3
FEWEST_DISTINCT = 3  # samples of a case without equal values: the timer is finer than the noise


def find_equal(processes: Sequence[Mapping[str, Floats]]) -> tuple[int, int] | None:
    """Return the places of two processes whose samples are equal in all common cases, beyond chance; None without.

    A process is its samples by case, in the order of measuring.
    """
    firsts = [{name: float(times[0]) for name, times in process.items()} for process in processes]
    for first, second in combinations(range(len(processes)), 2):
        common = firsts[first].keys() & firsts[second].keys()
        if not common or any(_differ(firsts[first][name], firsts[second][name]) for name in common):
            continue
        pairs = [(processes[first][name], processes[second][name]) for name in common]
        if all(_equal(*pair) for pair in pairs) and _is_beyond_chance([times for times, _ in pairs]):
            return first, second
    return None


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > ROUNDING * abs(one)


def _equal(one: Floats, other: Floats) -> bool:
    return len(one) == len(other) and np.allclose(one, other, rtol=ROUNDING, atol=0)


def _is_beyond_chance(cases: Sequence[Floats]) -> bool:
    """Whether a second measurement hardly repeats these samples, each in its place."""
    chance = 1.0
    for times in cases:
        shares = np.unique(times, return_counts=True)[1] / len(times)
        if len(shares) == len(times) >= FEWEST_DISTINCT:
            return True
        chance *= float((shares**2).sum()) ** len(times)
    return chance < CHANCE
