"""Keep a worker process at work: attribute a crash or a hang to the case at hand, and go on in another process."""

from __future__ import annotations

import select
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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
from shflbench.model import Status

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator

    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Code, Job

START_SECONDS = 120.0  # to import CUDA's packages and open the device, on a machine that is busy
# Deaths in a row that brought a job no further, as by a job's first launch of a device that is broken. One is forgiven:
# somebody may kill a worker between two kernels.
MOST_IDLE_DEATHS = 2

DOCTOR = "`shflbench doctor` says what it finds"


@dataclass(frozen=True, slots=True)
class WorkerDevice:
    """What a worker process opens, and how it is spoken of."""

    opener: str  # `module:function`, which is called with the argument
    argument: str
    noun: str = "GPU"
    remedy: str = "`nvidia-smi` should say what is wrong; once it is mended, go on with --resume"
    code: Code = "cubin"  # what it runs
    timeout: float | None = None  # seconds for which it may be silent; None: as long as it likes


class Supervisor:
    """Does jobs in one worker process after another: what crashes or hangs costs its own case."""

    def __init__(self, worker_device: WorkerDevice) -> None:
        """Start no process yet."""
        self._worker_device = worker_device
        self._number = -1  # of the worker process
        self._round = 0  # the next one
        self._failed_sentinels: set[str] = set()
        self._worker: Worker | None = None
        self._is_open = False

    def start(self) -> Worker:
        """Start a worker process unless there is one, and return it; its device may not be open yet."""
        if self._worker is None:
            self._worker = Worker(self._worker_device.opener, self._worker_device.argument)
            self._number, self._round, self._is_open = self._number + 1, 0, False
        return self._worker

    def open(self) -> Opened:
        """Wait for the device of a new worker; DeviceError where it cannot be used."""
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
        """Do the job, in as many processes as it takes; DeviceError where the device cannot be used any more."""
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
        """Do the job in one process, adding to `done` what it is done with; return how that died, None if it did not.

        A death is told as the end of what was at hand.
        """
        at_hand = ""
        try:
            for event in self._events(job):
                match event:
                    case StepStarted(case_id):
                        at_hand = case_id
                    case GridResolved():
                        pass  # any other event ends the step that was started
                    case _:
                        at_hand = ""
                self._note(event, done)
                yield event
        except WorkerDiedError as death:
            if at_hand:
                failed = at_hand in job
                last = CaseFailed(at_hand, Status.FAILED, str(death)) if failed else SentinelFailed(at_hand, str(death))
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
        """Yield what a worker tells about `job`; WorkerDiedError if it does not get to its end."""
        worker = self.start()
        if not self._is_open:
            self._open_in_job()
        failed_sentinels = tuple(sorted(self._failed_sentinels))
        job = replace(job, process=self._number, first_round=self._round, failed_sentinels=failed_sentinels)
        timeout = self._worker_device.timeout
        worker.send(job.to_json(self._worker_device.code), timeout)
        while not isinstance(event := worker.receive(timeout), JobDone):
            if isinstance(event, ContextLost):
                raise WorkerDiedError("a kernel that crashed took its context along")
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
        """The number of the worker process, if there is one."""
        return {self._worker.pid} if self._worker else set()

    def fileno(self) -> int:
        """Return the pipe that a worker at work reports through."""
        return self.start().fileno()

    @property
    def has_event(self) -> bool:
        """Whether an event was read from the pipe, beside the last one that was reported."""
        return self.start().has_event

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None


def ready(supervisors: Collection[Supervisor]) -> list[Supervisor]:
    """Wait until workers that are at work report something, and return their supervisors."""
    at_once = [supervisor for supervisor in supervisors if supervisor.has_event]
    return at_once or select.select(supervisors, [], [])[0]
