"""Run a suite: compile, verify, time and store, window by window."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from time import monotonic
from typing import TYPE_CHECKING

from shflbench.measure import sentinels
from shflbench.measure.job import Job, Task
from shflbench.session.events import Event, GroupDone, Note
from shflbench.session.kernels import compile_all
from shflbench.session.ledger import Ledger
from shflbench.session.longer import Lasting, Turn
from shflbench.session.progress import Progress
from shflbench.session.windows import windows
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from shflbench.measure.executor import Executor
    from shflbench.session.longer import Undecided
    from shflbench.session.plan import Plan
    from shflbench.store import Resumed, RunFolder


def run(
    plan: Plan, folder: RunFolder, stopped: Resumed | None = None, undecided: Undecided | None = None
) -> Iterator[Event]:
    """Run what `stopped` left of `plan`, storing the rows of each group in `folder` as soon as it ends.

    Yields what happens as it happens. A kernel's failure costs its own row; errors of the disk, of the suite or of the
    device end the run. Once all is on disk, `undecided` is asked which cases to measure in one more process, again
    and again until it names none.
    """
    kernels, problem = yield from compile_all(plan, plan.left(stopped))
    ledger = Lasting(plan, kernels, stopped) if undecided else Ledger(plan, kernels, stopped)
    notes = [problem] if problem else []
    if plan.executor and plan.executor.problem:
        notes.append(plan.executor.problem)
    yield from map(Note, notes)
    yield from _store_unrun(plan, ledger, folder, stopped)
    measuring = Measuring(plan, plan.executor, ledger, folder) if plan.executor else None
    if measuring:
        notes += yield from measuring.turns()
    folder.sort(row.case_id for row in ledger.all_rows())
    _finish(plan, ledger, folder, notes)
    if measuring and undecided and isinstance(ledger, Lasting) and ledger.timed:
        yield from _measure_longer(plan, measuring, ledger, folder, undecided)


def _finish(plan: Plan, ledger: Ledger, folder: RunFolder, notes: Sequence[str]) -> None:
    """Write down what is only known once all is measured."""
    folder.append((), ledger.unsaved())
    if plan.executor is None or not ledger.timed:
        folder.finish(utc_now(), notes)
        return
    others = plan.executor.others()
    noise = asdict(ledger.noise(others))
    folder.finish(utc_now(), notes, others_after=others, noise=noise, sentinels={"version": sentinels.version()})


def _measure_longer(
    plan: Plan, measuring: Measuring, ledger: Lasting, folder: RunFolder, undecided: Undecided
) -> Iterator[Event]:
    """Measure the groups of cases that are `undecided` in one more process after another."""
    while cases := undecided(measuring.last):
        kernels, _ = yield from compile_all(plan, ledger.lacking(cases))
        groups = ledger.further(cases, kernels)
        if not groups:
            return
        folder.reopen()
        notes = yield from measuring.once_more(groups)
        yield from map(Note, ledger.lost)
        _finish(plan, ledger, folder, [*notes, *ledger.lost])


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
        self.last = Turn()

    def turns(self) -> Generator[Event, None, list[str]]:
        """Measure each group in one process after another; return what was noted on the way."""
        most = self._plan.suite.rules.processes
        for processes in range(1, most + 1):
            self._progress.expect(self._to_come(processes))
            yield from self._process(self._ledger.left(processes), last=processes == most)
        return self._notes

    def once_more(self, groups: Mapping[str, Sequence[Task]]) -> Generator[Event, None, list[str]]:
        """Measure these groups in one more process; return what was noted on the way."""
        self._progress, self._notes = Progress(sum(map(len, groups.values()))), []
        yield from self._process(groups, last=True)
        cases = "1 case was" if self.last.cases == 1 else f"{self.last.cases} cases were"
        return [f"{cases} measured in one more process", *self._notes]

    def _to_come(self, first: int) -> int:
        """Return how many cases are left to measure, from the process `first` on, each counted once a process."""
        turns = range(first, self._plan.suite.rules.processes + 1)
        return sum(len(tasks) for processes in turns for tasks in self._ledger.left(processes).values())

    def _process(self, groups: Mapping[str, Sequence[Task]], *, last: bool) -> Iterator[Event]:
        """Measure groups in a process that has measured nothing else; `last`: they are done then."""
        if not groups:
            return
        if self.last.cases:
            self._executor.renew()
        began = monotonic()
        self.last = Turn(cases=sum(map(len, groups.values())))
        for window in windows(groups.values()):
            yield from self._window(window, last=last)
        self.last = replace(self.last, seconds=monotonic() - began)

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
