"""Choose the cases that are worth measuring in further processes, because what they are measured for is undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.model import Case


@dataclass(frozen=True, slots=True)
class ProcessPass:
    """What measuring in one process took."""

    seconds: float = 0.0
    cases: int = 0

    @property
    def seconds_per_case(self) -> float:
        """What a further process is likely to take for each case; 0 if nothing was measured yet."""
        return self.seconds / self.cases if self.cases else 0.0


# Given the last pass, returns the cases to measure in one more process, with those of their groups.
Undecided: TypeAlias = Callable[[ProcessPass], Collection[str]]


def affordable(
    needs: Mapping[str, int], groups: Mapping[str, Collection[Case]], seconds_per_case: float, budget: float
) -> frozenset[str]:
    """Return the cases that can be given all the further processes that they need in `budget` seconds.

    Args: how many processes each case needs; all groups, which are measured as a whole. The cases that need the fewest
    come first.
    """
    group_of = {case.id: group for group, cases in groups.items() for case in cases}
    given: Counter[str] = Counter()  # processes, by group
    chosen = set()
    for case_id, processes in sorted(needs.items(), key=lambda item: item[1]):
        group = group_of[case_id]
        seconds = (processes - given[group]) * len(groups[group]) * seconds_per_case
        if seconds <= budget:
            budget -= seconds
            given[group] = processes
            chosen.add(case_id)
    return frozenset(chosen)
