"""Divide the groups of a run into windows, which are verified and sampled together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from shflbench.core.grouping import group_by
from shflbench.measure.stopping import FEWEST_ROUNDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.core.model import Suite

Item = TypeVar("Item")

# The smallest number of cases per window. On an H200 a case takes about 5 ms per round, so the fewest rounds, nine,
# take a second: slow states last up to 0.1 s and must not affect most of the rounds.
CASES = 24
# The share of a case in the time of a window, in seconds.
CASE_SECONDS = 0.005 * FEWEST_ROUNDS


def least_seconds(suite: Suite) -> float:
    """Return the approximate seconds of sampling `suite` if every case reaches its precision in the fewest rounds."""
    groups = group_by(suite.cases, lambda case: case.group)
    sizes = [sum(map(len, window)) for window in windows(groups.values())]
    return suite.rules.processes * sum(max(suite.rules.min_seconds, CASE_SECONDS * size) for size in sizes)


def windows(groups: Iterable[Sequence[Item]]) -> Iterator[list[Sequence[Item]]]:
    """Yield windows of consecutive groups with at least `CASES` cases; no group is split."""
    window: list[Sequence[Item]] = []
    for group in groups:
        window.append(group)
        if sum(map(len, window)) >= CASES:
            yield window
            window = []
    if window:
        yield window
