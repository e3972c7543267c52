"""Put the groups of a run into windows, which are verified and sampled together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from shflbench.grouping import group_by
from shflbench.measure.stopping import FEWEST_ROUNDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.model import Suite

Item = TypeVar("Item")

# Cases of a window, at least. On an H200 one takes about 5 ms a round, so that the nine rounds of a case that is soon
# settled spread over a second: slow states last up to 0.1 s and must not hit most of them.
CASES = 24
# What a case then takes of the time of a window, in seconds.
CASE_SECONDS = 0.005 * FEWEST_ROUNDS


def least_seconds(suite: Suite) -> float:
    """Return about how long sampling `suite` takes where every case reaches its precision in its first rounds."""
    groups = group_by(suite.cases, lambda case: case.group)
    sizes = [sum(map(len, window)) for window in windows(groups.values())]
    return suite.rules.processes * sum(max(suite.rules.min_seconds, CASE_SECONDS * size) for size in sizes)


def windows(groups: Iterable[Sequence[Item]]) -> Iterator[list[Sequence[Item]]]:
    """Yield the groups, those side by side together until there are `CASES` cases; no group is split."""
    window: list[Sequence[Item]] = []
    for group in groups:
        window.append(group)
        if sum(map(len, window)) >= CASES:
            yield window
            window = []
    if window:
        yield window
