"""Choose the undecided cases to measure in further processes within a time budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shflbench.core.model import Case


@dataclass(frozen=True, slots=True)
class ProcessPass:
    """The cost of measuring in one process."""

    seconds: float = 0.0
    cases: int = 0

    @property
    def seconds_per_case(self) -> float:
        """The expected seconds per case in a further process; 0 if nothing was measured yet."""
        return self.seconds / self.cases if self.cases else 0.0


@dataclass(frozen=True, slots=True)
class NextPass:
    """The cases to measure in one more process, and the numbers of undecided cases that are not measured."""

    cases: frozenset[str] = frozenset()
    unaffordable: int = 0  # their processes would take longer than the budget
    unsettled: int = 0  # more processes will not settle them


# A function of the last pass that returns the cases to measure in one more process, together with their groups.
Undecided: TypeAlias = Callable[[ProcessPass], NextPass]


def affordable(
    needs: Mapping[str, int], groups: Mapping[str, Collection[Case]], seconds_per_case: float, budget: float
) -> frozenset[str]:
    """Return the cases that can be measured in all the processes that they need within `budget` seconds.

    Cases that need the fewest processes come first. Args: the number of processes that each case needs; all groups,
    because a group is measured as a whole.
    """
    group_of = {case.id: group for group, cases in groups.items() for case in cases}
    assigned: Counter[str] = Counter()  # processes, by group
    chosen = set()
    for case_id, processes in sorted(needs.items(), key=lambda item: item[1]):
        group = group_of[case_id]
        seconds = (processes - assigned[group]) * len(groups[group]) * seconds_per_case
        if seconds <= budget:
            budget -= seconds
            assigned[group] = processes
            chosen.add(case_id)
    return frozenset(chosen)
