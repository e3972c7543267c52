"""Execute the jobs of a run on one device of a cluster, and go on after its worker was lost and came back."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from shflbench.errors import DeviceError
from shflbench.fleet import device_process
from shflbench.fleet.cluster import WorkerLostError
from shflbench.fleet.messages import JobRequest
from shflbench.measure.events import CaseFailed, Note, Opened, RoundDone, decode
from shflbench.measure.executor import Executor
from shflbench.model import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from shflbench.fleet.cluster import Cluster
    from shflbench.fleet.messages import DeviceReport, PatternFiles
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job
    from shflbench.measure.supervisor import WorkerDevice

MOST_LOSSES = 2  # of a worker at the same group, after which its cases count as failed


@dataclass(frozen=True, slots=True)
class FleetDevice:
    """A device and the worker that offers it."""

    worker: str  # its address
    host: str
    place: WorkerDevice  # how the worker opens it
    opened: Opened

    @classmethod
    def of(cls, worker: str, host: str, report: DeviceReport) -> FleetDevice:
        """Return the device of a report without an error."""
        opened = decode(report.opened)
        assert isinstance(opened, Opened)  # noqa: S101  (what `open_device` encodes)
        return cls(worker, host, report.device, opened)

    @property
    def label(self) -> str:
        """The device in the words of a progress line: host and index."""
        return f"{self.host}:{self.opened.device.index}"


class Finder(Protocol):
    """Finds the worker that offers a device after its worker was lost."""

    def __call__(self, lost: FleetDevice) -> FleetDevice | None:
        """Return the device with its new worker; None if no worker offers it in time."""
        ...


@dataclass(frozen=True, slots=True)
class FleetContext:
    """What the executors of all devices of a run share."""

    cluster: Cluster
    find_again: Finder
    owner: str  # a unique name of the run
    patterns: Mapping[str, PatternFiles]  # what workers need of each
    is_stopped: Callable[[], bool]


class RemoteExecutor(Executor):
    """Executes jobs on a device of a cluster."""

    def __init__(self, context: FleetContext, fleet_device: FleetDevice) -> None:
        """Run jobs on `fleet_device`."""
        opened = fleet_device.opened
        self.name, self.device, self.problem = opened.name, opened.device, opened.problem
        self.timed = fleet_device.place.code == "cubin"
        self.losses: list[str] = []  # a sentence on each loss of a worker
        self._context, self._at = context, fleet_device
        self._passes = 0
        self._processes: dict[tuple[str, int], int] = {}  # of a supervisor → number in the run

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Execute a job; DeviceError if no worker offers the device any more.

        A timed window is one call. When its worker is lost, its groups are called one by one; the cases of a group at
        which a worker was lost again fail.
        """
        if self.timed:
            try:
                yield from self._call(job)
            except WorkerLostError as loss:
                yield self._move(loss)
            else:
                return
        for group in job.groups:
            yield from self._group(replace(job, groups=(group,)))

    def _group(self, job: Job) -> Iterator[JobEvent]:
        for _ in range(MOST_LOSSES):
            try:
                yield from self._call(job)
            except WorkerLostError as loss:
                yield self._move(loss)
                reason = str(loss)
            else:
                return
        for task in job.groups[0]:
            yield CaseFailed(task.case.id, Status.FAILED, f"its worker was lost {MOST_LOSSES} times: {reason}")

    def _call(self, job: Job) -> list[JobEvent]:
        """Return the events of a job when it is complete."""
        request = JobRequest(
            self._context.owner, self._passes, job.to_json(self._at.place.code), self._context.patterns
        )
        at = self._at
        report = self._context.cluster.call(at.worker, device_process.run_job, at.place, request)
        if self._context.is_stopped():
            raise DeviceError("the run was stopped")
        if report.error:
            raise DeviceError(report.error, report.advice)
        return [self._numbered(decode(line), report.identity) for line in report.events]

    def _numbered(self, event: JobEvent, identity: str) -> JobEvent:
        """Return the event with the number of its process in the run."""
        if not isinstance(event, RoundDone):
            return event
        number = self._processes.setdefault((identity, event.process), len(self._processes))
        return replace(event, process=number)

    def _move(self, loss: WorkerLostError) -> Note:
        """Find the worker that offers the device now; DeviceError if there is none."""
        if self._context.is_stopped():
            raise DeviceError("the run was stopped")
        self.losses.append(str(loss))
        began = time.monotonic()
        now = self._context.find_again(self._at)
        if now is None:
            waited = time.monotonic() - began
            raise DeviceError(
                f"{loss}, and no worker offered {self._at.label} again within {waited:.0f} s",
                "Start a worker for it, and resume the run: --resume.",
            )
        self._at = now
        return Note(f"{self._at.label}: {loss}; measuring continues with worker {now.worker}")

    def restart(self) -> None:
        """Use a fresh process from the next job on."""
        self._passes += 1

    def others(self) -> int | None:
        """Return the number of other processes on the GPU now; None if unknown or if the worker was lost."""
        try:
            return self._context.cluster.call(
                self._at.worker, device_process.other_processes, self._at.place, self.device.uuid
            )
        except WorkerLostError:
            return None

    def close(self) -> None:
        """Let the worker end the process of the device."""
        self._context.cluster.call_now([self.closing()])

    def closing(self) -> tuple[str, Callable[..., object], tuple[WorkerDevice]]:
        """Return the call that ends the process of the device, for `Cluster.call_now`."""
        return self._at.worker, device_process.close_device, (self._at.place,)

    @property
    def at(self) -> FleetDevice:
        """The device and the worker that offers it now."""
        return self._at
