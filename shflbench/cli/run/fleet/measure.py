"""Plan the runs of several devices, measure them, and tie their folders."""

from __future__ import annotations

import shlex
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shflbench.cli.run.fleet.members import Members
from shflbench.cli.run.fleet.watch import watch_fleet
from shflbench.cli.run.options import typed_words
from shflbench.cli.run.stop import stopped_code
from shflbench.fleet import pattern_files
from shflbench.fleet.executor import FleetContext
from shflbench.session import Compiling
from shflbench.session.kernels import compile_all
from shflbench.store.fleet_file import FleetFolder, FleetInfo, read_fleet
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping, Sequence

    from shflbench.cli.console import Console
    from shflbench.cli.run.fleet.members import SuiteJob
    from shflbench.fleet.cluster import Cluster
    from shflbench.fleet.devices import DeviceFinder
    from shflbench.fleet.executor import FleetDevice
    from shflbench.fleet.run import FindNew
    from shflbench.session.kernels import CompiledKernels


@dataclass(frozen=True)
class FleetRun:
    """One execution of a suite on several devices."""

    job: SuiteJob
    cluster: Cluster
    finder: DeviceFinder
    devices: Sequence[FleetDevice]
    stop: threading.Event
    scheduler: str  # its address, or `local`
    connection: Sequence[str] = ()  # options that a resumed run needs again
    find_new: FindNew | None = None  # finds devices that join

    def run(self, flags: Mapping[str, Any], console: Console) -> int:
        """Measure on all devices and return the exit code; Ctrl-C ends all, and keeps finished groups."""
        compiled = {arch: self._compile(arch, console) for arch in {one.opened.device.arch for one in self.devices}}
        patterns = pattern_files.packed(self.job.suite.pattern_folders)
        context = FleetContext(self.cluster, self.finder.find_again, uuid.uuid4().hex, patterns, self.stop.is_set)
        folder = self._folder(flags)
        members = Members(self.job, folder, context, compiled, self.finder.release)
        try:
            members.start(self.devices)
            code = watch_fleet(members, self.stop, console, self.find_new)
        except KeyboardInterrupt as error:
            self.stop.set()
            words = ["shflbench", "run", self.job.request.suite, "--resume", str(folder.path), *self.connection]
            kept = f"the finished groups are in {folder.path}"
            return stopped_code(error, kept, f"resume it with: {shlex.join(words)}", console)
        finally:
            self.cluster.call_now(run.executor.closing() for run in members.runs)
        folder.finish(utc_now() if members.is_complete else None)
        console.data(str(folder.path))
        return code

    def _compile(self, arch: str, console: Console) -> CompiledKernels:
        """Compile all kernels for one architecture."""
        self.job.toolchain.require(arch)
        plan = self.job.plan(arch, None)
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

    def _folder(self, flags: Mapping[str, Any]) -> FleetFolder:
        """Return the folder of the fleet run: a new one, or that of the run to resume."""
        if flags["resume"]:
            return FleetFolder(flags["resume"], read_fleet(flags["resume"]))
        info = FleetInfo(
            self.job.suite.name, typed_words(), self.scheduler, utc_now(), members=(), sharded=flags["shard"]
        )
        output = flags["output"]
        return FleetFolder.create_at(info, output) if output else FleetFolder.create(info, flags["results"])
