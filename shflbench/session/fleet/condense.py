"""Condense the events of a job where it runs: estimate the times of its cases, and pack their samples for the disk.

One client serves hundreds of devices, each of which has a worker with time to spare.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

from shflbench.core.model import Conditions, is_sentinel
from shflbench.measure.condensed import BurstTotals, CaseTimed, SamplesPacked
from shflbench.measure.estimate import timing
from shflbench.measure.events import CaseFailed, Converged, ImportStarted, RoundDone, StepStarted
from shflbench.store import samples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.model import Sample
    from shflbench.measure.condensed import CondensedEvent
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job


@dataclass(slots=True)
class ProcessNumbers:
    """How a run numbers the processes of a device and orders its sentinels, whichever workers measured so far."""

    first_process: int = 0  # number of the first process; above 0 in a resumed run
    # identity of a supervisor, and number of a process within it → its number
    processes: dict[tuple[str, int], int] = field(default_factory=dict)
    sentinels: tuple[str, ...] = ()  # in the order in which the first of their samples came

    def number(self, identity: str, process: int) -> int:
        """Return the number of a process among those that took samples for this run, from 0."""
        return self.processes.setdefault((identity, process), len(self.processes))


class Condenser:
    """Condenses the events of one job that measures each of its cases in one process only."""

    def __init__(self, job: Job, numbering: ProcessNumbers) -> None:
        """Continue `numbering`."""
        self._numbering, self._places = numbering, job.rules.places
        self._iterations = {task.case.id: task.case.iterations for tasks in job.groups for task in tasks}
        self._group_of = {task.case.id: place for place, tasks in enumerate(job.groups) for task in tasks}
        self._groups = [[task.case.id for task in tasks] for tasks in job.groups]
        self._open = [set(cases) for cases in self._groups]
        self._taken: defaultdict[str, list[Sample]] = defaultdict(list)  # not packed yet
        self._levels: list[Sample] = []
        self._bursts = BurstTotals()
        self._conditions = Conditions()

    def condense(self, event: JobEvent) -> Iterator[CondensedEvent]:
        """Yield what the client needs of an event; the numbers of processes are those of `ProcessNumbers.number`."""
        match event:
            case StepStarted() | ImportStarted():
                pass  # a crash is attributed here
            case RoundDone():
                self._take(event)
            case Converged(case_id, stopped_by):
                estimate = timing(self._taken[case_id], self._iterations[case_id], self._places)
                yield from self._close(case_id)
                yield CaseTimed(case_id, stopped_by, estimate, self._conditions)
            case CaseFailed(case_id):
                yield from self._close(case_id)
                yield event
            case _:
                yield event

    def end(self) -> Iterator[SamplesPacked]:
        """Yield what no group contains: samples of sentinels in rounds after the last case had failed."""
        if self._bursts.count:
            yield self._packed(())

    def _take(self, done: RoundDone) -> None:
        self._conditions = done.conditions
        number = self._numbering.first_process + done.process
        for burst in done.bursts:
            self._bursts.add(burst)
            taken = burst.samples(number, done.number)
            self._taken[burst.case_id] += taken
            if not is_sentinel(burst.case_id):
                continue
            if burst.case_id not in self._numbering.sentinels:
                self._numbering.sentinels += (burst.case_id,)
            if taken and not burst.dropped:
                self._levels.append(replace(taken[0], time_us=median(burst.times_us)))

    def _close(self, case_id: str) -> Iterator[SamplesPacked]:
        """Yield the samples of a group when its last case ends."""
        place = self._group_of[case_id]
        self._open[place].discard(case_id)
        if not self._open[place]:
            yield self._packed(tuple(self._groups[place]))

    def _packed(self, cases: tuple[str, ...]) -> SamplesPacked:
        """Return samples in the order in which a run on one GPU stores them: by case, then by sentinel."""
        names = (*cases, *self._numbering.sentinels)
        taken = [sample for name in names for sample in self._taken.pop(name, ())]
        levels, bursts = tuple(self._levels), self._bursts
        self._levels, self._bursts = [], BurstTotals()
        return SamplesPacked(samples.encode(taken) if taken else b"", levels, bursts)
