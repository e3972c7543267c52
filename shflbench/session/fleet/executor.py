"""Execute the jobs of a run on one device of a cluster, and go on after its worker was lost and came back."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from shflbench.core.model import Status
from shflbench.errors import DeviceError
from shflbench.measure.events import CaseFailed, Note, Opened, decode
from shflbench.measure.executor import Executor
from shflbench.session.fleet import device_process
from shflbench.session.fleet.cluster import SHORT_SECONDS, WorkerLostError
from shflbench.session.fleet.condense import ProcessNumbers
from shflbench.session.fleet.messages import JobRequest
from shflbench.session.fleet.packed_job import JobPacker

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from shflbench.measure.condensed import CondensedEvent
    from shflbench.measure.job import Job
    from shflbench.measure.supervisor import WorkerDevice
    from shflbench.session.fleet.cluster import Cluster
    from shflbench.session.fleet.messages import DeviceReport, JobReport, PatternFiles, WorkerReport

MOST_LOSSES = 2  # of a worker at the same group, after which its cases count as failed


@dataclass(frozen=True, slots=True)
class FleetDevice:
    """A device and the worker that offers it."""

    worker: str  # its address
    report: WorkerReport
    place: WorkerDevice  # how the worker opens it
    opened: Opened
    number: int  # by which nvidia-smi lists the GPU: CUDA_VISIBLE_DEVICES does not change it

    @classmethod
    def of(cls, worker: str, report: WorkerReport, described: DeviceReport) -> FleetDevice:
        """Return the device that a worker `described` without an error."""
        opened = decode(described.opened)
        assert isinstance(opened, Opened)  # noqa: S101  (what `open_device` encodes)
        number = opened.device.index if described.number is None else described.number
        return cls(worker, report, described.device, opened, number)

    @property
    def host(self) -> str:
        """The name of the worker's machine."""
        return self.report.host.name

    @property
    def label(self) -> str:
        """The device in the words of a progress line: host and number."""
        return f"{self.host}:{self.number}"

    @property
    def description(self) -> str:
        """The device and its worker in the words of a log."""
        device = self.opened.device
        driver = f", driver {device.driver}" if device.driver else ""
        return (
            f"{device.name}, {device.uuid}{driver}, CUDA device {device.index} of worker {self.worker} on {self.host}"
        )


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
    packer: JobPacker = field(default_factory=JobPacker)


class RemoteExecutor(Executor):
    """Executes jobs on a device of a cluster."""

    windowed = True

    def __init__(self, context: FleetContext, fleet_device: FleetDevice, log: Callable[[str], None]) -> None:
        """Run jobs on `fleet_device`; `log` writes a message for an administrator."""
        opened = fleet_device.opened
        self.name, self.device, self.problem = opened.name, opened.device, opened.problem
        self.timed = fleet_device.place.code == "cubin"
        self.losses: list[str] = []  # a sentence on each loss of a worker
        self.log, self._context, self._at = log, context, fleet_device
        self._passes = 0
        self._following: Job | None = None
        self._early: tuple[Job, Future[JobReport]] | None = None  # the call of a window before it is asked for
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=fleet_device.label)
        self._numbering = ProcessNumbers()

    def run(self, job: Job) -> Generator[CondensedEvent, None, None]:
        """Execute a job; DeviceError if no worker offers the device any more.

        A timed window is one call. The call of the window that follows starts before its events are processed, so that
        the device does not wait for that. When its worker is lost, its groups are called one by one; the cases of a
        group at which a worker was lost again fail.
        """
        if self.timed:
            try:
                events = self._call(job)
                if following := self._following:
                    self._early = following, self._pool.submit(self._report_on, following)
                yield from events
            except WorkerLostError as loss:
                yield self._move(loss)
            else:
                return
            self.log(f"repeats {len(job.groups)} groups of the window one by one")
        for group in job.groups:
            yield from self._group(replace(job, groups=(group,)))

    def resume_at(self, process: int) -> None:
        """Start with this number of a process: the run was stopped after those before it."""
        self._numbering = ProcessNumbers(process)

    def _group(self, job: Job) -> Iterator[CondensedEvent]:
        for attempt in range(MOST_LOSSES):
            if attempt:
                self.log(f"repeats the group {job.groups[0][0].case.group}")
            try:
                yield from self._call(job)
            except WorkerLostError as loss:
                yield self._move(loss)
                reason = str(loss)
            else:
                return
        for task in job.groups[0]:
            yield CaseFailed(task.case.id, Status.FAILED, f"its worker was lost {MOST_LOSSES} times: {reason}")

    def _call(self, job: Job) -> Sequence[CondensedEvent]:
        """Return the events of a job when it is complete."""
        early, self._early = self._early, None
        report = early[1].result() if early and early[0] is job else self._report_on(job)
        if self._context.is_stopped():
            raise DeviceError("the run was stopped")
        if report.error:
            if report.details:
                self.log(f"worker {self._at.worker} failed\n{report.details}")
            raise DeviceError(report.error, report.advice)
        self._numbering = report.numbering
        return report.events

    def _report_on(self, job: Job) -> JobReport:
        at, context = self._at, self._context
        packed = context.packer.pack(job, at.place.code)
        is_condensed = self.timed and job.rules.processes == 1  # else an estimate needs samples of other processes
        request = JobRequest(context.owner, self._passes, packed, context.patterns, self._numbering, is_condensed)
        return context.cluster.call(at.worker, device_process.run_job, at.place, request)

    def _move(self, loss: WorkerLostError) -> Note:
        """Find the worker that offers the device now; DeviceError if there is none."""
        if self._context.is_stopped():
            raise DeviceError("the run was stopped")
        self.losses.append(str(loss))
        self.log(f"lost: {loss}")
        began = time.monotonic()
        now = self._context.find_again(self._at)
        if now is None:
            waited = time.monotonic() - began
            raise DeviceError(
                f"{loss}, and no worker offered {self._at.label} again within {waited:.0f} s",
                "Start a worker for it, and resume the run: --resume.",
            )
        self._at = now
        self.log(f"opened again: {now.description}")
        return Note(f"{loss}; measuring continues with worker {now.worker}")

    def announce(self, job: Job | None) -> None:
        """Start this job when the next one is complete."""
        self._following = job

    def restart(self) -> None:
        """Use a fresh process from the next job on."""
        self._passes += 1
        self.log(f"pass {self._passes + 1} over the cases, in a new process")

    def others(self) -> int | None:
        """Return the number of other processes on the GPU now; None if unknown, or if the worker does not answer."""
        try:
            return self._context.cluster.call_within(
                SHORT_SECONDS, self._at.worker, device_process.other_processes, self._at.place, self.device.uuid
            )
        except WorkerLostError:
            return None

    def close(self) -> None:
        """Let the worker end the process of the device."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._context.cluster.call_now([self.closing()])

    def closing(self) -> tuple[str, Callable[..., object], tuple[WorkerDevice]]:
        """Return the call that ends the process of the device, for `Cluster.call_now`."""
        return self._at.worker, device_process.close_device, (self._at.place,)

    @property
    def at(self) -> FleetDevice:
        """The device and the worker that offers it now."""
        return self._at
