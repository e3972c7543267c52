"""The worker process that uses the GPU: a kernel that crashes or hangs costs one figure, and not the calibration."""

from __future__ import annotations

import importlib
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import connection
from typing import TYPE_CHECKING, Protocol

from shflbench.core.processes import JobProcess
from shflbench.cuda.compile import toolchain
from shflbench.errors import DeviceError, KernelError, LaunchError
from shflbench.measure.calibrate.bench import ProbeRunner
from shflbench.measure.calibrate.probes import PROBES
from shflbench.measure.job_runner import warm_up

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.core.model import Device
    from shflbench.cuda.backends.base import Backend
    from shflbench.measure.calibrate.estimate import LengthPair

START_SECONDS = 120.0  # to import CUDA's packages, open the device and warm it up
ROUND_SECONDS = 30.0  # the first one of a process compiles the kernels


@dataclass(frozen=True, slots=True)
class OpenedDevice:
    """The device of a worker, warm; `problem` names what cannot be read from it."""

    device: Device
    problem: str
    nvrtc: str


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """One round of one figure: its times, none if the host disturbed them; or why the figure cannot be measured."""

    pairs: tuple[LengthPair, ...]  # one for each opening of its kernels
    failure: str = ""
    usable: bool = True  # whether the process can run another kernel


class CalibrationDevice(Protocol):
    """Takes rounds of figures on one device."""

    def open(self) -> OpenedDevice:
        """Open the device and warm it up, after `close` in another process; DeviceError if it cannot be used."""
        ...

    def take(self, name: str) -> RoundOutcome:
        """Take one round of a figure."""
        ...

    def close(self) -> None:
        """Release the device."""
        ...


class DeviceInProcess(CalibrationDevice):
    """Uses the device in this process."""

    def __init__(self, opener: str, argument: str, cache_folder: Path | None) -> None:
        """Open nothing yet; `opener` is `module:function`, which is called with the argument."""
        self._opener, self._argument, self._cache_folder = opener, argument, cache_folder
        self._bench: ProbeRunner | None = None

    def open(self) -> OpenedDevice:
        """Open the device and warm it up; DeviceError if it cannot be used."""
        self._bench = self._opened()
        backend = self._bench.backend
        return OpenedDevice(backend.device, backend.problem, self._bench.toolchain.version)

    def _opened(self) -> ProbeRunner:
        module, _, function = self._opener.partition(":")
        backend: Backend = getattr(importlib.import_module(module), function)(self._argument)
        bench = ProbeRunner(backend, toolchain.find(), self._cache_folder)
        warm_up(backend)
        return bench

    def take(self, name: str) -> RoundOutcome:
        """Take one round of a figure."""
        if self._bench is None:
            self._bench = self._opened()
        bench = self._bench
        try:
            return RoundOutcome(bench.take(_PROBES[name]))
        except KernelError as error:
            usable = not isinstance(error, LaunchError) or bench.backend.usable()
            return RoundOutcome((), error.message.splitlines()[0], usable)

    def close(self) -> None:
        """Close the kernels; the next ones have other buffers."""
        self._bench = None


_PROBES = {probe.name: probe for probe in PROBES}


class DeviceInWorker(CalibrationDevice):
    """Uses the device in a worker process, and starts another one after a crash or a hang."""

    def __init__(self, opener: str, argument: str, cache_folder: Path | None) -> None:
        """Start no process yet."""
        self._function = partial(_serve, opener=opener, argument=argument, cache_folder=cache_folder)
        self._process: JobProcess | None = None

    def open(self) -> OpenedDevice:
        """Open the device and warm it up; DeviceError if it cannot be used."""
        opened = self._ask("", START_SECONDS)
        if not isinstance(opened, OpenedDevice):
            raise DeviceError(f"the GPU cannot be opened: {opened.failure}", "Run `shflbench doctor`.")
        return opened

    def take(self, name: str) -> RoundOutcome:
        """Take one round of a figure."""
        seconds = ROUND_SECONDS if self._process else START_SECONDS + ROUND_SECONDS
        outcome = self._ask(name, seconds)
        if isinstance(outcome, OpenedDevice):
            return RoundOutcome((), "its process sent the device instead of times", usable=False)
        if not outcome.usable:
            self.close()
        return outcome

    def _ask(self, name: str, seconds: float) -> OpenedDevice | RoundOutcome:
        """Return the answer of the process, or how it ended."""
        jobs = [name]
        if self._process is None:
            self._process = JobProcess(self._function, 0)
        else:
            self._process.run(jobs, 0)
        while connection.wait([self._process.pipe], seconds):
            future = self._process.receive(jobs)
            if future is None:  # it only asked for its first job
                continue
            try:
                answer: OpenedDevice | RoundOutcome = future.result()
            except BrokenProcessPool:
                return self._dead("its process crashed")
            return answer
        return self._dead(f"it did not end within {seconds:g} s")

    def _dead(self, how: str) -> RoundOutcome:
        self.close()
        return RoundOutcome((), how, usable=False)

    def close(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.end()
            self._process = None


@cache
def _device(opener: str, argument: str, cache_folder: Path | None) -> DeviceInProcess:
    return DeviceInProcess(opener, argument, cache_folder)


def _serve(name: str, opener: str, argument: str, cache_folder: Path | None) -> OpenedDevice | RoundOutcome:
    """Do one job in the worker process: open the device if `name` is empty, else take a round of that figure."""
    device = _device(opener, argument, cache_folder)
    return device.take(name) if name else device.open()
