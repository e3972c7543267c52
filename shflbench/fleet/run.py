"""Run a suite on several devices at the same time, each in a thread of the client, and report what happens."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shflbench.errors import ShflbenchError
from shflbench.session import Note, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shflbench.fleet.executor import FleetDevice, RemoteExecutor
    from shflbench.session import Plan, RunEvent
    from shflbench.session.kernels import CompiledKernels
    from shflbench.store import ResumedRun, RunFolder

JOIN_SECONDS = 15.0  # for the threads to end after the run was stopped
LOOK_SECONDS = 2.0  # between two looks for devices that join


@dataclass(frozen=True, slots=True)
class DeviceRun:
    """The run of one device: its plan, whose executor is remote, and its folder."""

    label: str
    plan: Plan
    executor: RemoteExecutor
    folder: RunFolder
    stopped: ResumedRun | None
    compiled: CompiledKernels | None  # None: the run compiles them


@dataclass(frozen=True, slots=True)
class DeviceDone:
    """The run of a device has ended; with an error if it is not complete."""

    error: ShflbenchError | None = None


@dataclass(frozen=True, slots=True)
class DeviceJoined:
    """A device was opened that no run uses yet."""

    device: FleetDevice


@dataclass(frozen=True, slots=True)
class FleetEvent:
    """An event of one device."""

    place: int  # of its run in the sequence given to `run_fleet`; -1 if it belongs to none
    event: RunEvent | DeviceDone | DeviceJoined


# Opens devices that joined, and returns them with a sentence about each that cannot be used.
FindNew: TypeAlias = "Callable[[], tuple[list[FleetDevice], list[str]]]"
Events: TypeAlias = "queue.SimpleQueue[FleetEvent | BaseException]"


def run_fleet(
    runs: Sequence[DeviceRun], stop: threading.Event, find_new: FindNew | None = None
) -> Iterator[FleetEvent]:
    """Run all at the same time, and yield their events until all have ended.

    Runs that the caller appends to `runs` between two events are started too. With `find_new`, devices that join are
    reported. If the caller stops iterating, for example after Ctrl-C, `stop` is set, and the threads end. An error that
    is not one of shflbench's is raised.
    """
    events: Events = queue.SimpleQueue()
    threads: list[threading.Thread] = []
    looking = threading.Thread(target=_look, args=(find_new, stop, events), name="look for devices", daemon=True)
    looking.start()
    ended = 0
    try:
        while True:
            for place in range(len(threads), len(runs)):
                one = runs[place]
                threads.append(
                    threading.Thread(target=_measure, args=(place, one, events), name=one.label, daemon=True)
                )
                threads[-1].start()
            if ended == len(runs):
                return
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            ended += isinstance(event.event, DeviceDone)
            yield event
    finally:
        stop.set()
        for thread in (looking, *threads):
            thread.join(JOIN_SECONDS)


def _look(find_new: FindNew | None, stop: threading.Event, events: Events) -> None:
    """Report devices that join, until the fleet run ends."""
    try:
        while find_new and not stop.wait(LOOK_SECONDS):
            devices, problems = find_new()
            for sentence in problems:
                events.put(FleetEvent(-1, Note(sentence)))
            for device in devices:
                events.put(FleetEvent(-1, DeviceJoined(device)))
    except BaseException as error:  # noqa: BLE001  (raised in the main thread)
        events.put(error)


def _measure(place: int, one: DeviceRun, events: Events) -> None:
    try:
        for event in run(one.plan, one.folder, one.stopped, compiled=one.compiled):
            events.put(FleetEvent(place, event))
        events.put(FleetEvent(place, DeviceDone()))
    except ShflbenchError as error:
        events.put(FleetEvent(place, DeviceDone(error)))
    except BaseException as error:  # noqa: BLE001  (raised in the main thread)
        events.put(error)
