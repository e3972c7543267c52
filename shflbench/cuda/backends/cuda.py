"""Run kernels on an NVIDIA GPU. The only file that imports cupy; the other cuda_* files get it as an argument."""

from __future__ import annotations

import importlib
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.model import Conditions, Device
from shflbench.core.symbols import plain_name
from shflbench.cuda.backends.cuda_context import CudaContext
from shflbench.cuda.backends.cuda_errors import MEANINGS, OUT_OF_MEMORY, first_line
from shflbench.cuda.backends.cuda_harness import Harness, harness_source
from shflbench.cuda.backends.cuda_kernel import ALIGNMENT, CudaKernel, load
from shflbench.cuda.backends.nvml import Monitor, named_uuid
from shflbench.cuda.compile import cuda12
from shflbench.cuda.compile import toolchain as toolchains
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.errors import DeviceError, LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from shflbench.core.model import Kernel
    from shflbench.cuda.backends.base import KernelCall, OpenKernel
    from shflbench.cuda.compile.toolchain import Toolchain

GIB = 2**30


def open_backend(index: str) -> CudaBackend:
    """Open the GPU that CUDA calls `index`, with the compiler of this machine: the entry point for worker processes.

    DeviceError if there is none or it does not work, CompilerError without a compiler.
    """
    return CudaBackend.open_device(int(index), toolchains.find())


def import_cupy() -> ModuleType:
    """Return cupy; DeviceError says whether it is missing or broken."""
    try:
        cuda12.load_compiler()
        return importlib.import_module("cupy")
    except ModuleNotFoundError as error:
        if error.name == "cupy":
            raise DeviceError(
                "cupy is not installed, so no GPU can be used",
                "Install the extra `cuda13` (driver 580 or newer) or `cuda12` from your checkout or wheel.",
            ) from error
        raise DeviceError(
            f"cupy is installed but broken: its module {error.name} is missing",
            "Reinstall cupy: pip install --force-reinstall cupy-cuda13x, or cupy-cuda12x.",
        ) from error
    except Exception as error:  # whatever a broken binary package raises at import
        raise DeviceError(
            f"cupy is installed but broken: {error}",
            "Keep exactly one of cupy-cuda12x and cupy-cuda13x, and reinstall it.",
        ) from error


