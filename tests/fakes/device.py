"""The scripted GPU and emulator in a worker process, of which some crash; `tests/fakes/machine.py` is the command line.

It imports nothing of the command line: a test starts several such processes.

`Plan` lists what can be scripted, `FAULTS` what can happen.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from shflbench.core.model import Conditions
from shflbench.cuda.backends.base import POISON, Array, Burst, KernelCall, OpenKernel
from shflbench.errors import DeviceError, LaunchError
from tests.fakes.backend import H200, FakeBackend, Script, after_first_iteration, one_lane

FOR_EVER = 3600.0  # seconds: longer than any test
CONTINUE = Path("continue")  # the file in the working directory that ends a wait
CODES_READ = "machine code read"
GARBAGE = b"\x1b[31m\xff\xfe\x00 terminate called: the heap is \x07broken\n"


@dataclass(frozen=True)
class Fault:
    """What happens, and when: all given conditions must be true."""

    where: str  # `pattern/variant`, the symbol of a sentinel, or `device`
    step: str  # of a kernel: open, verify, time; of the device: open, warm, watch (reading its state between rounds)
    kind: str  # one of FAULTS
    number: int | None = None  # of the step in its worker process, from 0
    worker: int | None = None  # number of the worker process, from 0


@dataclass(frozen=True)
class Plan:
    """A script."""

    scripts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # as for FakeBackend
    faults: Sequence[Mapping[str, Any]] = ()
    wrong: Sequence[str] = ()  # `pattern/variant` of kernels with wrong results
    # A file that gets a line for each worker process, for each fault before it happens, and for CODES_READ.
    log: str = os.devnull
    problem: str = ""  # of NVML, from the start
    problem_later: str = ""  # of NVML, from its tenth reading on
    jumps: Mapping[str, float] = field(default_factory=dict)  # number of NVML's reading → seconds that the clock jumps
    gpus: int = 1
    first_gpu: int = 0  # its index
    broken: Sequence[int] = ()  # indexes of GPUs that cannot be opened
    archs: Mapping[str, str] = field(default_factory=dict)  # of GPUs by index, where it is not that of an H200
    host: str = ""  # name of the machine that a worker of a cluster reports; empty: the real one
    nap: float = 0.0  # real seconds that a burst takes
    # Of the command line; None: as the product does.
    cases_per_window: int | None = None
    most_in_one_process: int | None = None  # cases that the client of a fleet concludes itself
    start_seconds: float | None = None  # that a worker process has to open its device
    return_seconds: float | None = None  # that a client waits for the device of a lost worker

    @classmethod
    def read(cls) -> Plan:
        return cls(**json.loads(os.environ.get("FAKE_MACHINE", "{}")))


class Machine(FakeBackend):
    """The scripted GPU in a worker process."""

    def __init__(self, plan: Plan) -> None:
        wrong = {name: Script(fault=one_lane(after_first_iteration)) for name in plan.wrong}
        super().__init__({name: Script(**how) for name, how in plan.scripts.items()} | wrong)
        self._plan, self._log = plan, Path(plan.log)
        self._faults = [Fault(**fault) for fault in plan.faults]
        self._steps = Counter[tuple[str, str]]()
        self._dead = False
        self.problem = plan.problem
        self.process = self._worker = self._enlist()
        self.reach("device", "open")

    def _enlist(self) -> int:
        """Add this worker to the log and return its number: that of its line, so that two that start at once differ.

        Without a log it is 0.
        """
        mine = f"worker {os.getpid()}"
        self._tell(mine)
        workers = [line for line in self._log.read_text(encoding="utf-8").splitlines() if line.startswith("worker")]
        return len(workers) - 1 - workers[::-1].index(mine) if mine in workers else 0

    def reach(self, where: str, step: str) -> None:
        """Do what the script plans for this moment."""
        number, self._steps[where, step] = self._steps[where, step], self._steps[where, step] + 1
        for fault in self._faults:
            met = fault.number in {None, number} and fault.worker in {None, self._worker}
            if met and (fault.where, fault.step) == (where, step):
                self._tell(f"{fault.kind}: {where} {step}")
                FAULTS[fault.kind](self)

    def die(self, message: str) -> NoReturn:
        """Crash like a kernel that destroys the context."""
        self._dead = True
        raise LaunchError(message)

    def open(self, call: KernelCall, place: int = 0) -> OpenKernel:
        self._refuse_if_dead()
        symbol = call.kernel.symbol
        name = symbol if symbol.startswith("sentinel") else self.name_of(call.kernel)
        self.reach(name, "open")
        return Watched(self, name, super().open(call, place), self._plan.nap)

    def usable(self) -> bool:
        return not self._dead

    def conditions(self) -> Conditions:
        number = self._steps["device", "watch"]
        self.reach("device", "watch")
        self.clock.advance(self._plan.jumps.get(str(number), 0.0))
        if number >= 10 and self._plan.problem_later:
            self.problem = self._plan.problem_later
        return super().conditions()

    def keep_busy(self, milliseconds: float) -> float | None:
        self._refuse_if_dead()
        self.reach("device", "warm")
        return super().keep_busy(milliseconds)

    def _refuse_if_dead(self) -> None:
        if self._dead:
            raise LaunchError("the context is gone")

    def _tell(self, line: str) -> None:
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")


class Watched:
    """A kernel of the scripted GPU whose every step may go wrong."""

    def __init__(self, machine: Machine, name: str, kernel: OpenKernel, nap: float) -> None:
        self._machine, self._name, self._kernel, self._nap = machine, name, kernel, nap
        self.close = kernel.close

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        self._machine.reach(self._name, "verify")
        return self._kernel.run(inputs, iterations, fill)

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        self._machine.reach(self._name, "verify again")
        return self._kernel.run_again(inputs, iterations)

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        self._machine.reach(self._name, "time")
        time.sleep(self._nap)
        return self._kernel.burst(iterations, samples, launches)


def _fail(error: Exception) -> Callable[[Machine], NoReturn]:
    def fail(_: Machine) -> NoReturn:
        raise error

    return fail


def _wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.01)


def _signal_parent(number: signal.Signals) -> None:
    os.kill(os.getppid(), number)
    time.sleep(FOR_EVER)


def _exit_with_garbage(_: Machine) -> NoReturn:
    os.write(2, GARBAGE)
    os._exit(3)


def _print_rubbish(_: Machine) -> None:
    print('{"JobDone":{}}')  # noqa: T201
    for stream in (1, 2):
        os.write(stream, b"rubbish" + GARBAGE * 5000)


# In the words of the CUDA backend.
FAULTS: Mapping[str, Callable[[Machine], object]] = {
    "nothing": lambda _: None,  # but a line in the log
    "illegal address": lambda machine: machine.die("illegal memory access (CUDA_ERROR_ILLEGAL_ADDRESS)"),
    "misaligned address": lambda machine: machine.die("misaligned memory access (CUDA_ERROR_MISALIGNED_ADDRESS)"),
    "failed launch": _fail(LaunchError("the device refuses this grid (CUDA_ERROR_INVALID_VALUE)")),
    "out of memory": _fail(LaunchError("out of device memory: its buffers take 2.00 GiB, and 1.00 GiB is free")),
    "hang": lambda _: time.sleep(FOR_EVER),
    "wait": lambda _: _wait_for(CONTINUE),
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": lambda _: ctypes.string_at(0),
    "exit": _exit_with_garbage,
    "rubbish": _print_rubbish,
    "exception": _fail(RuntimeError("cupy is confused")),
    "lose the parent": lambda _: _signal_parent(signal.SIGKILL),  # a worker of the cluster, or the whole run
    "stop the parent": lambda _: _signal_parent(signal.SIGSTOP),
    "refused": _fail(DeviceError("no usable GPU: GPU is lost", "See `shflbench doctor`.")),
}


def open_backend(index: str) -> FakeBackend:
    """Open the GPU that CUDA would call `index` in a worker process."""
    plan = Plan.read()
    if int(index) in plan.broken:
        raise DeviceError("no usable GPU: GPU is lost", "See `shflbench doctor`.")
    machine = Machine(plan)
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    name = visible.split(",")[int(index)] if visible else index
    number = int(name) if name.isdigit() else next(one for one in range(10) if uuid_of(one) == name)
    arch = plan.archs.get(index, machine.device.arch)
    machine.device = replace(machine.device, index=int(index), uuid=uuid_of(number), arch=arch)
    return machine


def uuid_of(index: int) -> str:
    return f"{H200.uuid[:-1]}{index}"


def open_emulator(arch: str) -> FakeBackend:
    """Open the replacement of the emulator in a worker process."""
    del arch
    emulator = Machine(Plan.read())
    emulator.name, emulator.timed = "emulator", False
    return emulator
