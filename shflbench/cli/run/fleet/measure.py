"""Plan the runs of several devices, measure them, and tie their folders."""

from __future__ import annotations

import shlex
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shflbench.cli.run.fleet.watch import watch_fleet
from shflbench.cli.run.options import typed_words
from shflbench.cli.run.stop import stopped_code
from shflbench.fleet import pattern_files
from shflbench.fleet.executor import FleetContext, FleetDevice, RemoteExecutor
from shflbench.fleet.run import DeviceRun
from shflbench.session import Compiling, Plan
from shflbench.session.kernels import compile_all
from shflbench.session.plan import run_info
from shflbench.store import RunFolder, resume
from shflbench.store.append import gpu_slug
from shflbench.store.fleet_file import FleetFolder, FleetInfo, FleetMember, read_fleet
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.cli.run.request import RunRequest
    from shflbench.compile.toolchain import Toolchain
    from shflbench.fleet.cluster import Cluster
    from shflbench.fleet.devices import DeviceFinder
    from shflbench.model import Suite
    from shflbench.session.kernels import CompiledKernels


@dataclass(frozen=True)
class FleetRun:
    """One execution of a suite on several devices."""

    suite: Suite
    request: RunRequest
    toolchain: Toolchain
    cache: Path | None
    cluster: Cluster
    finder: DeviceFinder
    devices: Sequence[FleetDevice]
    stop: threading.Event

    def run(self, flags: Mapping[str, Any], console: Console, scheduler: str) -> int:
        """Measure on all devices and return the exit code; Ctrl-C ends all, and keeps finished groups."""
        compiled = {arch: self._compile(arch, console) for arch in {one.opened.device.arch for one in self.devices}}
        patterns = pattern_files.packed(self.suite.pattern_folders)
        context = FleetContext(self.cluster, self.finder.find_again, uuid.uuid4().hex, patterns, self.stop.is_set)
        folder, members = self._folder(flags, scheduler)
        runs = []
        for one in self.devices:
            member = members[one.opened.device.uuid]
            executor = RemoteExecutor(context, one)
            plan = self._plan(one.opened.device.arch, executor)
            info = run_info(plan, self.request.overrides, typed_words())
            path = folder.path / member.folder
            stopped = None
            if flags["resume"] and (path / "run.json").exists():
                stopped = resume(path, info, self.suite.cases)
            device_folder = stopped.folder if stopped else RunFolder.create_at(info, path)
            runs.append(DeviceRun(one.label, plan, executor, device_folder, stopped, compiled[plan.arch]))
        try:
            outcome = watch_fleet(runs, self.stop, console)
        except KeyboardInterrupt as error:
            self.stop.set()
            words = ["shflbench", "run", self.request.suite, "--resume", str(folder.path)]
            kept = f"the finished groups are in {folder.path}"
            return stopped_code(error, kept, f"resume it with: {shlex.join(words)}", console)
        finally:
            for run in runs:
                run.executor.close()
        ended = [
            replace(members[run.executor.device.uuid], error=error, losses=tuple(run.executor.losses))
            for run, error in zip(runs, outcome.errors, strict=True)
        ]
        folder.finish(utc_now(), tuple(ended))
        console.data(str(folder.path))
        return outcome.exit_code

    def _plan(self, arch: str, executor: RemoteExecutor | None) -> Plan:
        sms = executor.device.sms if executor else None
        return Plan(self.suite, self.toolchain, arch, executor, self.cache, sms, self.request.seed)

    def _compile(self, arch: str, console: Console) -> CompiledKernels:
        """Compile all kernels for one architecture."""
        self.toolchain.require(arch)
        plan = self._plan(arch, None)
        steps = compile_all(plan, plan.unfinished_cases(None))
        with console.progress() as progress:
            while True:
                try:
                    event = next(steps)
                except StopIteration as end:
                    compiled: CompiledKernels = end.value
                    return compiled
                if isinstance(event, Compiling):
                    progress.show(
                        f"compiling for {arch}, {event.done} of {event.total} kernels", event.done, event.total
                    )

    def _folder(self, flags: Mapping[str, Any], scheduler: str) -> tuple[FleetFolder, dict[str, FleetMember]]:
        """Return the folder of the fleet run and its members by UUID."""
        members = {one.opened.device.uuid: _member(one) for one in self.devices}
        if flags["resume"]:
            info = read_fleet(flags["resume"])
            known = {member.uuid: member for member in info.members}
            members = {uuid_: known.get(uuid_, member) for uuid_, member in members.items()}
            folder = FleetFolder(flags["resume"], info)
            folder.write(replace(info, members=tuple({**known, **members}.values())))
            return folder, members
        info = FleetInfo(self.suite.name, typed_words(), scheduler, utc_now(), tuple(members.values()))
        output = flags["output"]
        return (FleetFolder.create_at(info, output) if output else FleetFolder.create(info, flags["results"])), members


def _member(one: FleetDevice) -> FleetMember:
    device = one.opened.device
    return FleetMember(f"{gpu_slug(one.host)}-{device.index}", device.uuid, device.name, one.host, device.index)
