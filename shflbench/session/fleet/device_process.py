"""Runs in a Dask worker: keeps the measuring process of each of its devices, and runs jobs in it.

A Dask worker never opens a device itself. The process that does is the one of a run on one GPU (`measure/worker.py`),
with the same supervisor: a crash or a hang costs one case.
"""

from __future__ import annotations

import os
import threading
import traceback
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.cuda.backends.nvml import Monitor
from shflbench.errors import DeviceError, ShflbenchError
from shflbench.measure.events import RoundDone, encode
from shflbench.measure.supervisor import Supervisor, WorkerDevice
from shflbench.session.fleet.condense import Condenser
from shflbench.session.fleet.messages import DeviceReport, JobReport, WorkerReport
from shflbench.session.fleet.packed_job import unpack
from shflbench.session.fleet.pattern_files import unpack_patterns
from shflbench.store import surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.measure.condensed import CondensedEvent
    from shflbench.measure.events import JobEvent
    from shflbench.session.fleet.condense import ProcessNumbers
    from shflbench.session.fleet.messages import JobRequest

CHECK = "Check the installation and the free disk space of the worker's machine"
IDLE_SECONDS = 60.0  # after which the process of a device ends: its client may be gone, and memory is held meanwhile


@dataclass(slots=True)
class DeviceProcess:
    """The supervised process of one device."""

    supervisor: Supervisor
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)  # of the supervisor: its processes count from 0
    owner: str = ""  # the run that it measures for
    passes: int = -1  # number of the pass that it was started for
    lock: threading.Lock = field(default_factory=threading.Lock)  # of the thread that uses the supervisor
    timer: threading.Timer | None = None
    is_stopped: bool = False  # until the device is opened again

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the process while a job uses it, and end it when no job follows."""
        with self.lock:
            if self.timer:
                self.timer.cancel()
            try:
                yield
            finally:
                if self.is_stopped:
                    self.supervisor.close()
                self.timer = threading.Timer(IDLE_SECONDS, self.end_unused)
                self.timer.daemon = True
                self.timer.start()

    def supervise(self, device: WorkerDevice) -> None:
        """End the process of an earlier run, and start without one: nobody has stopped this run yet."""
        self.supervisor.close()
        self.supervisor, self.identity, self.owner = Supervisor(device), uuid.uuid4().hex, ""

    def end_unused(self) -> None:
        """End the process unless a job uses it."""
        if self.lock.acquire(blocking=False):
            try:
                self.supervisor.close()
            finally:
                self.lock.release()


_processes: dict[tuple[str, str], DeviceProcess] = {}  # by opener and its argument: each device has one process
_registry = threading.Lock()


def describe_worker() -> WorkerReport:
    """Say where this worker runs and which code it would run."""
    return WorkerReport(surroundings.host(), os.getpid(), surroundings.versions())


def open_device(device: WorkerDevice) -> DeviceReport:
    """Open a device in a new process and describe it; the report of one that cannot be used has the reason."""
    process = _process_of(device)
    process.is_stopped = False  # before it waits for the job of an earlier run: the client may go away meanwhile
    try:
        with process.in_use():
            process.supervise(device)
            if process.is_stopped:
                process.supervisor.stop()
            opened = process.supervisor.open()
    except DeviceError as error:
        return DeviceReport(device, error=error.message, advice=error.advice)
    except OSError as error:
        return DeviceReport(device, error=f"the measuring process cannot be started: {error}", advice=f"{CHECK}.")
    return DeviceReport(device, encode(opened), number=Monitor(opened.device.uuid).index())


def run_job(device: WorkerDevice, request: JobRequest) -> JobReport:
    """Run a job on a device, in a fresh process if the request belongs to a new pass, and return its events."""
    process = _process_of(device)
    events: list[CondensedEvent] = []
    numbering = request.numbering
    with process.in_use():
        if (process.owner, process.passes) != (request.owner, request.passes):
            if process.owner:
                process.supervisor.close()
            process.owner, process.passes = request.owner, request.passes
        try:
            job = unpack_patterns(unpack(request.job), request.patterns)
            condenser = Condenser(job, numbering) if request.is_condensed else None
            for event in process.supervisor.run(job):
                numbered = _numbered(event, process.identity, numbering)
                events += condenser.condense(numbered) if condenser else [numbered]
            events += condenser.end() if condenser else []
        except ShflbenchError as error:
            return JobReport(tuple(events), numbering, error.message, error.advice)
        except Exception as error:  # noqa: BLE001  (it ends the run of this device, not those of all others)
            sentence = f"its worker failed: {type(error).__name__}: {error}"
            advice = f"{CHECK}, then resume the run: --resume."
            return JobReport(tuple(events), numbering, sentence, advice, traceback.format_exc())
    return JobReport(tuple(events), numbering)


def _numbered(event: JobEvent, identity: str, numbering: ProcessNumbers) -> JobEvent:
    """Return the event with the number of its process in the run."""
    return replace(event, process=numbering.number(identity, event.process)) if isinstance(event, RoundDone) else event


def other_processes(device: WorkerDevice, device_uuid: str) -> int | None:
    """Return the number of other processes on a GPU; None if unknown."""
    return Monitor(device_uuid).other_processes({os.getpid(), *_process_of(device).supervisor.pids})


def close_device(device: WorkerDevice) -> None:
    """End the process of a device, also in the middle of a job, whose thread then closes what belongs to it."""
    process = _process_of(device)
    process.is_stopped = True
    process.supervisor.stop()
    process.end_unused()


def _process_of(device: WorkerDevice) -> DeviceProcess:
    key = device.opener, device.argument
    with _registry:
        if key not in _processes:
            _processes[key] = DeviceProcess(Supervisor(device))
        return _processes[key]
