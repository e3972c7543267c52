"""Who does the jobs of a run: a backend in this process, or (in `supervisor`) workers in processes of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from shflbench.errors import DeviceError
from shflbench.measure.events import ContextLost, JobDone, RoundDone
from shflbench.measure.job_runner import JobRunner

if TYPE_CHECKING:
    from collections.abc import Generator

    from shflbench.backends.base import Backend
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job
    from shflbench.model import Device


class Executor(Protocol):
    """Does jobs on one device, in one process after another, numbered from 0."""

    name: str  # the value of the column `backend`
    timed: bool  # whether its samples are measurements
    device: Device
    problem: str  # what cannot be found out about the device, a sentence; empty if it can

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Tell all there is to tell about a job; a case that crashes or hangs is told as CaseFailed.

        Processes and rounds are numbered here. DeviceError where the device cannot be used any more.
        """
        ...

    def restart(self) -> None:
        """Go on in a fresh process; DeviceError where the device cannot be used any more."""
        ...

    def others(self) -> int | None:
        """Return how many processes of others compute on the device now; None if unknown."""
        ...

    def close(self) -> None:
        """End the process, whatever it is doing."""
        ...


class InProcessExecutor:
    """Does jobs in this process: for a backend that cannot take it along, such as the emulator."""

    def __init__(self, backend: Backend) -> None:
        """Run jobs on `backend`."""
        self.name, self.timed, self.device, self.problem = backend.name, backend.timed, backend.device, backend.problem
        self._runner = JobRunner(backend)
        self._process = self._round = 0

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Do the job, and tell; DeviceError where the device was lost, because this process cannot be replaced."""
        for event in self._runner.do(replace(job, process=self._process, first_round=self._round)):
            if isinstance(event, ContextLost):
                raise DeviceError(
                    "a kernel crashed, and the device cannot be used any more", "Go on with --resume in a new process."
                )
            if isinstance(event, RoundDone):
                self._round = event.number + 1
            if not isinstance(event, JobDone):
                yield event

    def restart(self) -> None:
        """Go on as if in a fresh process, as far as that goes."""
        self._runner = JobRunner(self._runner.backend)
        self._process, self._round = self._process + 1, 0

    def others(self) -> int | None:
        """Return what was found when the device was opened."""
        return self.device.state.other_processes

    def close(self) -> None:
        """Do nothing: there is no process to end."""
