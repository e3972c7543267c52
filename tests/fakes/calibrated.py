"""A device on which the kernels of `calibrate` take the times that a script gives, in this process or in a worker.

CALIBRATED='{"redux": "crash"}'     the kernel with this name ends its process; `fail`, `hang`: instead
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shflbench.core.model import Conditions, Device, Kernel
from shflbench.core.symbols import plain_name
from shflbench.cuda.backends.base import POISON, Array, Burst, KernelCall
from shflbench.errors import DeviceError, LaunchError
from tests.fakes.runs import H200

CLOCK_MHZ = 1980.0
LAUNCH_US = 3.4
ENVIRONMENT = "CALIBRATED"


@dataclass
class ScriptedDevice:
    """Replaces `CudaBackend`: a pass of a kernel takes `pass_us`, a launch `LAUNCH_US`."""

    pass_us: Mapping[str, float] = field(default_factory=dict)  # by the kernel's name; others take 1 µs
    faults: Mapping[str, str] = field(default_factory=dict)  # by the kernel's name
    clock_mhz: float | None = CLOCK_MHZ
    host_bound: bool = False
    device: Device = field(default_factory=lambda: replace(H200, threads_per_sm=2048))
    name: str = "cuda"
    timed: bool = True
    most_threads: int | None = None
    problem: str = ""
    opened: list[KernelCall] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)  # of each burst

    def open(self, call: KernelCall, _place: int = 0) -> ScriptedKernel:
        self.opened.append(call)
        return ScriptedKernel(self, plain_name(call.kernel.symbol))

    def resident_blocks(self, _kernel: Kernel, block: int, _shared_bytes: int) -> int:
        return 2048 // block

    def free_bytes(self) -> int:
        return self.device.memory_bytes

    def usable(self) -> bool:
        return True

    def now(self) -> float:
        return 0.0

    def conditions(self) -> Conditions:
        return Conditions()

    def keep_busy(self, milliseconds: float) -> float | None:
        del milliseconds
        return self.clock_mhz


@dataclass
class ScriptedKernel:
    """Takes the time that its device says, and computes nothing."""

    device: ScriptedDevice
    name: str

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        del launches  # times are per launch
        self.device.passes.append(iterations)
        match self.device.faults.get(self.name):
            case "crash":
                os._exit(3)
            case "hang":
                time.sleep(60)
            case "fail":
                raise LaunchError(f"{self.name}: illegal memory access")
        time_us = LAUNCH_US + iterations * self.device.pass_us.get(self.name, 1.0)
        return Burst((time_us,) * samples, self.device.clock_mhz, self.device.host_bound)

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        raise AssertionError((self.name, inputs, iterations, fill))

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        return self.run(inputs, iterations)

    def close(self) -> None:
        """Hold nothing."""


def open_backend(_argument: str) -> Any:
    """Open the device in a worker process."""
    return ScriptedDevice(faults=json.loads(os.environ.get(ENVIRONMENT, "{}")))


def refuse(_argument: str) -> Any:
    """Fail as a machine does whose GPU does not work."""
    raise DeviceError("no usable GPU: scripted", "See `shflbench doctor`.")
