"""Plan the runs of several devices, measure them, and tie their folders."""

from __future__ import annotations

import uuid
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cli.run.fleet.stop import StopMessage
from shflbench.cli.run.fleet.summary import NAMED, summarize
from shflbench.cli.run.fleet.watch import watch_fleet
from shflbench.core.grouping import group_by
from shflbench.core.words import one_or_many
from shflbench.errors import CompilerError, ResultsError
from shflbench.session import Compiling
from shflbench.session.fleet import pattern_files
from shflbench.session.fleet.conclusions import Conclusions
from shflbench.session.fleet.executor import FleetContext
from shflbench.session.fleet.members import Members
from shflbench.session.fleet.run import FleetThreads
from shflbench.session.kernels import compile_all
from shflbench.store.fleet_file import FleetFolder, FleetInfo, read_fleet
from shflbench.store.lock import sole_creator, sole_writer
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.cli.run.fleet.stop import StopSignals
    from shflbench.cli.run.options import RunPlace
    from shflbench.errors import ShflbenchError
    from shflbench.session.fleet.cluster import Cluster
    from shflbench.session.fleet.devices import DeviceFinder
    from shflbench.session.fleet.executor import FleetDevice
    from shflbench.session.fleet.run import FindNew
    from shflbench.session.fleet.suite_job import SuiteJob
    from shflbench.session.kernels import CompiledKernels


@dataclass(frozen=True)
class FleetRun:
    """One execution of a suite on several devices."""

    job: SuiteJob
    cluster: Cluster
    finder: DeviceFinder
    devices: Sequence[FleetDevice]
    signals: StopSignals
    scheduler: str  # its address, or `local`
    connection: Sequence[str] = ()  # options that a resumed run needs again
    find_new: FindNew | None = None  # finds devices that join
    missing: Sequence[ShflbenchError] = ()  # of GPUs that could not be opened

    def run(self, place: RunPlace, console: Console, *, is_sharded: bool) -> int:
        """Measure on all devices and return the exit code; Ctrl-C ends all, and keeps finished groups."""
        self._report_unsupported(console)
        patterns = pattern_files.pack_patterns(self.job.suite.pattern_folders)
        context = FleetContext(
            self.cluster, self.finder.find_again, uuid.uuid4().hex, patterns, self.signals.stop.is_set
        )
        with self._folder(place, is_sharded=is_sharded) as folder:
            return self._run(folder, context, console)

    def _run(self, folder: FleetFolder, context: FleetContext, console: Console) -> int:
        stop = self.signals.stop
        conclusions = Conclusions(folder, self.job.suite.pattern_folders)
        members = Members(self.job, folder, context, conclusions, self.finder.release)
        threads = FleetThreads(members.runs, stop, self.find_new)
        message = StopMessage(self.signals, folder.path, self._resume_words(folder))
        try:
            with closing(members.conclusions):
                errors = self._measure(members, threads, message, console)
                code = summarize(members, errors, self.missing, console)
        except KeyboardInterrupt as error:
            return message.show(error, console)
        folder.finish(utc_now() if members.is_complete else None)
        console.path(folder.path)
        return code

    @cached_property
    def _unsupported(self) -> Mapping[str, CompilerError]:
        """The architectures of devices that the compiler does not support, each with the reason."""
        reasons = {}
        for arch in {device.opened.device.arch for device in self.devices}:
            try:
                self.job.toolchain.require(arch)
            except CompilerError as error:
                reasons[arch] = error
        return reasons

    def _report_unsupported(self, console: Console) -> None:
        """Warn of devices that the compiler does not support; CompilerError if it supports none."""
        by_arch = group_by(self.devices, lambda device: device.opened.device.arch)
        if by_arch.keys() == self._unsupported.keys():
            raise next(iter(self._unsupported.values()))
        for arch, error in self._unsupported.items():
            labels = [device.label for device in by_arch[arch]]
            more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
            verb = one_or_many(len(labels), "is", "are")
            console.warn(f"{', '.join(labels[:NAMED])}{more} {verb} not used: {error.message}")

    def _measure(
        self, members: Members, threads: FleetThreads, message: StopMessage, console: Console
    ) -> list[ShflbenchError]:
        """Compile and measure, and return the errors that ended runs early; no process of a device stays."""
        try:
            members.start([one for one in self.devices if one.opened.device.arch not in self._unsupported])
            for arch in dict.fromkeys(run.plan.arch for run in members.runs):
                members.kernels[arch] = self._compile(arch, console)
            members.conclusions.prepare([one.archive for one in members.kernels.values()])
            return watch_fleet(members, threads, console)
        except KeyboardInterrupt as error:
            message.show(error, console)  # before the clean-up, which may take seconds
            members.note_stop()
            raise
        finally:
            self.signals.stop.set()
            calls = [*(run.executor.closing() for run in members.runs), *self.finder.closing()]
            self.cluster.call_now(dict.fromkeys(calls))
            threads.end()

    def _resume_words(self, folder: FleetFolder) -> list[str]:
        return ["shflbench", "run", self.job.request.suite, "--resume", str(folder.path), *self.connection]

    def _compile(self, arch: str, console: Console) -> CompiledKernels:
        """Compile all kernels for one architecture."""
        plan = self.job.plan(arch, None)
        steps = compile_all(plan, plan.unfinished_cases(None))
        with console.progress() as progress:
            while True:
                try:
                    event = next(steps)
                except StopIteration as end:
                    compiled: CompiledKernels = end.value
                    compiled.archive.encode()  # now, or the threads of all devices do it at the same time
                    return compiled
                if isinstance(event, Compiling):
                    progress.show(
                        f"compiling for {arch}, {event.done} of {event.total} kernels", event.done, event.total
                    )

    @contextmanager
    def _folder(self, place: RunPlace, *, is_sharded: bool) -> Iterator[FleetFolder]:
        """Return the folder of the fleet run: a new one, or that of the run to resume, which has the same suite.

        No other process writes in it meanwhile.
        """
        if path := place.resume:
            with sole_writer(path):
                yield self._stopped(path)
                return
        info = FleetInfo(
            self.job.suite.name, tuple(self.job.argv), self.scheduler, utc_now(), members=(), sharded=is_sharded
        )
        if output := place.output:
            with sole_creator(output):
                yield FleetFolder.create_at(info, output)
            return
        folder = FleetFolder.create(info, place.results)
        with sole_writer(folder.path):
            yield folder

    def _stopped(self, path: Path) -> FleetFolder:
        """Return the folder of the run to resume; ResultsError if it is of another suite."""
        stopped, name = read_fleet(path), self.job.suite.name
        if stopped.suite != name:
            message = f"{path} has runs of the suite {stopped.suite}, and cannot be resumed with {name}"
            raise ResultsError(message, "give the suite of that run, or measure in a new folder")
        return FleetFolder(path, stopped)
