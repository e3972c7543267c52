"""How many instructions the runs of one kernel may take: the same on every machine, so that the report is, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.emulator.file_budget import NEVER, FileBudget

if TYPE_CHECKING:
    from shflbench.emulator.machine.launch import EmulatedLaunch

# Instructions, as `Scheduler.work` counts them, after which no further run begins: two to four seconds of a CPU. A
# typical kernel has 50,000 in all its runs.
MOST_WORK = 400_000
MOST_WITH_NEXT = 1.5  # likewise, in proportion, if the next run takes as many as the longest one before
MOST_PATIENT = 1_200_000  # until the end of the first launch, in lockstep
CERTAIN = 4  # times as many, if its loops end whatever the values are that nobody gave
FULL_KERNELS = 2  # of a file, each of which has all of it; several share it
LEAST_SHARE = 0.2
LEAST_PATIENT_SHARE = 0.5


@dataclass(slots=True)
class RunBudget:
    """The instructions of one kernel, and how many of them are spent."""

    most: int = MOST_WORK
    most_patient: int = MOST_PATIENT
    spent: float = 0.0
    longest: float = 0.0  # of one run
    of_file: FileBudget = NEVER

    @classmethod
    def shared_by(cls, kernels: int, of_file: FileBudget = NEVER) -> RunBudget:
        """Return the budget of each kernel of a file with so many of them."""
        share = min(1.0, FULL_KERNELS / max(kernels, 1))
        most = int(MOST_WORK * max(share, LEAST_SHARE))
        return cls(most, int(MOST_PATIENT * max(share, LEAST_PATIENT_SHARE)), of_file=of_file)

    def spend(self, before: float, launch: EmulatedLaunch, *, is_usual: bool = True) -> None:
        """Count what the machine of a launch has done since its work was `before`.

        A run that `is_usual` predicts the length of the next one.
        """
        work = launch.machine.work - before
        self.spent += work
        if is_usual:
            self.longest = max(self.longest, work)

    @property
    def is_spent(self) -> bool:
        """Whether no further run begins."""
        return self.spent > self.most or self.spent + self.longest > self.most * MOST_WITH_NEXT

    @property
    def is_patient(self) -> bool:
        """Whether one more run may begin that shows what no other one does."""
        return self.spent + self.longest < self.most_patient

    @property
    def allows_small(self) -> bool:
        """Whether a run may begin that shows what no other one does, and is shorter than the others."""
        return self.spent < self.most_patient

    @property
    def is_half_spent(self) -> bool:
        """Whether no launch runs with further inputs, because other launches show more."""
        return self.spent + self.longest > self.most / 2

    def steps_to_end(self, work_per_step: float, *, is_certain: bool = False) -> int:
        """Return how many more instructions one lockstep run may take; more where it `is_certain` to end."""
        most = self.most_patient * (CERTAIN if is_certain else 1)
        return int((most - self.spent) / work_per_step)
