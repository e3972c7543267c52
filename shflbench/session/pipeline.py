"""Run a suite: compile, verify, time and store, window by window."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

from shflbench.measure import sentinels
from shflbench.measure.job import Job, Task
from shflbench.session.events import Event, GroupDone, Note
from shflbench.session.kernels import compile_all
from shflbench.session.ledger import Ledger
from shflbench.session.progress import Progress
from shflbench.session.windows import windows
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from shflbench.measure.executor import Executor
    from shflbench.session.plan import Plan
    from shflbench.store import Resumed, RunFolder


def run(plan: Plan, folder: RunFolder, stopped: Resumed | None = None) -> Iterator[Event]:
    """Run what `stopped` left of `plan`, storing the rows of each group in `folder` as soon as it ends.

    Yields what happens as it happens. A kernel's failure costs its own row; errors of the disk, of the suite or of the
    device end the run.
    """
    kernels, problem = yield from compile_all(plan, plan.left(stopped))
    ledger = Ledger(plan, kernels, stopped)
    notes = [problem] if problem else []
    if plan.executor and plan.executor.problem:
        notes.append(plan.executor.problem)
    yield from map(Note, notes)
    yield from _store_unrun(plan, ledger, folder, stopped)
    if plan.executor is not None:
        notes += yield from Measuring(plan, plan.executor, ledger, folder).turns()
    folder.sort(row.case_id for row in ledger.all_rows())
    folder.append((), ledger.unsaved())
    if plan.executor is None or not ledger.timed:
        folder.finish(utc_now(), notes)
        return
    others = plan.executor.others()
    noise = asdict(ledger.noise(others))
    folder.finish(utc_now(), notes, others_after=others, noise=noise, sentinels={"version": sentinels.version()})


def _store_unrun(plan: Plan, ledger: Ledger, folder: RunFolder, stopped: Resumed | None) -> Iterator[Event]:
    """Store the groups of which no case is to be run."""
    left = ledger.left(plan.suite.rules.processes) if plan.executor else {}
    known = {row.case_id for row in stopped.rows} if stopped else set()
    for group, cases in plan.groups.items():
        if group not in left and cases[0].id not in known:
            folder.append(ledger.rows(group))
            yield GroupDone(ledger.rows(group), {})


class Measuring:
    """Measures what is left of a run, window by window, in as many processes as the suite asks for."""

    def __init__(self, plan: Plan, executor: Executor, ledger: Ledger, folder: RunFolder) -> None:
        """Measure nothing yet."""
        self._plan, self._executor, self._ledger, self._folder = plan, executor, ledger, folder
        self._progress = Progress(self._to_come(1))
        self._notes: list[str] = []

    def turns(self) -> Generator[Event, None, list[str]]:
        """Measure each group in one process after another; return what was noted on the way."""
        most, used = self._plan.suite.rules.processes, False
        for processes in range(1, most + 1):
            groups = self._ledger.left(processes)
            if groups and used:
                self._executor.renew()
            self._progress.expect(self._to_come(processes))
            for window in windows(groups.values()):
                used = True
                yield from self._window(window, last=processes == most)
        return self._notes

    def _to_come(self, first: int) -> int:
        """Return how many cases are left to measure, from the process `first` on, each counted once a process."""
        turns = range(first, self._plan.suite.rules.processes + 1)
        return sum(len(tasks) for processes in turns for tasks in self._ledger.left(processes).values())

    def _window(self, window: Sequence[Sequence[Task]], *, last: bool) -> Iterator[Event]:
        job = Job(
            groups=tuple(map(tuple, window)),
            folders=dict(self._plan.suite.pattern_folders),
            rules=self._plan.suite.rules,
            seed=self._plan.seed,
        )
        for tasks in job.groups:
            self._ledger.start(tasks)
        ended = set()
        with closing(self._executor.run(job)) as messages:
            for message in messages:
                if group := self._ledger.take(message):
                    self._folder.append(self._ledger.rows(group), self._ledger.unsaved(group))
                    ended.add(group)
                for event in self._progress.events(message):
                    if isinstance(event, Note):
                        self._notes.append(event.sentence)
                    yield event
        # In the order of the suite, not in that in which they ended; those with processes to come are not done.
        to_come = {} if last else self._ledger.left(self._plan.suite.rules.processes)
        for group in [tasks[0].case.group for tasks in window]:
            if group in ended and group not in to_come:
                yield GroupDone(self._ledger.rows(group), self._ledger.troubles(group))
                self._ledger.forget(group)
