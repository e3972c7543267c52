"""Run a suite on several devices at the same time, each in a thread of the client, and report what happens."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shflbench.errors import ShflbenchError
from shflbench.session import GroupDone, Note, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.session import Plan, RunEvent
    from shflbench.session.fleet.executor import FleetDevice, RemoteExecutor
    from shflbench.session.kernels import CompiledKernels
    from shflbench.store import ResumedRun, RunFolder

REPORT = "Report this with the log, and resume the run: --resume."
JOIN_SECONDS = 15.0  # for all threads to end after the run was stopped
LOOK_SECONDS = 2.0  # between two looks for devices that join
REPORTED = (GroupDone, Note)  # events of a run; the steps in between would wake the main thread for nothing
WAIT_SECONDS = 1.0  # for an event, after which the caller gets `NoEvent`


@dataclass(frozen=True, slots=True)
class DeviceRun:
    """The run of one device: its plan, whose executor is remote, and its folder."""

    label: str
    plan: Plan
    executor: RemoteExecutor
    folder: RunFolder
    stopped: ResumedRun | None
    kernels: Mapping[str, CompiledKernels]  # by architecture, when the run starts; it compiles those that are missing


@dataclass(frozen=True, slots=True)
class DeviceDone:
    """The run of a device has ended; with an error if it is not complete."""

    error: ShflbenchError | None = None


@dataclass(frozen=True, slots=True)
class DeviceJoined:
    """A device was opened that no run uses yet."""

    device: FleetDevice


@dataclass(frozen=True, slots=True)
class NoEvent:
    """Nothing happened within `WAIT_SECONDS`."""


@dataclass(frozen=True, slots=True)
class FleetEvent:
    """An event of one device."""

    place: int  # of its run in the sequence given to `FleetThreads`; -1 if it belongs to none
    event: RunEvent | DeviceDone | DeviceJoined | NoEvent


# Opens devices that joined, and returns them with a sentence about each that cannot be used.
FindNew: TypeAlias = "Callable[[], tuple[list[FleetDevice], list[str]]]"
Events: TypeAlias = "queue.SimpleQueue[FleetEvent]"


class FleetThreads:
    """A thread per device, and one that looks for devices that join."""

    def __init__(self, runs: Sequence[DeviceRun], stop: threading.Event, find_new: FindNew | None = None) -> None:
        """Measure `runs`; with `find_new`, devices that join are reported. All threads end soon after `stop`."""
        self._runs, self._stop, self._find_new = runs, stop, find_new
        self._events: Events = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def events(self) -> Iterator[FleetEvent]:
        """Start all runs, and yield their events until all have ended.

        Runs that the caller appends to the sequence between two events are started too. An error ends the run of its
        device only.
        """
        self._start(_look, self._find_new, self._stop, self._events, name="look for devices")
        started = ended = 0
        while True:
            for place in range(started, len(self._runs)):
                self._start(_measure, place, self._runs[place], self._events, name=self._runs[place].label)
            started = len(self._runs)
            if ended == started:
                return
            try:
                event = self._events.get(timeout=WAIT_SECONDS)
            except queue.Empty:
                event = FleetEvent(-1, NoEvent())
            ended += isinstance(event.event, DeviceDone)
            yield event

    def end(self) -> None:
        """Stop all threads, and wait at most `JOIN_SECONDS` for their end."""
        self._stop.set()
        end = time.monotonic() + JOIN_SECONDS
        for thread in self._threads:
            if thread.is_alive():  # Ctrl-C may have come before it was started
                thread.join(max(0.0, end - time.monotonic()))

    def _start(self, function: Callable[..., None], *arguments: object, name: str) -> None:
        self._threads.append(threading.Thread(target=function, args=arguments, name=name, daemon=True))
        self._threads[-1].start()


def _look(find_new: FindNew | None, stop: threading.Event, events: Events) -> None:
    """Report devices that join, until the fleet run ends."""
    try:
        while find_new and not stop.wait(LOOK_SECONDS):
            devices, problems = find_new()
            for sentence in problems:
                events.put(FleetEvent(-1, Note(sentence)))
            for device in devices:
                events.put(FleetEvent(-1, DeviceJoined(device)))
    except BaseException as error:  # noqa: BLE001  (whatever it is, the devices that measure go on)
        events.put(FleetEvent(-1, Note(f"devices that join are not used any more: {_described(error)}")))


def _measure(place: int, one: DeviceRun, events: Events) -> None:
    try:
        for event in run(one.plan, one.folder, one.stopped, compiled=one.kernels.get(one.plan.arch)):
            if isinstance(event, REPORTED):
                events.put(FleetEvent(place, event))
        events.put(FleetEvent(place, DeviceDone()))
    except ShflbenchError as error:
        events.put(FleetEvent(place, DeviceDone(error)))
    except BaseException as error:  # noqa: BLE001  (whatever it is, the other devices go on)
        with suppress(ShflbenchError):  # the log cannot be written
            one.executor.log(f"the run failed\n{traceback.format_exc()}")
        events.put(FleetEvent(place, DeviceDone(ShflbenchError(f"its run failed: {_described(error)}", REPORT))))


def _described(error: BaseException) -> str:
    return str(error) if isinstance(error, ShflbenchError) else f"{type(error).__name__}: {error}"