class CudaBackend:
    """One GPU, through cupy's driver bindings and NVML."""

    name = "cuda"
    timed = True
    most_threads: int | None = None

    def __init__(self, device: Device, monitor: Monitor, open_harness: Callable[[], Harness]) -> None:
        """Use `open_device` instead."""
        self.device = device
        self.monitor = monitor
        self._open_harness = open_harness
        self.harness = harness = open_harness()
        self._further: list[CudaContext] = []
        self._refusal = ""  # of a further context
        self.problem = monitor.problem
        self._cupy = harness.cupy

    @classmethod
    def open_device(cls, index: int, toolchain: Toolchain) -> CudaBackend:
        """Open the GPU that CUDA calls `index`; DeviceError if there is none or it does not work."""
        cupy = import_cupy()
        try:
            device, monitor = _describe(cupy, index)
            cubin = compile_kernel(harness_source(), device.arch, toolchain).cubin
            cupy.cuda.Device(index).use()
            return cls(device, monitor, lambda: Harness(cupy, cubin, device.sms, device.state.l2_bytes or 0))
        except (
            RuntimeError,
            MemoryError,
        ) as error:  # of the runtime or the driver, or because the driver's library is missing
            raise DeviceError(f"no usable GPU: {first_line(error)}", "See `shflbench doctor`.") from error

    def open(self, call: KernelCall, place: int = 0) -> OpenKernel:
        """Load a kernel and allocate its buffers; LaunchError if it does not fit the device.

        Each `place` but the first is another CUDA context, which is created when it is first used.
        """
        name = call.name
        needed = sum(buffer.nbytes + ALIGNMENT for buffer in (*call.buffers, *call.restored))
        free = self.free_bytes()
        if needed > free:
            room = f"its buffers take {needed / GIB:.2f} GiB, and {free / GIB:.2f} GiB is free"
            raise LaunchError(f"{name}: out of device memory: {room}", MEANINGS[OUT_OF_MEMORY].advice)
        with self.harness.errors(name):
            return self._context(place).open(call) if place else CudaKernel(self.harness, call)

    def _context(self, place: int) -> CudaContext:
        """Return a further context; LaunchError if the driver refuses it, or has refused one before."""
        while len(self._further) < place:
            if self._refusal:
                raise LaunchError(self._refusal)
            try:
                with self.harness.errors("a further CUDA context"):
                    self._further.append(CudaContext(self._cupy, self._open_harness))
            except LaunchError as error:  # which takes as long as to create one
                self._refusal = f"{error.message}, so kernels are measured in one"
                self.problem = self.monitor.problem or self._refusal
                raise
        return self._further[place - 1]

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        """Return how many blocks an SM holds at once, as the driver calculates; 0 if the launch does not fit."""
        if kernel.resources.shared_bytes + shared_bytes > self.device.max_shared_bytes:
            return 0  # the driver would call it an invalid argument
        with self.harness.errors(plain_name(kernel.symbol)):
            function = load(self._cupy, kernel, shared_bytes)
            ask = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
            blocks: int = ask(function.ptr, block, shared_bytes)
            return blocks

    def free_bytes(self) -> int:
        """Return how much device memory can be allocated now: free memory, and cupy's memory pool.

        LaunchError if the context is dead.
        """
        with self.harness.errors("device memory"):
            free, _ = self._cupy.cuda.runtime.memGetInfo()
            kept: int = self._cupy.get_default_memory_pool().free_bytes()
            return int(free) + kept

    def usable(self) -> bool:
        """Whether kernels can still run: a crash destroys the CUDA context of its process."""
        return self.harness.usable() and all(context.usable() for context in self._further)

    def now(self) -> float:
        """Return the seconds of a monotonic clock."""
        return time.monotonic()

    def conditions(self) -> Conditions:
        """Return the current clock, temperature, power and throttle reasons from NVML."""
        conditions = self.monitor.conditions()
        self.problem = self.monitor.problem or self._refusal
        return conditions

    def keep_busy(self, milliseconds: float) -> float | None:
        """Keep every SM busy and return the SM clock in MHz during that time."""
        with self.harness.errors("warm-up"):
            return self.harness.keep_busy(milliseconds)


def _describe(cupy: ModuleType, index: int) -> tuple[Device, Monitor]:
    """Return the GPU that CUDA calls `index`, as CUDA and NVML describe it, and its monitor."""
    runtime = cupy.cuda.runtime
    count = runtime.getDeviceCount()
    if index >= count:
        raise DeviceError(
            f"there is no GPU {index}; this machine has {count}", f"Choose one of 0 to {count - 1} with --gpu."
        )
    properties = runtime.getDeviceProperties(index)
    driver_cuda = runtime.driverGetVersion()
    uuid = _uuid(index)
    monitor = Monitor(uuid)
    device = Device(
        name=properties["name"].decode(),
        uuid=uuid,
        arch=f"sm_{properties['major']}{properties['minor']}",
        sms=properties["multiProcessorCount"],
        max_shared_bytes=properties["sharedMemPerBlockOptin"] or properties["sharedMemPerBlock"],
        memory_bytes=properties["totalGlobalMem"],
        clock_mhz=monitor.max_clock_mhz() or properties.get("clockRate", 0) // 1000,
        driver=monitor.driver(),
        cuda=f"{driver_cuda // 1000}.{driver_cuda % 1000 // 10}",
        index=index,
        threads_per_sm=properties["maxThreadsPerMultiProcessor"],
        state=replace(monitor.state({os.getpid(), os.getppid()}), l2_bytes=properties["l2CacheSize"] or None),
    )
    return device, monitor


def _uuid(index: int) -> str:
    from cuda.bindings import driver

    driver.cuInit(0)
    _, handle = driver.cuDeviceGet(index)
    _, uuid = driver.cuDeviceGetUuid(handle)
    digits = bytes(uuid.bytes).ljust(16, b"\0").hex()
    return named_uuid("-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32])))
