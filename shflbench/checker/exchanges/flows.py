"""The flow of values from a store to a load, as the launches of a kernel show it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.recorder import LaneRelation

if TYPE_CHECKING:
    from shflbench.checker.exchanges.combinations import Combination
    from shflbench.cuda_sources.source_lines import SourceLine


@dataclass(slots=True)
class Flow:
    """The values that a load reads from a store, both by their lines, over the launches that nobody chose."""

    store: SourceLine
    load: SourceLine
    executions: Counter[tuple[LaneRelation, int, int]] = field(default_factory=Counter)
    values: int = 0
    element: str = ""  # NumPy's type of a value, as the store has it
    combinations: set[Combination | None] = field(default_factory=set)  # with the thread's own value; None: in no way
    stored_in: set[SourceLine] = field(default_factory=set)  # lines that store the combined values

    @property
    def relations(self) -> dict[LaneRelation, int]:
        """The number of executions by a warp of each relation."""
        totals: Counter[LaneRelation] = Counter()
        for (relation, *_), count in self.executions.items():
            totals[relation] += count
        return dict(totals)

    @property
    def distances(self) -> tuple[int, ...]:
        """The distances of lanes, or the lane of a broadcast, in the order of their first execution."""
        return tuple(
            dict.fromkeys(
                distance
                for (relation, distance, *_) in self.executions
                if distance or relation is LaneRelation.BROADCAST
            )
        )

    @property
    def offered(self) -> int:
        """The most values that a lane offers in one execution."""
        return max(count for (_, _, count) in self.executions)
