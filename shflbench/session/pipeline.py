"""Run a suite: compile, verify, time and store, window by window."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import zip_longest
from time import monotonic
from typing import TYPE_CHECKING

from shflbench.core.words import count_noun, one_or_many
from shflbench.measure import sentinels
from shflbench.measure.events import Note
from shflbench.measure.job import Job, Task
from shflbench.session.events import GroupDone, RunEvent, RunProgress
from shflbench.session.further import ProcessPass
from shflbench.session.kernels import compile_all
from shflbench.session.launch_counts import count_launches
from shflbench.session.state import RunState
from shflbench.session.windows import windows
from shflbench.store import SentinelSet
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.measure.executor import Executor
    from shflbench.session.further import Undecided
    from shflbench.session.kernels import CompiledKernels
    from shflbench.session.plan import Plan
    from shflbench.store import ResumedRun, RunFolder


def run(
    plan: Plan,
    folder: RunFolder,
    stopped: ResumedRun | None = None,
    undecided: Undecided | None = None,
    compiled: CompiledKernels | None = None,
) -> Iterator[RunEvent]:
    """Run `plan`, without the cases that a `stopped` run finished, and store each group in `folder` when it ends.

    Yields events as they occur. A failed kernel costs only its own row; errors of the disk, of the suite or of the
    device end the run. When all rows are on disk, `undecided` chooses cases to measure in one more process, until it
    returns none. Kernels that are `compiled` already, as for several devices of one architecture, are not compiled.
    """
    if compiled is None:
        compiled = yield from compile_all(plan, plan.unfinished_cases(stopped))
    folder.add_kernels(compiled.archive)
    state = RunState(plan, compiled.kernels, stopped)
    stages = Stages(plan, folder, state, keep_samples=undecided is not None)
    yield from stages.note(compiled.problem, plan.executor.problem if plan.executor else "")
    yield from stages.store_unrun(stopped)
    if plan.executor:
        yield from stages.measure(plan.executor)
    folder.sort(state.case_ids)
    stages.finish()
    if plan.executor and undecided and state.timed:
        yield from stages.measure_further(plan.executor, undecided)
    if plan.counts_launches:
        folder.add_counts((yield from count_launches(plan, compiled)))


class Stages:
    """The stages of a run after its kernels are compiled."""

    def __init__(self, plan: Plan, folder: RunFolder, state: RunState, *, keep_samples: bool) -> None:
        """Keep the arguments; `keep_samples` of finished groups if further processes may add to them."""
        self._plan, self._folder, self._state, self._keep_samples = plan, folder, state, keep_samples
        self._notes: list[str] = []  # not on disk yet
        self._progress = RunProgress(0)
        self._last = ProcessPass()

    def note(self, *sentences: str) -> Iterator[Note]:
        """Report messages to the user and remember them for the run's record; skip empty ones."""
        for sentence in filter(None, sentences):
            self._notes.append(sentence)
            yield Note(sentence)

    def store_unrun(self, stopped: ResumedRun | None) -> Iterator[GroupDone]:
        """Store the groups without a case to run."""
        pending = self._state.pending(self._plan.suite.rules.processes) if self._plan.executor else {}
        known = {row.case_id for row in stopped.rows} if stopped else set()
        for group, cases in self._plan.groups.items():
            if group not in pending and cases[0].id not in known:
                self._folder.append(self._state.rows(group))
                yield GroupDone(self._state.rows(group), {})

    def measure(self, executor: Executor) -> Iterator[RunEvent]:
        """Measure each group in as many processes as the suite says, one after another."""
        most = self._plan.suite.rules.processes
        self._progress = RunProgress(self._to_come(1))
        for processes in range(1, most + 1):
            pending = self._state.pending(processes)
            cases = sum(map(len, pending.values()))
            self._progress.start_process(processes, most, cases=cases, to_come=self._to_come(processes))
            yield from self._one_process(executor, pending, is_last=processes == most)

    def measure_further(self, executor: Executor, undecided: Undecided) -> Iterator[RunEvent]:
        """Measure the groups of cases that are `undecided` in one more process after another."""
        while True:
            choice = undecided(self._last)
            yield choice
            if not choice.cases:
                return
            compiled = yield from compile_all(self._plan, self._state.missing_kernels(choice.cases))
            self._folder.add_kernels(compiled.archive)
            groups = self._state.start_further(choice.cases, compiled.kernels)
            if not groups:
                return
            self._folder.reopen()
            count = sum(map(len, groups.values()))
            verb = one_or_many(count, "was", "were")
            self._notes.append(f"{count_noun(count, 'case')} {verb} measured in one more process")
            self._progress = RunProgress(count)
            yield from self._one_process(executor, groups, is_last=True)
            yield from self.note(*self._state.further_failures)
            self.finish()

    def finish(self) -> None:
        """Store what is known only at the end of the run."""
        self._folder.append((), self._state.pop_unsaved(), self._state.pop_packed())
        notes, self._notes = self._notes, []
        if self._plan.executor is None or not self._state.timed:
            self._folder.finish(utc_now(), notes)
            return
        others = self._plan.executor.others()
        noise = self._state.noise(others)
        version = SentinelSet(sentinels.version())
        self._folder.finish(utc_now(), notes, others_after=others, noise=noise, sentinels=version)

    def _to_come(self, first: int) -> int:
        """Return the number of cases to measure from process `first` on, each counted once per process."""
        counts = range(first, self._plan.suite.rules.processes + 1)
        return sum(len(tasks) for processes in counts for tasks in self._state.pending(processes).values())

    def _one_process(
        self, executor: Executor, groups: Mapping[str, Sequence[Task]], *, is_last: bool
    ) -> Iterator[RunEvent]:
        """Measure groups in a fresh process; `is_last` if they are finished after it."""
        if not groups:
            return
        if self._last.cases:
            executor.restart()
        began = monotonic()
        self._last = ProcessPass(cases=sum(map(len, groups.values())))
        jobs = list(map(self._job, windows(groups.values()) if executor.timed else [list(groups.values())]))
        for job, following in zip_longest(jobs, jobs[1:]):
            executor.announce(following)
            yield from self._window(executor, job, is_last=is_last)
        self._last = replace(self._last, seconds=monotonic() - began)

    def _job(self, window: Sequence[Sequence[Task]]) -> Job:
        return Job(
            groups=tuple(map(tuple, window)),
            folders=dict(self._plan.suite.pattern_folders),
            rules=self._plan.suite.rules,
            seed=self._plan.seed,
        )

    def _window(self, executor: Executor, job: Job, *, is_last: bool) -> Iterator[RunEvent]:
        """Measure the groups of a window together, and store each when it ends.

        Timed groups share their rounds and are reported together, in the order of the suite; others when they end.
        Where the events of the window come all at once, its groups are stored together, too.
        """
        self._state.start(task for tasks in job.groups for task in tasks)
        timed: set[str] = set()
        together = self._folder.together() if executor.timed and executor.windowed else nullcontext()
        with together, closing(executor.run(job)) as events:
            for event in events:
                if group := self._state.apply(event):
                    self._folder.append(
                        self._state.rows(group), self._state.pop_unsaved(group), self._state.pop_packed()
                    )
                    if executor.timed:
                        timed.add(group)
                    else:
                        yield self._done(group)
                for report in self._progress.report(event):
                    yield from self.note(report.sentence) if isinstance(report, Note) else (report,)
        pending = {} if is_last else self._state.pending(self._plan.suite.rules.processes)
        for group in [tasks[0].case.group for tasks in job.groups]:
            if group in timed and group not in pending:  # not if further processes follow
                yield self._done(group)

    def _done(self, group: str) -> GroupDone:
        done = GroupDone(self._state.rows(group), self._state.troubles(group))
        if not self._keep_samples:
            self._state.forget(group)
        return done
