"""Run a suite on several devices at the same time, each in a thread of the client, and report what happens."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ShflbenchError
from shflbench.session import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.fleet.executor import RemoteExecutor
    from shflbench.session import Plan, RunEvent
    from shflbench.session.kernels import CompiledKernels
    from shflbench.store import ResumedRun, RunFolder

JOIN_SECONDS = 15.0  # for the threads to end after the run was stopped


@dataclass(frozen=True, slots=True)
class DeviceRun:
    """The run of one device: its plan, whose executor is remote, and its folder."""

    label: str
    plan: Plan
    executor: RemoteExecutor
    folder: RunFolder
    stopped: ResumedRun | None
    compiled: CompiledKernels


@dataclass(frozen=True, slots=True)
class DeviceDone:
    """The run of a device has ended; with an error if it is not complete."""

    error: ShflbenchError | None = None


@dataclass(frozen=True, slots=True)
class FleetEvent:
    """An event of one device."""

    place: int  # of its run in the sequence given to `run_fleet`
    event: RunEvent | DeviceDone


def run_fleet(runs: Sequence[DeviceRun], stop: threading.Event) -> Iterator[FleetEvent]:
    """Run all at the same time, and yield their events until all have ended.

    If the caller stops iterating, for example after Ctrl-C, `stop` is set, and the threads end after their current
    call. An error that is not one of shflbench's is raised.
    """
    events: queue.SimpleQueue[FleetEvent | BaseException] = queue.SimpleQueue()
    threads = [
        threading.Thread(target=_measure, args=(place, one, events), name=one.label, daemon=True)
        for place, one in enumerate(runs)
    ]
    try:
        for thread in threads:
            thread.start()
        running = len(threads)
        while running:
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            running -= isinstance(event.event, DeviceDone)
            yield event
    finally:
        stop.set()
        for thread in threads:
            thread.join(JOIN_SECONDS)


def _measure(place: int, one: DeviceRun, events: queue.SimpleQueue[FleetEvent | BaseException]) -> None:
    try:
        for event in run(one.plan, one.folder, one.stopped, compiled=one.compiled):
            events.put(FleetEvent(place, event))
        events.put(FleetEvent(place, DeviceDone()))
    except ShflbenchError as error:
        events.put(FleetEvent(place, DeviceDone(error)))
    except BaseException as error:  # noqa: BLE001  (raised in the main thread)
        events.put(error)
