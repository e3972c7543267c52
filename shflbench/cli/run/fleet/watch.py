"""Show the progress of several devices, a line for each, and their results at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table
from shflbench.errors import KernelError
from shflbench.export.words import count_noun
from shflbench.fleet.run import DeviceDone, run_fleet
from shflbench.model import Status
from shflbench.session import GroupDone, Note

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

    from shflbench.cli.console import Console
    from shflbench.fleet.run import DeviceRun

BAD = {Status.INCORRECT, Status.FAILED}


@dataclass(slots=True)
class DeviceProgress:
    """How far the run of one device has come."""

    label: str
    total: int  # cases
    done: int = 0
    bad: int = 0
    state: str = "running"
    error: str | None = None
    code: int = 0
    seen: set[str] = field(default_factory=set)

    def add(self, event: GroupDone) -> None:
        """Count the cases of a group, once."""
        if event.rows[0].case_id in self.seen:
            return
        self.seen.add(event.rows[0].case_id)
        self.done += len(event.rows)
        self.bad += sum(row.status in BAD for row in event.rows)


@dataclass(frozen=True, slots=True)
class FleetOutcome:
    """How the runs ended: the error of each, in their order, and the exit code of the command."""

    errors: tuple[str | None, ...]
    exit_code: int


def watch_fleet(runs: Sequence[DeviceRun], stop: threading.Event, console: Console) -> FleetOutcome:
    """Run all devices, show their progress, and return how they ended."""
    devices = [DeviceProgress(run.label, len(run.plan.suite.cases)) for run in runs]
    with console.progress() as progress:
        for item in run_fleet(runs, stop):
            device = devices[item.place]
            match item.event:
                case GroupDone():
                    device.add(item.event)
                    done = sum(one.done for one in devices)
                    progress.show(_running(devices), done, sum(one.total for one in devices))
                case Note(sentence):
                    console.warn(f"{device.label}: {sentence.removeprefix(f'{device.label}: ')}")
                case DeviceDone(error):
                    device.state = "done"
                    if error:
                        device.state, device.error, device.code = "ended early", error.message, error.exit_code
                        console.error(f"{device.label}: {error.message}", error.advice)
                    console.note(f"{device.label}: {device.state}, {device.done} of {device.total} cases")
    console.say()
    console.table(_table(runs, devices))
    bad = any(one.bad for one in devices)
    code = max((one.code for one in devices), default=0) or (KernelError.exit_code if bad else 0)
    return FleetOutcome(tuple(one.error for one in devices), code)


def _running(devices: Sequence[DeviceProgress]) -> str:
    running = sum(one.state == "running" for one in devices)
    return f"measuring on {count_noun(running, 'device')}"


def _table(runs: Sequence[DeviceRun], devices: Sequence[DeviceProgress]) -> Table:
    """Return a line per device: its cases, its failures, and how quiet its machine was."""
    lines = []
    for run, device in zip(runs, devices, strict=True):
        noise = run.folder.info.noise
        name = run.plan.executor.device.name if run.plan.executor else ""
        cells = (
            device.label,
            name,
            f"{device.done} of {device.total}",
            f"{device.bad}",
            noise.verdict if noise else "",
        )
        is_bad = device.error or device.bad
        lines.append(Line((*cells, device.error or run.folder.path.name), "bad" if is_bad else "good"))
    return Table("", ("device", "model", "cases", "failed", "machine", "run"), tuple(lines))
