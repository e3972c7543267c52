"""Keep a worker process at work: put a crash or a hang down to the case at hand, and go on in another process."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.backends.nvml import Monitor
from shflbench.errors import DeviceError
from shflbench.measure.events import (
    CaseFailed,
    ContextLost,
    Converged,
    GridResolved,
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
    from collections.abc import Generator, Iterator

    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job

START_SECONDS = 120.0  # to import CUDA's packages and open the device, on a machine that is busy
# Deaths in a row that brought a job no further, as by a job's first launch of a device that is broken. One is forgiven:
# somebody may kill a worker between two kernels.
MOST_IDLE_DEATHS = 2

DOCTOR = "`shflbench doctor` says what it finds"
RESUME = "`nvidia-smi` should say what is wrong; once it is mended, go on with --resume"


class Supervisor:
    """Does jobs in worker processes: what crashes or hangs costs its own case."""

    timed = True

    def __init__(self, opener: str, index: int, timeout: float) -> None:
        """Open device `index` by `opener` (`module:function`) in a worker; `timeout` is for how long one may be silent.

        DeviceError where the device cannot be used.
        """
        self._opener, self._index, self._timeout = opener, index, timeout  # in seconds
        self._number = -1  # of the worker process
        self._round = 0  # the next one
        self._failed_sentinels: set[str] = set()  # sentinels that failed
        self._worker: Worker | None = None
        opened = self._start()
        self.name, self.device, self.problem = opened.name, opened.device, opened.problem

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Do the job, in as many processes as it takes; DeviceError where the device cannot be used any more."""
        done: set[str] = set()
        idle_deaths = 0
        while (left := job.without(done)).groups:
            before = len(done) + len(self._failed_sentinels)
            death = yield from self._attempt(left, done)
            if death is None:
                return
            self.close()
            idle_deaths = 0 if len(done) + len(self._failed_sentinels) > before else idle_deaths + 1
            if idle_deaths == MOST_IDLE_DEATHS:
                raise DeviceError(f"the GPU cannot be used any more: {death}", RESUME)

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
                        pass
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
        worker = self._worker or self._start_again()
        failed_sentinels = tuple(sorted(self._failed_sentinels))
        job = replace(job, process=self._number, first_round=self._round, failed_sentinels=failed_sentinels)
        worker.send(job, self._timeout)
        while not isinstance(event := worker.receive(self._timeout), JobDone):
            if isinstance(event, ContextLost):
                raise WorkerDiedError("a kernel that crashed took its context along")
            yield event

    def restart(self) -> None:
        """Go on in a fresh process."""
        self.close()

    def others(self) -> int | None:
        """Return how many processes of others compute on the device now; None if unknown."""
        own = {os.getpid()} | ({self._worker.pid} if self._worker else set())
        return Monitor(self.device.uuid).other_processes(own)

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _start(self) -> Opened:
        """Start a worker; DeviceError where it cannot use the device."""
        self._worker = Worker(self._opener, self._index)
        self._number, self._round = self._number + 1, 0
        try:
            event = self._worker.receive(START_SECONDS)
        except WorkerDiedError as death:
            self.close()
            raise DeviceError(f"the GPU cannot be opened: {death}", DOCTOR) from death
        match event:
            case Opened():
                return event
            case OpenFailed(sentence, advice):
                self.close()
                raise DeviceError(sentence, advice)
        raise AssertionError(event)

    def _start_again(self) -> Worker:
        try:
            self._start()
        except DeviceError as error:
            raise DeviceError(f"the GPU cannot be used any more: {error.message}", RESUME) from error
        assert self._worker is not None  # noqa: S101  (_start opens it)
        return self._worker
