"""Who does the jobs of a run: a backend in this process, a GPU in a worker process, or the emulator in several."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from shflbench.backends.nvml import Monitor
from shflbench.errors import DeviceError
from shflbench.measure.events import ContextLost, JobDone, RoundDone
from shflbench.measure.job_runner import JobRunner
from shflbench.measure.supervisor import Supervisor, WorkerDevice, ready

if TYPE_CHECKING:
    from collections.abc import Generator

    from shflbench.backends.base import Backend
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job
    from shflbench.model import Device

EMULATOR = "shflbench.backends.emulator.backend:EmulatorBackend"


class Executor(Protocol):
    """Does jobs on one device, in one process after another, numbered from 0."""

    name: str  # the value of the column `backend`
    timed: bool  # whether its samples are measurements
    device: Device
    problem: str  # what cannot be found out about the device, a sentence; empty if it can

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Report all that happens in a job; a case that crashes or hangs is reported as CaseFailed.

        Processes and rounds are numbered here. DeviceError where the device cannot be used any more.
        """
        ...

    def restart(self) -> None:
        """Go on in a fresh process; DeviceError where the device cannot be used any more."""
        ...

    def others(self) -> int | None:
        """Return how many processes of others compute on the device; None if unknown."""
        return self.device.state.other_processes

    def close(self) -> None:
        """End the processes that were started, whatever they are doing."""
        ...


class InProcessExecutor(Executor):
    """Does jobs in this process."""

    def __init__(self, backend: Backend) -> None:
        """Run jobs on `backend`."""
        self.name, self.timed, self.device, self.problem = backend.name, backend.timed, backend.device, backend.problem
        self._runner = JobRunner(backend)
        self._process = self._round = 0

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Do the job; DeviceError where the device was lost, because this process cannot be replaced."""
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

    def close(self) -> None:
        """Do nothing: there is no process to end."""


class GpuExecutor(Supervisor):
    """Does jobs on a GPU, in one worker process after another."""

    timed = True

    def __init__(self, opener: str, index: int, timeout: float) -> None:
        """Open GPU `index` by `opener` (`module:function`) in a worker, which may be silent for `timeout` seconds.

        DeviceError where the GPU cannot be used.
        """
        super().__init__(WorkerDevice(opener, str(index), timeout=timeout))
        opened = self.open()
        self.name, self.device, self.problem = opened.name, opened.device, opened.problem

    def restart(self) -> None:
        """Go on in a fresh process, which the next job starts."""
        self.close()

    def others(self) -> int | None:
        """Return how many processes of others compute on the GPU now; None if unknown."""
        return Monitor(self.device.uuid).other_processes({os.getpid(), *self.pids})


class EmulatorExecutor(Executor):
    """Emulates the groups of a job side by side, each in one of several worker processes.

    What a kernel does depends on its own launches alone, so that results are the same with any number of workers.
    """

    name = "emulator"
    timed = False
    problem = ""

    def __init__(self, device: Device, workers: int) -> None:
        """Emulate `device` in so many processes; start none yet."""
        self.device = device
        emulator = WorkerDevice(EMULATOR, device.arch, "emulator", "Go on with --resume.", "ptx")
        self._supervisors = [Supervisor(emulator) for _ in range(workers)]

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Do the job, and report what happens in any of its groups; DeviceError where no process can be started."""
        waiting = deque(replace(job, groups=(group,)) for group in job.groups)
        idle = self._supervisors[: len(waiting)]
        for supervisor in idle:
            supervisor.start()
        busy: dict[Supervisor, Generator[JobEvent, None, None]] = {}
        while waiting or busy:
            given = [idle.pop() for _ in range(min(len(idle), len(waiting)))]
            busy |= {supervisor: supervisor.run(waiting.popleft()) for supervisor in given}
            for supervisor in given or ready(busy):
                event = next(busy[supervisor], None)
                if event is None:
                    del busy[supervisor]
                    idle.append(supervisor)
                else:
                    yield event

    def restart(self) -> None:
        """Do nothing: no process leaves a trace on the next one."""

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for supervisor in self._supervisors:
            supervisor.close()
