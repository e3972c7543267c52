"""The launches of a chain that have completed when a later one begins, and when its wait is over.

A launch of a chain is ordered after the one before it only, and only by `griddepcontrol.wait`: whether launches before
that one have completed, too, depends on what the one between does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.dependent.grid_order import GridOrder


@dataclass(frozen=True, slots=True)
class Completed:
    """Numbers of the launches of a chain that have completed, with their writes visible."""

    at_start: frozenset[int]
    after_wait: frozenset[int]


def completed_launches(grid_orders: Sequence[GridOrder]) -> list[Completed]:
    """Return for each launch of a chain which of those before it have completed.

    The first launch begins after all work before the chain. A later one begins when each block of the one before has
    triggered or ended. If one of these blocks does so only after a wait, what that wait waits for has completed.
    """
    result = [Completed(frozenset(), frozenset())]
    whole = [frozenset({0})]  # of each launch, what has completed when it has
    for number in range(1, len(grid_orders)):
        before, order = grid_orders[number - 1], grid_orders[number]
        at_start = result[-1].at_start
        if number > 1 and before.begins_next_after_wait:
            at_start |= whole[number - 2]
        result.append(Completed(at_start, at_start | whole[number - 1]))
        at_least = frozenset({number}) | at_start
        whole.append(at_least | whole[number - 1] if order.waits else at_least)
    return result
