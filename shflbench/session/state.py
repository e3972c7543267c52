"""The state of a run: the rows and samples of each case."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.core.launch import resolve_grid
from shflbench.core.model import Conditions, Kernel, Noise, Sample, Status
from shflbench.errors import KernelError, PatternError
from shflbench.measure.condensed import BurstTotals, CaseTimed, SamplesPacked
from shflbench.measure.estimate import timing
from shflbench.measure.events import CaseFailed, Converged, GridResolved, RoundDone, Verified
from shflbench.measure.job import Task
from shflbench.measure.noise import verdict
from shflbench.measure.prepare import later_launches, own_shape, shared_of
from shflbench.measure.workload import setting_of
from shflbench.session import rows
from shflbench.session.kernels import key
from shflbench.session.write_bound import too_fast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from shflbench.core.model import Case, Timing, Trouble
    from shflbench.measure.condensed import CondensedEvent
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.session.kernels import KernelKey
    from shflbench.session.plan import Plan
    from shflbench.store import ResumedRun, Row

THROTTLED = "every sample was taken while the GPU was throttled"


@dataclass(slots=True)
class Samples:
    """The samples of one case or sentinel."""

    taken: list[Sample] = field(default_factory=list)
    unsaved: list[Sample] = field(default_factory=list)  # those of `taken` that are not on disk

    def add(self, sample: Sample) -> None:
        """Add a new sample."""
        self.taken.append(sample)
        self.unsaved.append(sample)

    def keep_processes(self, end: int, last: int | None = None) -> None:
        """Keep the samples of the processes before `end` and of process `last`."""
        for samples in (self.taken, self.unsaved):
            samples[:] = [sample for sample in samples if sample.process < end or sample.process == last]

    def pop_unsaved(self) -> list[Sample]:
        """Return the samples that are not on disk; they count as saved afterwards."""
        unsaved, self.unsaved = self.unsaved, []
        return unsaved


@dataclass(slots=True)
class CaseState:
    """The state of one case."""

    case: Case
    row: Row
    samples: Samples = field(default_factory=Samples)
    troubles: Sequence[Trouble] = ()  # in the samples of this run
    is_open: bool = False  # whether a job on it is running
    earlier: Row | None = None  # its row before the current further process
    takes_samples: bool = True  # false after it failed in a further process
    written_bytes: int = 0  # of a launch, at least


class RunState:
    """The state of a run: `apply` takes events, and the other methods return rows and samples.

    When all rows are on disk, some cases may be measured in further processes. The samples of a further process count
    if the case converges in it. A case that fails in it keeps its earlier row; a case with a wrong result does not.
    """

    def __init__(
        self, plan: Plan, kernels: Mapping[KernelKey, Kernel | KernelError], stopped: ResumedRun | None = None
    ) -> None:
        """Start with the compiled kernels, and with the rows and samples of a stopped run."""
        self._plan, self._kernels = plan, dict(kernels)
        known = {row.case_id: row for row in stopped.rows} if stopped else {}
        self._groups = {
            group: [CaseState(case, known.get(case.id) or self._first_row(case)) for case in _with_grids(cases, plan)]
            for group, cases in plan.groups.items()
        }
        self._cases = {state.case.id: state for states in self._groups.values() for state in states}
        self._sentinels: defaultdict[str, Samples] = defaultdict(Samples)
        self._first_process = stopped.next_process if stopped else 0
        for sample in stopped.samples if stopped else ():
            self._samples(sample.case_id).taken.append(sample)
        self._conditions = Conditions()
        self._compared: dict[str, tuple[tuple[Row, ...], tuple[Row, ...]]] = {}  # rows of a group, and with speedups
        self._bursts = BurstTotals()
        self._packed: list[bytes] = []  # samples that came packed and are not on disk
        self._first_further = 0  # number of the first process of the last further pass
        self.further_failures: list[str] = []  # a sentence on each case that failed in it

    def _samples(self, name: str) -> Samples:
        return self._cases[name].samples if name in self._cases else self._sentinels[name]

    def _key(self, case: Case) -> KernelKey:
        return key(case, self._plan.patterns[case.pattern].declaration, self._plan.arch)

    def _first_row(self, case: Case) -> Row:
        """Return the row of a case with its compiled kernel."""
        pattern, kernel = self._plan.patterns[case.pattern], self._kernels.get(self._key(case))
        backend = self._plan.executor.name if self._plan.executor else "none"
        row = rows.start_row(case, pattern.declaration, backend, self._plan.arch)
        if kernel is None:
            return rows.end_row(row, Status.SKIPPED, self._plan.unsupported_reason(case))
        if isinstance(kernel, KernelError):
            return rows.end_row(row, Status.FAILED, kernel.message)
        try:
            later = [shared for _, shared in later_launches(pattern, case)]
            row = rows.add_kernel(row, kernel, self._shared_of(pattern, case), later)
        except PatternError as error:
            return rows.end_row(row, Status.FAILED, error.message)
        return rows.end_row(row, Status.FAILED, "; ".join(kernel.violations)) if kernel.violations else row

    def _shared_of(self, pattern: LoadedPattern, case: Case) -> int:
        known = self._plan.shared_bytes
        if case not in known:
            known[case] = shared_of(pattern, case)
        return known[case]

    def pending(self, processes: int) -> dict[str, list[Task]]:
        """Return, by group, the tasks for cases that have been measured in fewer than `processes` processes."""
        return self._tasks(state for state in self._cases.values() if rows.wants(state.row, processes))

    def missing_kernels(self, cases: Collection[str]) -> list[Case]:
        """Return the cases in the groups of `cases` that have no kernel, as after a resume."""
        return [state.case for state in self._with_groups(cases) if self._key(state.case) not in self._kernels]

    def start_further(
        self, cases: Collection[str], kernels: Mapping[KernelKey, Kernel | KernelError]
    ) -> dict[str, list[Task]]:
        """Return the tasks to measure the groups of `cases` in one more process; add `kernels` to the known kernels.

        Cases without a time are skipped.
        """
        self._kernels |= kernels
        groups = self._tasks(state for state in self._with_groups(cases) if state.row.status is Status.TIMED)
        measured = {task.case.id for tasks in groups.values() for task in tasks}
        for state in self._cases.values():
            state.earlier, state.takes_samples = (state.row if state.case.id in measured else None), True
        every = [*(state.samples for state in self._cases.values()), *self._sentinels.values()]
        self._first_further = 1 + max(sample.process for samples in every for sample in samples.taken)
        self.further_failures = []
        return groups

    def _with_groups(self, cases: Collection[str]) -> list[CaseState]:
        groups = {self._cases[name].case.group for name in cases}
        return [state for state in self._cases.values() if state.case.group in groups]

    def _tasks(self, states: Iterable[CaseState]) -> dict[str, list[Task]]:
        """Return the tasks of the cases that have a kernel, by group."""
        groups: dict[str, list[Task]] = {}
        for state in states:
            if isinstance(kernel := self._kernels.get(self._key(state.case)), Kernel):
                groups.setdefault(state.case.group, []).append(Task(state.case, kernel))
        return groups

    def start(self, tasks: Iterable[Task]) -> None:
        """Mark the cases of these tasks as open."""
        for task in tasks:
            self._cases[task.case.id].is_open = True

    def apply(self, event: CondensedEvent) -> str:
        """Update the state by an event; return the group that the event finishes, empty if none."""
        match event:
            case GridResolved(name, grid, resident):
                device = self._plan.executor.device if self._plan.executor else None
                state = self._cases[name]
                pattern = self._plan.patterns[state.case.pattern]
                shape = own_shape(pattern, state.case, grid) if grid else ""
                state.row = rows.add_grid(state.row, grid, shape, resident, device)
            case Verified(name, proof):
                state = self._cases[name]
                state.row, state.written_bytes = rows.add_proof(state.row, proof), proof.written_bytes
            case RoundDone():
                self._conditions = event.conditions
                for burst in event.bursts:
                    self._bursts.add(burst)
                self._take(replace(event, process=event.process + self._first_process).samples())
            case Converged(name, stopped_by):
                return self._converge(self._cases[name], stopped_by)
            case SamplesPacked(lines, levels, bursts):
                self._packed.append(lines)
                self._bursts.add_all(bursts)
                for level in levels:
                    self._sentinels[level.case_id].taken.append(level)
            case CaseTimed(name, stopped_by, times, conditions):
                state = self._cases[name]
                state.row = self._with_times(state, times, conditions, stopped_by or None)
                return self._close(state)
            case CaseFailed(name, status, reason):
                return self._fail(self._cases[name], status, reason)
        return ""

    def _take(self, samples: Iterable[Sample]) -> None:
        """Add samples, except those of a case that has failed in a further process."""
        for sample in samples:
            if sample.case_id not in self._cases or self._cases[sample.case_id].takes_samples:
                self._samples(sample.case_id).add(sample)

    def _converge(self, state: CaseState, stopped_by: str) -> str:
        if state.earlier:  # crashes at other cases may have ended processes early
            state.samples.keep_processes(self._first_further, state.samples.taken[-1].process)
        state.troubles = ()
        state.row = self._timed(state, stopped_by or None)
        return self._close(state)

    def _fail(self, state: CaseState, status: Status, reason: str) -> str:
        if state.earlier and status is Status.FAILED:
            state.samples.keep_processes(self._first_further)
            state.row, state.takes_samples = state.earlier, False
            why = " ".join(reason.split())
            sentence = f"{state.case.id} failed in a further process, and keeps its earlier times: {why}"
            self.further_failures.append(sentence)
        else:
            state.row, state.troubles = rows.end_row(state.row, status, reason), ()
        return self._close(state)

    def _timed(self, state: CaseState, stopped_by: str | None) -> Row:
        """Return the row of a case with the times of its samples."""
        row = state.row
        if not state.samples.taken:  # the emulator takes none
            return replace(row, stopped_by=stopped_by)
        times = timing(state.samples.taken, row.iterations, self._plan.suite.rules.places)
        return self._with_times(state, times, self._conditions, stopped_by)

    def _with_times(
        self, state: CaseState, times: Timing | None, conditions: Conditions, stopped_by: str | None
    ) -> Row:
        """Return the row of a case with these times; None if every sample was dropped."""
        row = state.row
        if times is None:
            return rows.end_row(row, Status.FAILED, THROTTLED)
        device = self._plan.executor.device if self._plan.executor else None
        if impossible := too_fast(state.written_bytes, times.time_us.value, device):
            return rows.end_row(row, Status.FAILED, impossible)
        pattern = self._plan.patterns[row.pattern]
        moved = pattern.declaration.bytes_moved
        nbytes = None
        if moved:
            try:
                with pattern.calling("PATTERN"):
                    nbytes = moved(setting_of(state.case, row.grid or 0))
            except PatternError as error:
                return rows.end_row(row, Status.FAILED, error.message)
        state.troubles = times.troubles
        return rows.add_times(row, times, conditions, nbytes, stopped_by)

    def _close(self, state: CaseState) -> str:
        state.is_open = False
        group = state.case.group
        return "" if any(other.is_open for other in self._groups[group]) else group

    def rows(self, group: str) -> tuple[Row, ...]:
        """Return the rows of a group, with speedups over the baseline."""
        measured = tuple(state.row for state in self._groups[group])
        known = self._compared.get(group)
        if known is None or any(row is not other for row, other in zip(known[0], measured, strict=True)):
            known = self._compared[group] = measured, tuple(rows.with_speedups(measured))
        return known[1]

    def troubles(self, group: str) -> dict[str, Sequence[Trouble]]:
        """Return the disturbances in the samples of a group, by case, without undisturbed cases."""
        return {state.case.id: state.troubles for state in self._groups[group] if state.troubles}

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The cases in the order of the suite, those of a group together."""
        return tuple(self._cases)

    def pop_unsaved(self, group: str = "") -> list[Sample]:
        """Return the samples of a group and of the sentinels that are not on disk; without a group, of the sentinels.

        They count as saved afterwards.
        """
        groups = [state.samples for state in self._groups.get(group, ())]
        return [sample for samples in (*groups, *self._sentinels.values()) for sample in samples.pop_unsaved()]

    def pop_packed(self) -> bytes:
        """Return the samples that came packed and are not on disk; they count as saved afterwards."""
        packed, self._packed = self._packed, []
        return b"".join(packed)

    def forget(self, group: str) -> None:
        """Free the samples of a group that was measured in all its processes."""
        self._compared.pop(group, None)
        for state in self._groups[group]:
            state.samples.taken.clear()

    @property
    def timed(self) -> bool:
        """Whether anything was timed, now or before the run was stopped."""
        every = (*(state.samples for state in self._cases.values()), *self._sentinels.values())
        return bool(self._bursts.count) or any(samples.taken for samples in every)

    def noise(self, others: int | None) -> Noise:
        """Return how quiet the machine was; `others` counts the other processes on the GPU now, None if unknown."""
        before = self._plan.executor.device.state.other_processes if self._plan.executor else None
        return verdict(
            [sample for samples in self._sentinels.values() for sample in samples.taken],
            others=(before, others),
            dropped=self._bursts.throttled / max(1, self._bursts.count),
            clocks_mhz=self._bursts.clocks_mhz,
        )


def _with_grids(cases: Iterable[Case], plan: Plan) -> list[Case]:
    """Return cases with their grids, as far as these can be computed without the device."""
    return [
        case
        if case.launch.grid is not None or plan.sms is None or "fill" in case.launch.expression
        else replace(case, launch=replace(case.launch, grid=resolve_grid(case.launch.expression, plan.sms, None)))
        for case in cases
    ]
