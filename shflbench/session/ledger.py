"""What is known of each case of a run, from what the compiler found to its samples."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from shflbench.errors import KernelError, PatternError
from shflbench.measure.estimate import timing
from shflbench.measure.job import Task
from shflbench.measure.messages import Ended, Placed, Round, Settled, Verified
from shflbench.measure.noise import Noise, verdict
from shflbench.measure.prepare import shared_of
from shflbench.measure.workload import setting_of
from shflbench.model import Conditions, Kernel, Sample, Status, is_sentinel
from shflbench.session import rows
from shflbench.session.kernels import key
from shflbench.suite import resolve_grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.measure.messages import Message
    from shflbench.model import Case, Trouble
    from shflbench.session.kernels import KernelKey
    from shflbench.session.plan import Plan
    from shflbench.store import Resumed, Row

THROTTLED = "every sample was taken while the GPU was throttled"


class _Burst(NamedTuple):
    """What the machine did meanwhile."""

    sm_clock_mhz: float | None
    throttled: bool


class Ledger:
    """The rows of a run while it goes on: told what happens, asked for what is finished."""

    def __init__(
        self, plan: Plan, kernels: Mapping[KernelKey, Kernel | KernelError], stopped: Resumed | None = None
    ) -> None:
        """Start with what the compiler found, and with what a stopped run left."""
        self._plan, self._kernels = plan, kernels
        self._groups = {name: [_placed(case, plan) for case in cases] for name, cases in plan.groups.items()}
        self._cases = {case.id: case for cases in self._groups.values() for case in cases}
        self._rows = {row.case_id: row for row in stopped.rows} if stopped else {}
        self._first_process = stopped.next_process if stopped else 0
        self._taken: dict[str, list[Sample]] = defaultdict(list)  # samples of cases that need more, and of sentinels
        for sample in stopped.samples if stopped else ():
            self._taken[sample.case_id].append(sample)
        self._unsaved: dict[str, list[Sample]] = defaultdict(list)  # the part of them that is not on disk
        self._troubles: dict[str, Sequence[Trouble]] = {}  # of cases that were sampled now
        self._open: set[str] = set()  # cases that are worked on
        self._conditions = Conditions()
        self._bursts: list[_Burst] = []
        for case in self._cases.values():
            if case.id not in self._rows:
                self._rows[case.id] = self._found(case)

    def _found(self, case: Case) -> Row:
        """Return the row of a case of which nothing but its kernel is known."""
        pattern, kernel = self._plan.patterns[case.pattern], self._kernels.get(key(case))
        backend = self._plan.executor.name if self._plan.executor else "none"
        row = rows.planned(case, pattern.declaration, backend, self._plan.arch)
        if kernel is None:
            return rows.ended(row, Status.SKIPPED, self._plan.lacking(case))
        if isinstance(kernel, KernelError):
            return rows.ended(row, Status.FAILED, kernel.message)
        try:
            row = rows.compiled(row, kernel, shared_of(pattern, case))
        except PatternError as error:
            return rows.ended(row, Status.FAILED, error.message)
        return rows.ended(row, Status.FAILED, "; ".join(kernel.violations)) if kernel.violations else row

    def left(self, processes: int) -> dict[str, list[Task]]:
        """Return what is left to do of each group until every case was measured in so many processes."""
        groups = {
            name: [
                Task(case, kernel)
                for case in cases
                if isinstance(kernel := self._kernels.get(key(case)), Kernel)
                and rows.wants(self._rows[case.id], processes)
            ]
            for name, cases in self._groups.items()
        }
        return {name: tasks for name, tasks in groups.items() if tasks}

    def start(self, tasks: Sequence[Task]) -> None:
        """Note that somebody works on these cases."""
        self._open |= {task.case.id for task in tasks}

    def take(self, message: Message) -> str:
        """Note what a message says; return the group that it finishes, empty if none."""
        match message:
            case Placed(name, grid, resident):
                device = self._plan.executor.device if self._plan.executor else None
                self._rows[name] = rows.placed(self._rows[name], grid, resident, device)
            case Verified(name, proof):
                self._rows[name] = rows.verified(self._rows[name], proof)
            case Round():
                self._conditions = message.conditions
                self._bursts += [_Burst(one.sm_clock_mhz, one.dropped and not one.late) for one in message.bursts]
                self._keep(replace(message, process=message.process + self._first_process).samples())
            case Settled(name, stopped_by):
                self._rows[name] = self._timed(replace(self._rows[name], stopped_by=stopped_by or None))
                return self._close(name)
            case Ended(name, status, reason):
                self._rows[name] = rows.ended(self._rows[name], status, reason)
                self._troubles.pop(name, None)
                return self._close(name)
        return ""

    def _keep(self, samples: Sequence[Sample]) -> None:
        for sample in samples:
            self._taken[sample.case_id].append(sample)
            self._unsaved[sample.case_id].append(sample)

    def _timed(self, row: Row) -> Row:
        """Return the row of a case that was sampled with its times."""
        case = self._cases[row.case_id]
        taken = self._taken[row.case_id]
        self._troubles.pop(row.case_id, None)
        if not taken:  # whoever ran it takes no time
            return row
        found = timing(taken, row.iterations)
        if found is None:
            return rows.ended(row, Status.FAILED, THROTTLED)
        pattern = self._plan.patterns[row.pattern]
        moved = pattern.declaration.bytes_moved
        try:
            with pattern.calling("PATTERN"):
                nbytes = moved(setting_of(case, row.grid or 0)) if moved else None
        except PatternError as error:
            return rows.ended(row, Status.FAILED, error.message)
        self._troubles[row.case_id] = found.troubles
        return rows.timed(row, found, self._conditions, nbytes)

    def _close(self, case_id: str) -> str:
        self._open.discard(case_id)
        group = self._cases[case_id].group
        return "" if any(case.id in self._open for case in self._groups[group]) else group

    def rows(self, group: str) -> tuple[Row, ...]:
        """Return the rows of a group, with speed-ups over the baseline."""
        return tuple(rows.with_speedups([self._rows[case.id] for case in self._groups[group]]))

    def troubles(self, group: str) -> dict[str, Sequence[Trouble]]:
        """Return what is wrong with the samples of the cases of a group, by case; nothing for those that are quiet."""
        return {case.id: found for case in self._groups[group] if (found := self._troubles.get(case.id))}

    def all_rows(self) -> tuple[Row, ...]:
        """Return every row, in the order of the suite."""
        return tuple(row for group in self._groups for row in self.rows(group))

    def unsaved(self, group: str = "") -> list[Sample]:
        """Return the samples of a group and of the sentinels that are not on disk yet; of the latter alone for none.

        They count as saved from then on.
        """
        members = {case.id for case in self._groups.get(group, ())}
        names = [name for name in self._unsaved if is_sentinel(name) or name in members]
        return [sample for name in names for sample in self._unsaved.pop(name)]

    def forget(self, group: str) -> None:
        """Let go of the samples of a group that was measured in all its processes."""
        for case in self._groups[group]:
            self._taken.pop(case.id, None)

    @property
    def timed(self) -> bool:
        """Whether anything was timed, be it before the run was stopped."""
        return any(self._taken.values()) or bool(self._bursts)

    def noise(self, others: int | None) -> Noise:
        """Judge how quiet the machine was; `others` are the other processes on the GPU now, None if unknown."""
        before = self._plan.executor.device.state.other_processes if self._plan.executor else None
        return verdict(
            [sample for samples in self._taken.values() for sample in samples if sample.is_sentinel],
            others=(before, others),
            dropped=sum(burst.throttled for burst in self._bursts) / max(1, len(self._bursts)),
            clocks_mhz=[burst.sm_clock_mhz for burst in self._bursts if burst.sm_clock_mhz is not None],
        )


def _placed(case: Case, plan: Plan) -> Case:
    """Return a case with its grid, as far as it can be known before the device is asked."""
    launch = case.launch
    if launch.grid is not None or plan.sms is None or "fill" in launch.expression:
        return case
    return replace(case, launch=replace(launch, grid=resolve_grid(launch.expression, plan.sms, None)))
