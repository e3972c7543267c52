"""Execute the jobs of a run: in this process, on a GPU in a worker process, or on the emulator in several processes."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from shflbench.cuda.backends.nvml import Monitor
from shflbench.errors import DeviceError
from shflbench.measure.events import ContextLost, JobDone, RoundDone
from shflbench.measure.job_runner import JobRunner
from shflbench.measure.supervisor import Supervisor, WorkerDevice, ready

if TYPE_CHECKING:
    from collections.abc import Generator

    from shflbench.core.model import Device
    from shflbench.cuda.backends.base import Backend
    from shflbench.measure.condensed import CondensedEvent
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job
    from shflbench.measure.process import EarlyWorker

EMULATOR = "shflbench.cuda.backends.emulator:EmulatorBackend"


class Executor(Protocol):
    """Executes jobs on one device, in one process after another; processes are numbered from 0."""

    name: str  # the value of the column `backend`
    timed: bool  # whether its samples are measurements
    device: Device
    problem: str  # a sentence about what cannot be read from the device; empty if nothing
    windowed: bool = False  # whether the events of a timed window come all at once, when it is complete

    def run(self, job: Job) -> Generator[CondensedEvent, None, None]:
        """Execute a job and yield its events; a case that crashes or hangs yields CaseFailed.

        The executor numbers processes and rounds. DeviceError if the device cannot be used any more.
        """
        ...

    def announce(self, job: Job | None) -> None:  # noqa: ARG002
        """Say which job follows the next one in the same process, if any: a distant executor may start it early."""
        return

    def restart(self) -> None:
        """Use a fresh process from now on; DeviceError if the device cannot be used any more."""
        ...

    def others(self) -> int | None:
        """Return the number of other processes on the device; None if unknown."""
        return self.device.state.other_processes

    def close(self) -> None:
        """Kill the processes that were started."""
        ...


class InProcessExecutor(Executor):
    """Executes jobs in this process."""

    def __init__(self, backend: Backend) -> None:
        """Run jobs on `backend`."""
        self.name, self.timed, self.device, self.problem = backend.name, backend.timed, backend.device, backend.problem
        self._runner = JobRunner(backend)
        self._process = self._round = 0

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Execute the job; DeviceError if the context was lost, because this process cannot be replaced."""
        for event in self._runner.do(replace(job, process=self._process, first_round=self._round)):
            if isinstance(event, ContextLost):
                raise DeviceError(
                    "a kernel crashed, and this process cannot use the device any more", "Resume the run: --resume."
                )
            if isinstance(event, RoundDone):
                self._round = event.number + 1
            if not isinstance(event, JobDone):
                yield event

    def restart(self) -> None:
        """Continue with a new number and a new runner in the same process."""
        self._runner = JobRunner(self._runner.backend)
        self._process, self._round = self._process + 1, 0

    def close(self) -> None:
        """Do nothing: there is no process to end."""


class GpuExecutor(Supervisor, Executor):
    """Executes jobs on a GPU, in one worker process after another."""

    timed = True

    def __init__(self, opener: str, index: int, timeout: float, early: EarlyWorker | None = None) -> None:
        """Open GPU `index` by `opener` (`module:function`) in a worker, which must report within `timeout` seconds.

        The first worker is the `early` one, if there is one, which opens that GPU already. DeviceError if the GPU
        cannot be used.
        """
        super().__init__(WorkerDevice(opener, str(index), timeout=timeout), early.take() if early else None)
        opened = self.open()
        self.name, self.device, self.problem = opened.name, opened.device, opened.problem

    def restart(self) -> None:
        """End the process; the next job starts another."""
        self.close()

    def others(self) -> int | None:
        """Return the number of other processes on the GPU now; None if unknown."""
        return Monitor(self.device.uuid).other_processes({os.getpid(), *self.pids})


class EmulatorExecutor(Executor):
    """Emulates the groups of a job in parallel, in several worker processes.

    The results of a kernel depend on its own launches alone, so they are the same with any number of workers.
    """

    name = "emulator"
    timed = False
    problem = ""

    def __init__(self, device: Device, workers: int) -> None:
        """Emulate `device` in `workers` processes; start none yet."""
        self.device = device
        emulator = WorkerDevice(EMULATOR, device.arch, "emulator", "Resume the run: --resume.", "ptx")
        self._supervisors = [Supervisor(emulator) for _ in range(workers)]

    def run(self, job: Job) -> Generator[JobEvent, None, None]:
        """Execute the job and yield the events of all its groups; DeviceError if no process can be started."""
        waiting = deque(replace(job, groups=(group,)) for group in job.groups)
        idle = self._supervisors[: len(waiting)]
        for supervisor in idle:
            supervisor.start()
        busy: dict[Supervisor, Generator[JobEvent, None, None]] = {}
        while waiting or busy:
            assigned = [idle.pop() for _ in range(min(len(idle), len(waiting)))]
            busy |= {supervisor: supervisor.run(waiting.popleft()) for supervisor in assigned}
            for supervisor in assigned or ready(busy):
                event = next(busy[supervisor], None)
                if event is None:
                    del busy[supervisor]
                    idle.append(supervisor)
                else:
                    yield event

    def restart(self) -> None:
        """Do nothing: an emulated process has no offset of its own."""

    def close(self) -> None:
        """Kill all processes."""
        for supervisor in self._supervisors:
            supervisor.close()
