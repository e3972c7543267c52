"""Which device measures which groups of a suite, in which folder; also after devices were lost or joined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.cli.run.options import typed_words
from shflbench.errors import DeviceError
from shflbench.fleet.executor import RemoteExecutor
from shflbench.fleet.run import DeviceRun
from shflbench.session import Plan
from shflbench.session.plan import run_info
from shflbench.session.rows import wants
from shflbench.store import RunFolder, read_info, resume
from shflbench.store.append import gpu_slug
from shflbench.store.fleet_file import FleetMember
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.run.request import RunRequest
    from shflbench.compile.toolchain import Toolchain
    from shflbench.errors import ShflbenchError
    from shflbench.fleet.executor import FleetContext, FleetDevice
    from shflbench.model import Case, Suite
    from shflbench.session.kernels import CompiledKernels
    from shflbench.store.fleet_file import FleetFolder


@dataclass(frozen=True, slots=True)
class SuiteJob:
    """What all devices run, and how."""

    suite: Suite
    request: RunRequest
    toolchain: Toolchain
    cache: Path | None

    def plan(self, arch: str, executor: RemoteExecutor | None, groups: Collection[str] | None = None) -> Plan:
        """Return the plan for one device; `groups` of the suite, or the whole suite if None."""
        suite = self.suite
        if groups is not None:
            suite = replace(suite, cases=tuple(case for case in suite.cases if case.group in groups))
        sms = executor.device.sms if executor else None
        return Plan(suite, self.toolchain, arch, executor, self.cache, sms, self.request.seed)

    def cases(self, member: FleetMember) -> list[Case]:
        """Return the cases of a member."""
        return [case for case in self.suite.cases if member.groups is None or case.group in member.groups]


@dataclass
class Members:
    """The runs of a fleet, each with its member in `fleet.json`."""

    job: SuiteJob
    folder: FleetFolder
    context: FleetContext
    compiled: Mapping[str, CompiledKernels]  # by architecture
    release: Callable[[FleetDevice], None]  # forgets a device that was lost
    runs: list[DeviceRun] = field(default_factory=list)
    _members: list[FleetMember] = field(default_factory=list)  # of the runs
    _idle: list[FleetDevice] = field(default_factory=list)
    _unassigned: dict[str, list[str]] = field(default_factory=dict)  # groups, by model
    _failed: bool = False

    @property
    def is_sharded(self) -> bool:
        """Whether devices of one model divide the suite."""
        return self.folder.info.sharded

    @property
    def unassigned(self) -> Mapping[str, Sequence[str]]:
        """The groups that no device measures, by model."""
        return {model: groups for model, groups in self._unassigned.items() if groups}

    @property
    def is_complete(self) -> bool:
        """Whether every device that was used, or every group of a run of shards, is finished."""
        if self.unassigned or self._failed:
            return False
        return self.is_sharded or not any(member.error for member in self.folder.info.members)

    def start(self, devices: Sequence[FleetDevice]) -> None:
        """Start the runs of these devices, or resume those of the folder."""
        recorded = self.folder.info.members
        if self.is_sharded and not recorded:
            for device in devices:
                self._unassigned[device.opened.device.name] = list(dict.fromkeys(c.group for c in self.job.suite.cases))
        for member in recorded:
            same = [one for one in devices if one.opened.device.uuid == member.uuid and not self._is_busy(one)]
            self._resume(member, same[0] if same else None)
        for device in devices:
            if not self._is_busy(device):
                self._use(device)
        self._assign()

    def join(self, device: FleetDevice) -> None:
        """Let a device take part that was not there at the start, or that was lost."""
        self._use(device)
        self._assign()

    def end(self, place: int, error: ShflbenchError | None) -> None:
        """Record how a run ended; groups that a lost device did not finish are given to others in a run of shards."""
        run, member = self.runs[place], self._members[place]
        device = run.executor.at
        losses = (*member.losses, *run.executor.losses)
        member = replace(member, error=error.message if error else None, losses=losses)
        self.folder.put(member)
        if isinstance(error, DeviceError):
            self.release(device)
            if self.is_sharded:
                self._divide(member)
        elif error:
            self._failed = True
        else:
            self._idle.append(device)
        self._assign()

    def _is_busy(self, device: FleetDevice) -> bool:
        return any(run.executor.device.uuid == device.opened.device.uuid for run in self.runs)

    def _use(self, device: FleetDevice) -> None:
        """Give a device the whole suite, if it has not run it, or let it wait for groups."""
        if self.is_sharded:
            self._idle.append(device)
            return
        uuid = device.opened.device.uuid
        known = next((member for member in self.folder.info.members if member.uuid == uuid), None)
        if known:
            self._resume(known, device)
        else:
            self._add(device, None)

    def _resume(self, member: FleetMember, device: FleetDevice | None) -> None:
        """Continue the run of a member on its device, or divide its groups where the device is not there."""
        path = self.folder.path / member.folder
        if not (path / "run.json").exists():
            if self.is_sharded:
                self._add_unassigned(member, member.groups or ())
                self.folder.put(replace(member, groups=()))
            elif device:
                self._start(device, member)
        elif read_info(path).finished is None:
            if device:
                self._start(device, replace(member, error=None))
            elif self.is_sharded:
                self._divide(member)
            else:
                self.folder.put(replace(member, error=member.error or "no worker offers its device"))

    def _divide(self, member: FleetMember) -> None:
        """Keep the finished groups of a member, and let other devices of its model measure the rest."""
        path = self.folder.path / member.folder
        stopped = resume(path, replace(read_info(path), started=utc_now()), self.job.cases(member))
        processes = self.job.suite.rules.processes
        group_of = {case.id: case.group for case in self.job.cases(member)}
        groups = dict.fromkeys(group_of.values())
        done = {row.case_id for row in stopped.rows if not wants(row, processes)}
        rest = {group_of[case_id] for case_id in group_of if case_id not in done}
        dropped = {case_id for case_id, group in group_of.items() if group in rest}
        stopped.folder.rewrite(
            [row for row in stopped.rows if row.case_id not in dropped],
            [sample for sample in stopped.samples if sample.case_id not in dropped],
        )
        stopped.folder.finish(utc_now(), ["its device was lost; other devices measure the rest of its cases"])
        self.folder.put(replace(member, groups=tuple(group for group in groups if group not in rest)))
        self._add_unassigned(member, [group for group in groups if group in rest])

    def _add_unassigned(self, member: FleetMember, groups: Sequence[str]) -> None:
        self._unassigned.setdefault(member.name, []).extend(groups)

    def _assign(self) -> None:
        """Divide the groups that no device measures among the idle devices of their model."""
        sizes: dict[str, int] = {}
        for case in self.job.suite.cases:
            sizes[case.group] = sizes.get(case.group, 0) + 1
        for model, groups in self._unassigned.items():
            idle = [device for device in self._idle if device.opened.device.name == model]
            if not groups or not idle:
                continue
            shards = divide({group: sizes[group] for group in groups}, len(idle))
            self._unassigned[model] = []
            for device, shard in zip(idle, shards, strict=True):
                if shard:
                    self._idle.remove(device)
                    self._add(device, shard)

    def _add(self, device: FleetDevice, groups: tuple[str, ...] | None) -> None:
        """Start a run in a new folder."""
        opened = device.opened.device
        names = {member.folder for member in self.folder.info.members}
        stem = f"{gpu_slug(device.host)}-{opened.index}"
        name = next(name for number in range(len(names) + 1) if (name := _numbered(stem, number)) not in names)
        self._start(device, FleetMember(name, opened.uuid, opened.name, device.host, opened.index, groups=groups))

    def _start(self, device: FleetDevice, member: FleetMember) -> None:
        """Start or resume the run of a member."""
        executor = RemoteExecutor(self.context, device)
        plan = self.job.plan(device.opened.device.arch, executor, member.groups)
        info = run_info(plan, self.job.request.overrides, typed_words())
        path = self.folder.path / member.folder
        self.folder.put(member)
        stopped = resume(path, info, plan.suite.cases) if (path / "run.json").exists() else None
        run_folder = stopped.folder if stopped else RunFolder.create_at(info, path)
        self.runs.append(DeviceRun(device.label, plan, executor, run_folder, stopped, self.compiled.get(plan.arch)))
        self._members.append(member)


def _numbered(stem: str, number: int) -> str:
    return f"{stem}-{number + 1}" if number else stem


def divide(sizes: Mapping[str, int], count: int) -> list[tuple[str, ...]]:
    """Divide groups among `count` devices of the same speed, each group in the order of `sizes`.

    `sizes` are the cases per group. A group goes to the device with the fewest cases so far, the largest group first.
    """
    loads = [0] * count
    device_of: dict[str, int] = {}
    for group in sorted(sizes, key=lambda name: -sizes[name]):
        device = loads.index(min(loads))
        loads[device] += sizes[group]
        device_of[group] = device
    return [tuple(group for group in sizes if device_of[group] == device) for device in range(count)]
