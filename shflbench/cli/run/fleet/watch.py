"""Show the progress of several devices, a line for each, and write the logs of what happens to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.errors import CompilerError
from shflbench.session import GroupDone, Note, disturbance_sentences
from shflbench.session.fleet.conclusion import label_of
from shflbench.session.fleet.run import DeviceDone, DeviceJoined, NoEvent
from shflbench.session.run_end import BAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cli.console import Console, Progress
    from shflbench.core.model import Trouble
    from shflbench.errors import ShflbenchError
    from shflbench.session.fleet.members import Members
    from shflbench.session.fleet.run import DeviceRun, FleetEvent, FleetThreads


@dataclass(slots=True)
class DeviceProgress:
    """How far the run of one device has come."""

    label: str
    total: int  # cases
    line: Progress
    done: int = 0
    bad: int = 0
    state: str = "running"
    seen: set[str] = field(default_factory=set)
    troubles: dict[str, Sequence[Trouble]] = field(default_factory=dict)  # by case

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
        self._devices: list[DeviceProgress] = []
        self._refused = 0  # members that were reported
        self.errors: list[ShflbenchError] = []  # that ended runs early, or kept them from starting
        self.start_new()

    def start_new(self) -> None:
        """Add a line for each run that has none, and report members that cannot be started or resumed."""
        for run in self._members.runs[len(self._devices) :]:
            self._devices.append(DeviceProgress.of(run, self._progress.line()))
        for member, error in self._members.refused[self._refused :]:
            self._refused += 1
            self.errors.append(error)
            self._console.error(f"{label_of(member)}: {error.message}", error.advice)

    def show(self, item: FleetEvent) -> None:
        """Show an event, and let devices that joined take part."""
        device = self._devices[item.place] if item.place >= 0 else None
        match item.event:
            case NoEvent():
                self._members.folder.write_due()
            case GroupDone() if device:
                device.add(item.event)
                self._log_group(item.place, item.event)
            case Note(sentence) if device:
                self._members.logs[item.place].write(f"warning: {sentence}")
                self._console.warn(f"{device.label}: {sentence}")
            case Note(sentence):
                self._console.warn(sentence)
            case DeviceJoined(joined):
                self._console.say(f"{joined.label} joined: {joined.opened.device.name}")
                try:
                    self._members.join(joined)
                except CompilerError as error:
                    self._console.warn(f"{joined.label} is not used: {error.message}")
            case DeviceDone(error) if device:
                self._end(item.place, device, error)
        self.start_new()

    def _log_group(self, place: int, event: GroupDone) -> None:
        bad = [row for row in event.rows if row.status in BAD]
        self._members.logs[place].write(*(f"{row.status} {row.case_id}: {row.reason or 'wrong result'}" for row in bad))
        self._devices[place].troubles |= event.troubles

    def _end(self, place: int, device: DeviceProgress, error: ShflbenchError | None) -> None:
        device.state = "ended early" if error else "done"
        progress = f"{device.state}, {device.done} of {device.total} cases"
        log = self._members.logs[place]
        precision = self._members.runs[place].plan.suite.rules.precision
        log.write(*(f"noise: {sentence}" for sentence in disturbance_sentences(device.troubles, precision)), progress)
        device.troubles.clear()
        if error:
            self.errors.append(error)
            log.write(f"error: {error.message}\n{error.advice}".rstrip())
            self._console.error(f"{device.label}: {error.message} (log: {log.path})", error.advice)
        self._members.end(place, error)
        device.show()
        self._console.note(f"{device.label}: {progress}")


def watch_fleet(members: Members, threads: FleetThreads, console: Console) -> list[ShflbenchError]:
    """Run all devices, show their progress, and return the errors that ended runs early."""
    with console.progress() as progress:
        shown = FleetWatch(members, console, progress)
        for item in threads.events():
            shown.show(item)
    return shown.errors
