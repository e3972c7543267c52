"""The runs of a fleet, each with its member in `fleet.json`; also after devices were lost or joined."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.errors import DeviceError, ResultsError
from shflbench.session.fleet.assignment import GroupPool, folder_name, split_finished
from shflbench.session.fleet.device_log import DeviceLog
from shflbench.session.fleet.executor import FleetDevice, RemoteExecutor
from shflbench.session.fleet.run import DeviceRun
from shflbench.session.plan import run_info
from shflbench.session.rows import wants
from shflbench.store import RunFolder, read_info, read_run, resume
from shflbench.store.fleet_file import FleetMember
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.errors import ShflbenchError
    from shflbench.session.fleet.conclusions import Conclusions
    from shflbench.session.fleet.executor import FleetContext
    from shflbench.session.fleet.suite_job import SuiteJob
    from shflbench.session.kernels import CompiledKernels
    from shflbench.store import RunInfo
    from shflbench.store.fleet_file import FleetFolder


class Members:
    """The runs of a fleet.

    `fleet.json` is on disk before a run starts, and within seconds after one ended: a resumed fleet run knows every
    member that has a folder. `release` forgets a device that was lost.
    """

    def __init__(
        self,
        job: SuiteJob,
        folder: FleetFolder,
        context: FleetContext,
        conclusions: Conclusions,
        release: Callable[[FleetDevice], None],
    ) -> None:
        """Keep the arguments; start no run yet."""
        self.job, self.folder, self.context, self.conclusions = job, folder, context, conclusions
        self._release = release
        self.runs: list[DeviceRun] = []
        self.logs: list[DeviceLog] = []  # of the runs
        self.refused: list[tuple[FleetMember, ResultsError]] = []  # that cannot be started or resumed
        self.kernels: dict[str, CompiledKernels] = {}  # by architecture
        self._names: list[str] = []  # of the members of the runs
        self._pool: GroupPool[FleetDevice] = GroupPool(job.group_sizes)
        self._busy: set[str] = set()  # UUIDs of devices that have, or had, a run
        self._starts: list[tuple[FleetDevice, FleetMember]] = []  # members that are not on disk yet
        self._failed = False

    @property
    def unassigned(self) -> Mapping[str, Sequence[str]]:
        """The groups that no device measures, by model."""
        return self._pool.unassigned

    @property
    def is_complete(self) -> bool:
        """Whether every device that was used, or every group of a run of shards, is finished."""
        if self.unassigned or self._failed:
            return False
        return self.folder.is_sharded or not any(member.error for member in self.folder.members.values())

    def start(self, devices: Sequence[FleetDevice]) -> None:
        """Start the runs of these devices, or resume those of the folder."""
        recorded = list(self.folder.members.values())
        if self.folder.is_sharded and not recorded:
            self._pool.add_all(device.opened.device.name for device in devices)
        by_uuid = {device.opened.device.uuid: device for device in devices}
        for member in recorded:
            is_free = member.uuid not in self._busy
            with self._refused(member):
                self._resume(member, by_uuid.get(member.uuid) if is_free else None)
        for device in devices:
            if device.opened.device.uuid not in self._busy:
                self._use(device)
        self._launch()

    def join(self, device: FleetDevice) -> None:
        """Let a device take part that was not there at the start, or that was lost.

        CompilerError where the compiler does not support its architecture.
        """
        self.job.toolchain.require(device.opened.device.arch)
        self._use(device)
        self._launch()

    def end(self, place: int, error: ShflbenchError | None) -> None:
        """Record how a run ended; groups that a lost device did not finish are given to others in a run of shards."""
        run, member = self.runs[place], self.folder.members[self._names[place]]
        device = run.executor.at
        losses = (*member.losses, *run.executor.losses)
        member = replace(member, error=error.message if error else None, losses=losses)
        self.folder.put(member)
        if isinstance(error, DeviceError):
            self._release(device)
            if self.folder.is_sharded:
                with self._refused(member):
                    self._divide(member)
        elif error:
            self._failed = True
        elif self.folder.is_sharded:
            self._pool.offer(member.name, device)
        else:
            self.conclusions.start(member, sum(len(run.plan.suite.cases) for run in self.runs))
        self._launch()

    def note_stop(self) -> None:
        """Write what is known to disk, and to the logs that the user stopped the run."""
        self.folder.write()
        for run, log in zip(self.runs, self.logs, strict=True):
            if run.folder.info.finished is None:
                log.write("the run was stopped")

    def _use(self, device: FleetDevice) -> None:
        """Give a device the whole suite, if it has not run it, or let it wait for groups."""
        opened = device.opened.device
        if self.folder.is_sharded:
            self._pool.offer(opened.name, device)
            return
        known = next((member for member in self.folder.members.values() if member.uuid == opened.uuid), None)
        if known:
            with self._refused(known):
                self._resume(known, device)
        else:
            self._add(device, None)

    def _resume(self, member: FleetMember, device: FleetDevice | None) -> None:
        """Continue the run of a member on its device, or divide its groups where the device is not there."""
        path = self.folder.path / member.folder
        is_started = (path / "run.json").exists()
        if is_started and read_info(path).finished is not None:
            if self.folder.is_sharded:
                self._divide_finished(member)
        elif self.folder.is_sharded and not is_started:
            self._give_away(member, (), member.groups or ())
        elif device:
            self._start(device, replace(member, error=None))
        elif self.folder.is_sharded:
            self._divide(member)
        else:
            self.folder.put(replace(member, error=member.error or "no worker offers its device"))

    def _divide(self, member: FleetMember) -> None:
        """Keep the finished groups of a member, and let other devices of its model measure the rest."""
        path = self.folder.path / member.folder
        stopped = resume(path, replace(read_info(path), started=utc_now()), self.job.cases(member))
        processes = self.job.suite.rules.processes
        kept, rest = self._split(member, {row.case_id for row in stopped.rows if not wants(row, processes)})
        dropped = {case.id for case in self.job.cases(member) if case.group in rest}
        stopped.folder.rewrite(
            [row for row in stopped.rows if row.case_id not in dropped],
            [sample for sample in stopped.samples if sample.case_id not in dropped],
        )
        stopped.folder.finish(utc_now(), ["its device was lost; other devices measure the rest of its cases"])
        self._give_away(member, kept, rest)

    def _divide_finished(self, member: FleetMember) -> None:
        """Let others measure what a finished run lacks: its groups were divided, but `fleet.json` not written."""
        rows = read_run(self.folder.path / member.folder).rows
        kept, rest = self._split(member, {row.case_id for row in rows})
        if rest:
            self._give_away(member, kept, rest)

    def _split(self, member: FleetMember, done: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return split_finished({case.id: case.group for case in self.job.cases(member)}, done)

    def _give_away(self, member: FleetMember, kept: tuple[str, ...], rest: tuple[str, ...]) -> None:
        self.folder.put(replace(member, groups=kept))
        self._pool.add(member.name, rest)

    def _add(self, device: FleetDevice, groups: tuple[str, ...] | None) -> None:
        """Start a run in a new folder."""
        opened = device.opened.device
        name = folder_name(device.host, device.number, self.folder.members)
        self._start(device, FleetMember(name, opened.uuid, opened.name, device.host, device.number, groups=groups))

    def _start(self, device: FleetDevice, member: FleetMember) -> None:
        """Record that the run of a member starts or continues, which `_launch` does."""
        self.folder.put(member)
        self._busy.add(member.uuid)
        self._starts.append((device, member))

    def _launch(self) -> None:
        """Assign groups to idle devices, and start or resume the runs of all new members, once they are on disk."""
        for device, groups in self._pool.assign():
            self._add(device, groups)
        if not self._starts:
            self.folder.write_due()
            return
        self.folder.write()
        starts, self._starts = self._starts, []
        for device, member in starts:
            with self._refused(member):
                self._open(device, member)

    @contextmanager
    def _refused(self, member: FleetMember) -> Iterator[None]:
        """Make a ResultsError in the block the error of this member: the others continue."""
        try:
            yield
        except ResultsError as error:
            self._failed = True
            self._busy.add(member.uuid)
            self.folder.put(replace(self.folder.members[member.folder], error=error.message))
            self.refused.append((member, error))
            DeviceLog(self.folder.path, member.folder).write(f"error: {error.message}\n{error.advice}".rstrip())

    def _open(self, device: FleetDevice, member: FleetMember) -> None:
        """Open the folder and the log of a member, and add its run."""
        log = DeviceLog(self.folder.path, member.folder)
        executor = RemoteExecutor(self.context, device, log.write)
        plan = self.job.plan(device.opened.device.arch, executor, member.groups)
        info = _info(run_info(plan, self.job.request.overrides, self.job.argv), device)
        path = self.folder.path / member.folder
        stopped = resume(path, info, plan.suite.cases) if (path / "run.json").exists() else None
        if stopped:
            executor.resume_at(stopped.next_process)
        run_folder = stopped.folder if stopped else RunFolder.create_at(info, path)
        log.write(f"{'resumed' if stopped else 'started'}: {device.description}")
        self.runs.append(DeviceRun(device.label, plan, executor, run_folder, stopped, self.kernels))
        self.logs.append(log)
        self._names.append(member.folder)


def _info(client: RunInfo, device: FleetDevice) -> RunInfo:
    """Return the record of a run that `client` started: its machine and the packages that measure are the worker's."""
    worker = device.report
    packages = {name: getattr(worker.versions, name) for name in ("python", "numpy", "cupy")}
    return replace(client, host=worker.host, versions=replace(client.versions, **packages))
