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

from shflbench.backends.nvml import Monitor
from shflbench.errors import DeviceError, ShflbenchError
from shflbench.fleet.condense import Condenser
from shflbench.fleet.messages import DeviceReport, JobReport, WorkerReport
from shflbench.fleet.packed_job import unpack
from shflbench.fleet.pattern_files import unpacked
from shflbench.measure.events import RoundDone, encode
from shflbench.measure.supervisor import Supervisor, WorkerDevice
from shflbench.store import surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.fleet.condense import ProcessNumbers
    from shflbench.fleet.messages import JobRequest
    from shflbench.measure.condensed import CondensedEvent
    from shflbench.measure.events import JobEvent

REMEDY = "Check the installation and the free disk space of the worker's machine, then resume the run: --resume."
IDLE_SECONDS = 60.0  # after which the process of a device ends: its client may be gone, and memory is held meanwhile


@dataclass(slots=True)
class DeviceProcess:
    """The supervised process of one device."""

    supervisor: Supervisor
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)  # process numbers begin at 0 in each
    owner: str = ""  # the run that it measures for
    passes: int = -1  # number of the pass that it was started for
    lock: threading.Lock = field(default_factory=threading.Lock)
    timer: threading.Timer | None = None
    stopped: bool = False

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the process while a job uses it, and end it when no job follows."""
        with self.lock:
            if self.timer:
                self.timer.cancel()
            try:
                yield
            finally:
                self.timer = threading.Timer(IDLE_SECONDS, self._end_idle)
                self.timer.daemon = True
                self.timer.start()

    def _end_idle(self) -> None:
        if self.lock.acquire(blocking=False):
            try:
                self.supervisor.close()
            finally:
                self.lock.release()


_processes: dict[WorkerDevice, DeviceProcess] = {}
_registry = threading.Lock()


def describe_worker() -> WorkerReport:
    """Say where this worker runs and which code it would run."""
    return WorkerReport(surroundings.host(), os.getpid(), surroundings.versions())


def open_device(device: WorkerDevice) -> DeviceReport:
    """Open a device in a new process and describe it; the report of one that cannot be used has the reason."""
    process = _process_of(device)
    try:
        with process.in_use():
            process.supervisor.close()  # of an earlier run
            process.owner, process.stopped = "", False
            opened = process.supervisor.open()
            if process.stopped:  # the client went away before there was a process to end
                process.supervisor.close()
    except DeviceError as error:
        return DeviceReport(device, error=error.message, advice=error.advice)
    return DeviceReport(device, encode(opened), number=Monitor(opened.device.uuid).index())


def run_job(device: WorkerDevice, request: JobRequest) -> JobReport:
    """Run a job on a device, in a fresh process if the request belongs to a new pass, and return its events."""
    process = _process_of(device)
    events: list[CondensedEvent] = []
    numbering = request.numbering
    with process.in_use():
        process.stopped = False
        if (process.owner, process.passes) != (request.owner, request.passes):
            if process.owner:
                process.supervisor.close()
            process.owner, process.passes = request.owner, request.passes
        try:
            job = unpacked(unpack(request.job), request.patterns)
            condenser = Condenser(job, numbering) if request.is_condensed else None
            for event in process.supervisor.run(job):
                numbered = _numbered(event, process.identity, numbering)
                events += condenser.condense(numbered) if condenser else [numbered]
                if process.stopped:
                    break
            events += condenser.end() if condenser else []
        except ShflbenchError as error:
            return JobReport(tuple(events), numbering, error.message, error.advice)
        except Exception as error:  # noqa: BLE001  (it ends the run of this device, not those of all others)
            sentence = f"its worker failed: {type(error).__name__}: {error}"
            return JobReport(tuple(events), numbering, sentence, REMEDY, traceback.format_exc())
    return JobReport(tuple(events), numbering)


def _numbered(event: JobEvent, identity: str, numbering: ProcessNumbers) -> JobEvent:
    """Return the event with the number of its process in the run."""
    return replace(event, process=numbering.number(identity, event.process)) if isinstance(event, RoundDone) else event


def other_processes(device: WorkerDevice, device_uuid: str) -> int | None:
    """Return the number of other processes on a GPU; None if unknown."""
    return Monitor(device_uuid).other_processes({os.getpid(), *_process_of(device).supervisor.pids})


def close_device(device: WorkerDevice) -> None:
    """End the process of a device, also in the middle of a job."""
    process = _process_of(device)
    process.stopped = True
    process.supervisor.close()


def _process_of(device: WorkerDevice) -> DeviceProcess:
    with _registry:
        if device not in _processes:
            _processes[device] = DeviceProcess(Supervisor(device))
        return _processes[device]
