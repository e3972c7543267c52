"""Show the progress of several devices, a line for each, and their results at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table
from shflbench.errors import DeviceError, KernelError, MissingError
from shflbench.export.words import count_noun
from shflbench.fleet.run import DeviceDone, DeviceJoined, run_fleet
from shflbench.model import Status
from shflbench.session import GroupDone, Note

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

    from shflbench.cli.console import Console, Progress
    from shflbench.cli.run.fleet.members import Members
    from shflbench.errors import ShflbenchError
    from shflbench.fleet.run import DeviceRun, FindNew, FleetEvent

BAD = {Status.INCORRECT, Status.FAILED}


@dataclass(slots=True)
class DeviceProgress:
    """How far the run of one device has come."""

    label: str
    total: int  # cases
    line: Progress
    done: int = 0
    bad: int = 0
    state: str = "running"
    error: ShflbenchError | None = None
    seen: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, run: DeviceRun, line: Progress) -> DeviceProgress:
        """Return the progress of a run that starts, or of one that was stopped."""
        cases = run.plan.suite.cases
        kept = len(cases) - len(run.plan.unfinished_cases(run.stopped)) if run.stopped else 0
        device = cls(run.label, len(cases), line, kept)
        device.show()
        return device

    def add(self, event: GroupDone) -> None:
        """Count the cases of a group, once."""
        if event.rows[0].case_id in self.seen:
            return
        self.seen.add(event.rows[0].case_id)
        self.done = min(self.total, self.done + len(event.rows))
        self.bad += sum(row.status in BAD for row in event.rows)
        self.show()

    def show(self) -> None:
        """Show the line of the device."""
        failed = f", {self.bad} failed" if self.bad else ""
        ended = "" if self.state == "running" else f", {self.state}"
        self.line.show(f"{self.label}: {self.done} of {self.total} cases{failed}{ended}", self.done, self.total)


class FleetWatch:
    """Shows the events of a fleet run."""

    def __init__(self, members: Members, console: Console, progress: Progress) -> None:
        """Show the runs of `members` on `console`."""
        self._members, self._console, self._progress = members, console, progress
        self.devices: list[DeviceProgress] = []
        self.start_new()

    def start_new(self) -> None:
        """Add a line for each run that has none."""
        for run in self._members.runs[len(self.devices) :]:
            self.devices.append(DeviceProgress.of(run, self._progress.line()))

    def show(self, item: FleetEvent) -> None:
        """Show an event, and let devices that joined take part."""
        device = self.devices[item.place] if item.place >= 0 else None
        prefix = f"{device.label}: " if device else ""
        match item.event:
            case GroupDone() if device:
                device.add(item.event)
            case Note(sentence):
                self._console.warn(f"{prefix}{sentence.removeprefix(prefix)}")
            case DeviceJoined(joined):
                self._console.say(f"{joined.label} joined: {joined.opened.device.name}")
                try:
                    self._members.join(joined)
                except MissingError as error:  # the compiler cannot serve its architecture
                    self._console.warn(f"{joined.label}: {error.message}")
            case DeviceDone(error) if device:
                self._end(item.place, device, error)
        self.start_new()

    def _end(self, place: int, device: DeviceProgress, error: ShflbenchError | None) -> None:
        device.state = "ended early" if error else "done"
        device.error = error
        if error:
            self._console.error(f"{device.label}: {error.message}", error.advice)
        self._members.end(place, error)
        device.show()
        self._console.note(f"{device.label}: {device.state}, {device.done} of {device.total} cases")


def watch_fleet(members: Members, stop: threading.Event, console: Console, find_new: FindNew | None = None) -> int:
    """Run all devices, show their progress, and return the exit code of the command."""
    with console.progress() as progress:
        shown = FleetWatch(members, console, progress)
        for item in run_fleet(members.runs, stop, find_new):
            shown.show(item)
    console.say()
    console.table(_table(members.runs, shown.devices))
    for model, groups in members.unassigned.items():
        console.error(
            f"no {model} is left to measure {count_noun(len(groups), 'more group')} of cases",
            "Start a worker for one, and resume the run: --resume.",
        )
    if members.is_complete:
        bad = any(one.bad for one in shown.devices)
        return KernelError.exit_code if bad else 0
    return max((one.error.exit_code for one in shown.devices if one.error), default=DeviceError.exit_code)


def _table(runs: Sequence[DeviceRun], devices: Sequence[DeviceProgress]) -> Table:
    """Return a line per run: its cases, its failures, and how quiet its machine was."""
    lines = []
    for run, device in zip(runs, devices, strict=True):
        noise = run.folder.info.noise
        cells = (
            device.label,
            run.executor.device.name,
            f"{device.done} of {device.total}",
            f"{device.bad}",
            noise.verdict if noise else "",
        )
        is_bad = device.error or device.bad
        error = device.error.message if device.error else ""
        lines.append(Line((*cells, error or run.folder.path.name), "bad" if is_bad else "good"))
    return Table("", ("device", "model", "cases", "failed", "machine", "run"), tuple(lines))
