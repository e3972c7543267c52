"""Who does the jobs of a run: a backend in this process, or (in `supervisor`) workers in processes of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from shflbench.errors import DeviceError
from shflbench.measure.messages import JobDone, Lost, Round
from shflbench.measure.window import Bench

if TYPE_CHECKING:
    from collections.abc import Generator

    from shflbench.backends.base import Backend
    from shflbench.measure.job import Job
    from shflbench.measure.messages import Message
    from shflbench.model import Device


class Executor(Protocol):
    """Does jobs on one device, in one process after another, numbered from 0."""

    name: str  # the value of the column `backend`
    timed: bool  # whether its samples are measurements
    device: Device
    problem: str  # what cannot be found out about the device, a sentence; empty if it can

    def run(self, job: Job) -> Generator[Message, None, None]:
        """Tell all there is to tell about a job; a case that crashes or hangs is told as Ended.

        Processes and rounds are numbered here. DeviceError where the device cannot be used any more.
        """
        ...

    def renew(self) -> None:
        """Go on in a fresh process; DeviceError where the device cannot be used any more."""
        ...

    def others(self) -> int | None:
        """Return how many processes of others compute on the device now; None if unknown."""
        ...

    def close(self) -> None:
        """End the process, whatever it is doing."""
        ...


class Here:
    """Does jobs in this process: for a backend that cannot take it along, such as the emulator."""

    def __init__(self, backend: Backend) -> None:
        """Run jobs on `backend`."""
        self.name, self.timed, self.device, self.problem = backend.name, backend.timed, backend.device, backend.problem
        self._bench = Bench(backend)
        self._process = self._round = 0

    def run(self, job: Job) -> Generator[Message, None, None]:
        """Do the job, and tell; DeviceError where the device was lost, because this process cannot be replaced."""
        for message in self._bench.do(replace(job, process=self._process, first_round=self._round)):
            if isinstance(message, Lost):
                raise DeviceError(
                    "a kernel crashed, and the device cannot be used any more", "Go on with --resume in a new process."
                )
            if isinstance(message, Round):
                self._round = message.number + 1
            if not isinstance(message, JobDone):
                yield message

    def renew(self) -> None:
        """Go on as if in a fresh process, as far as that goes."""
        self._bench = Bench(self._bench.backend)
        self._process, self._round = self._process + 1, 0

    def others(self) -> int | None:
        """Return what was found when the device was opened."""
        return self.device.state.other_processes

    def close(self) -> None:
        """Do nothing: there is no process to end."""
