"""Supervise worker processes: attribute a crash or a hang to the case that runs, and continue in another process."""

from __future__ import annotations

import select
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.core.model import Status
from shflbench.errors import DeviceError
from shflbench.measure.events import (
    CaseFailed,
    ContextLost,
    Converged,
    GridResolved,
    ImportStarted,
    JobDone,
    Opened,
    OpenFailed,
    RoundDone,
    SentinelFailed,
    StepStarted,
)
from shflbench.measure.process import Worker, WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator

    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Code, Job

START_SECONDS = 120.0  # to import CUDA's packages and open the device, on a busy machine
# Consecutive crashes without progress, for example on the first launch on a broken device. The first one is tolerated:
# a worker may have been killed from outside between two kernels.
MOST_IDLE_DEATHS = 2

DOCTOR = "Run `shflbench doctor`."


@dataclass(frozen=True, slots=True)
class WorkerDevice:
    """The device of a worker process, and how messages refer to it."""

    opener: str  # `module:function`, which is called with the argument
    argument: str
    noun: str = "GPU"
    remedy: str = "Check the GPU with `nvidia-smi`, then resume the run: --resume."
    code: Code = "cubin"  # that it runs
    timeout: float | None = None  # the longest time between two events, in seconds; None: unlimited


class Supervisor:
    """Runs jobs in one worker process after another; a crash or a hang fails only the case that ran."""

    def __init__(self, worker_device: WorkerDevice, worker: Worker | None = None) -> None:
        """Start no process yet; the first one is `worker`, if that was started for this device before."""
        self._worker_device = worker_device
        self._number = -1 if worker is None else 0  # of the worker process
        self._round = 0  # the next one
        self._failed_sentinels: set[str] = set()
        self._worker = worker
        self._is_open = self._is_stopped = False

    def start(self) -> Worker:
        """Return the worker process; start it if there is none, DeviceError after `stop`.

        Its device may not be open yet.
        """
        if self._worker is None:
            self._end_if_stopped()
            self._worker = Worker(self._worker_device.opener, self._worker_device.argument)
            self._number, self._round, self._is_open = self._number + 1, 0, False
            self._end_if_stopped()  # meanwhile, when there was no process to kill
        return self._worker

    def _end_if_stopped(self) -> None:
        if self._is_stopped:
            self.close()
            raise DeviceError("the run was stopped")

    def open(self) -> Opened:
        """Wait until a new worker has opened its device; DeviceError if it cannot."""
        try:
            event = self.start().receive(START_SECONDS)
        except WorkerDiedError as death:
            self.close()
            raise DeviceError(f"the {self._worker_device.noun} cannot be opened: {death}", DOCTOR) from death
        match event:
            case Opened():
                self._is_open = True
                return event
            case OpenFailed(sentence, advice):
                self.close()
                raise DeviceError(sentence, advice)
        raise AssertionError(event)

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Run the job, in several processes if one crashes; DeviceError if the device cannot be used any more."""
        done: set[str] = set()
        idle_deaths = 0
        while (rest := job.without(done)).groups:
            before = len(done) + len(self._failed_sentinels)
            death = yield from self._attempt(rest, done)
            if death is None:
                return
            self.close()
            idle_deaths = 0 if len(done) + len(self._failed_sentinels) > before else idle_deaths + 1
            if idle_deaths == MOST_IDLE_DEATHS:
                raise DeviceError(
                    f"the {self._worker_device.noun} cannot be used any more: {death}", self._worker_device.remedy
                )

    def _attempt(self, job: Job, done: set[str]) -> Generator[JobEvent, None, WorkerDiedError | None]:
        """Run the job in one process and add finished cases to `done`; return how the process died, None if it did not.

        The step that was running when the process died is reported as failed.
        """
        running = ""
        try:
            for event in self._events(job):
                match event:
                    case StepStarted(case_id):
                        running = case_id
                    case GridResolved():
                        pass  # every other event ends the step
                    case _:
                        running = ""
                self._note(event, done)
                yield event
        except WorkerDiedError as death:
            if running:
                is_case = running in job
                last = (
                    CaseFailed(running, Status.FAILED, str(death)) if is_case else SentinelFailed(running, str(death))
                )
                self._note(last, done)
                yield last
            return death
        return None

    def _note(self, event: JobEvent, done: set[str]) -> None:
        match event:
            case CaseFailed(case_id) | Converged(case_id):
                done.add(case_id)
            case SentinelFailed(sentinel):
                self._failed_sentinels.add(sentinel)
            case RoundDone(number=number):
                self._round = number + 1

    def _events(self, job: Job) -> Iterator[JobEvent]:
        """Yield the worker's events for `job`; WorkerDiedError if it does not complete."""
        worker = self.start()
        if not self._is_open:
            self._open_in_job()
        failed_sentinels = tuple(sorted(self._failed_sentinels))
        job = replace(job, process=self._number, first_round=self._round, failed_sentinels=failed_sentinels)
        timeout = self._worker_device.timeout
        worker.send(job.to_json(self._worker_device.code), timeout)
        while not isinstance(event := worker.receive(timeout), JobDone):
            if isinstance(event, ContextLost):
                raise WorkerDiedError("a crashed kernel destroyed its context")
            timeout = None if isinstance(event, ImportStarted) else self._worker_device.timeout
            yield event

    def _open_in_job(self) -> None:
        try:
            self.open()
        except DeviceError as error:
            if not self._number:
                raise
            sentence = f"the {self._worker_device.noun} cannot be used any more: {error.message}"
            raise DeviceError(sentence, self._worker_device.remedy) from error

    @property
    def pids(self) -> set[int]:
        """The id of the worker process, if there is one."""
        worker = self._worker  # another thread may end it meanwhile
        return {worker.pid} if worker else set()

    def fileno(self) -> int:
        """Return the pipe through which the worker sends events."""
        return self.start().fileno()

    @property
    def has_event(self) -> bool:
        """Whether another event was already read from the pipe."""
        return self.start().has_event

    def close(self) -> None:
        """End the process, in the thread that runs jobs."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def stop(self) -> None:
        """Kill the process and start no other one: a job that another thread runs ends with DeviceError."""
        self._is_stopped = True
        if worker := self._worker:
            worker.kill()


def ready(supervisors: Collection[Supervisor]) -> list[Supervisor]:
    """Wait for an event of any worker, and return the supervisors that have one."""
    buffered = [supervisor for supervisor in supervisors if supervisor.has_event]
    return buffered or select.select(supervisors, [], [])[0]
