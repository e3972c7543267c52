"""Measure some cases of a run longer than the others, because what they are measured for is undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shflbench.measure.job import Task
from shflbench.measure.messages import Ended, Settled
from shflbench.model import Kernel, Status
from shflbench.session.kernels import key
from shflbench.session.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.errors import KernelError
    from shflbench.measure.messages import Message
    from shflbench.model import Case, Sample
    from shflbench.session.kernels import KernelKey
    from shflbench.session.plan import Plan
    from shflbench.store import Resumed, Row


@dataclass(frozen=True, slots=True)
class Turn:
    """What measuring in one process took."""

    seconds: float = 0.0
    cases: int = 0

    @property
    def seconds_a_case(self) -> float:
        """What a further process is likely to take for each case; 0 if nothing was measured yet."""
        return self.seconds / self.cases if self.cases else 0.0


# Given the turn that was last, returns the cases to measure in one more process, with those of their groups.
Undecided: TypeAlias = Callable[[Turn], Collection[str]]


def affordable(
    needs: Mapping[str, int], groups: Mapping[str, Collection[Case]], seconds_a_case: float, budget: float
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
        seconds = (processes - given[group]) * len(groups[group]) * seconds_a_case
        if seconds <= budget:
            budget -= seconds
            given[group] = processes
            chosen.add(case_id)
    return frozenset(chosen)


class Lasting(Ledger):
    """The rows of a run that may be measured further when all is on disk.

    What a further process adds to a case counts if it brings the case to its end. A case that fails in it keeps what
    was measured before; one whose result is wrong does not.
    """

    def __init__(
        self, plan: Plan, kernels: Mapping[KernelKey, Kernel | KernelError], stopped: Resumed | None = None
    ) -> None:
        """Start as any ledger."""
        super().__init__(plan, kernels, stopped)
        self._before: dict[str, Row] = {}  # of the cases that are measured further
        self._first_further = 0  # number of the process that was the first of the last turn
        self._ended: set[str] = set()  # cases that failed in that turn
        self.lost: list[str] = []  # a sentence on each

    def forget(self, group: str) -> None:
        """Forget nothing: a further process adds to the samples of a group."""

    def lacking(self, cases: Collection[str]) -> list[Case]:
        """Return the cases of the groups of `cases` that have no kernel, as after a run was resumed."""
        return [case for case in self._with_groups(cases) if key(case) not in self._kernels]

    def further(
        self, cases: Collection[str], kernels: Mapping[KernelKey, Kernel | KernelError]
    ) -> dict[str, list[Task]]:
        """Return what is to be done to measure the groups of `cases` in one more process; `kernels` are further ones.

        Cases that have no time are left out.
        """
        self._kernels = {**self._kernels, **kernels}
        groups: dict[str, list[Task]] = {}
        for case in self._with_groups(cases):
            kernel = self._kernels.get(key(case))
            if isinstance(kernel, Kernel) and self._rows[case.id].status is Status.TIMED:
                groups.setdefault(case.group, []).append(Task(case, kernel))
        self._before = {task.case.id: self._rows[task.case.id] for tasks in groups.values() for task in tasks}
        self._first_further = 1 + max(sample.process for taken in self._taken.values() for sample in taken)
        self._ended, self.lost = set(), []
        return groups

    def take(self, message: Message) -> str:
        """Note what a message says; return the group that it finishes, empty if none."""
        match message:
            case Settled(name) if name in self._before:
                self._keep_only(name, self._taken[name][-1].process)
            case Ended(name, Status.FAILED, reason) if name in self._before:
                self._keep_only(name, None)
                self._ended.add(name)
                self._rows[name] = self._before[name]
                why = " ".join(reason.split())
                self.lost.append(f"{name} failed in a further process, and keeps what was measured before: {why}")
                return self._close(name)
        return super().take(message)

    def _keep(self, samples: Sequence[Sample]) -> None:
        """Keep nothing of a case that failed: what its last round took comes after its end."""
        super()._keep([sample for sample in samples if sample.case_id not in self._ended])

    def _with_groups(self, cases: Collection[str]) -> list[Case]:
        groups = {self._cases[name].group for name in cases}
        return [case for case in self._cases.values() if case.group in groups]

    def _keep_only(self, name: str, process: int | None) -> None:
        """Let go of what the other processes of this turn took of a case: those that crashed at another one."""
        for samples in (self._taken, self._unsaved):
            samples[name] = [
                sample for sample in samples[name] if sample.process < self._first_further or sample.process == process
            ]
