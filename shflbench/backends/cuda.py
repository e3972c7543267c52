"""Run kernels on an NVIDIA GPU. The only file that imports cupy."""

from __future__ import annotations

import importlib
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.backends.base import POISON, Burst
from shflbench.backends.nvml import Monitor
from shflbench.compile.nvrtc import compile_kernel
from shflbench.compile.source import Source
from shflbench.errors import DeviceError, LaunchError
from shflbench.model import Conditions, Device, Kernel
from shflbench.patterns.declare import ITERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from shflbench.backends.base import Array, Buffer, KernelCall
    from shflbench.compile.toolchain import Toolchain

HARNESS = Path(__file__).with_name("harness.cu")
SM_SLOTS = 1024  # more SMs than any GPU has
DEFAULT_SHARED_BYTES = 48 * 1024  # a block gets more only after it asks

# The host takes about 8 µs to queue one event-kernel-event triple. The delay before a burst gives it
# that much for each; when the GPU overtakes the host all the same, the burst is repeated with twice the delay.
DELAY_BASE_NS = 40_000
DELAY_A_LAUNCH_NS = 10_000
LATE_BURST_RETRIES = 4


def import_cupy() -> ModuleType:
    """Return cupy; DeviceError tells a missing cupy from a broken one."""
    try:
        return importlib.import_module("cupy")
    except ModuleNotFoundError as error:
        if error.name == "cupy":
            raise DeviceError(
                "cupy is not installed, so no GPU can be used",
                "Install `shflbench[cuda13]` (driver 580 or newer) or `[cuda12]`.",
            ) from error
        raise DeviceError(
            f"cupy is installed but broken: its module {error.name} is missing",
            "Reinstall the extra: pip install --force-reinstall 'shflbench[cuda13]'.",
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

    def __init__(self, device: Device, monitor: Monitor, cupy: ModuleType, toolchain: Toolchain) -> None:
        """Use `open_device` instead."""
        self.device = device
        self.monitor = monitor
        self._cupy = cupy
        self._gpu = cupy.cuda.Device(device.index)
        self._gpu.use()
        self._delay_scale = 1
        source = Source(HARNESS.name, HARNESS.read_text(encoding="utf-8"), {}, "stamp")
        module = cupy.cuda.function.Module()
        module.load(compile_kernel(source, device.arch, toolchain).cubin)
        self._harness = module  # unloads its code when it goes
        self._delay, self._stamp, self._busy = (module.get_function(name) for name in ("delay", "stamp", "busy"))
        self._stamps = [cupy.zeros(2 * SM_SLOTS, np.uint64) for _ in range(2)]

    @classmethod
    def open_device(cls, index: int, toolchain: Toolchain) -> CudaBackend:
        """Open the GPU that CUDA calls `index`; DeviceError if there is none or it does not work."""
        cupy = import_cupy()
        runtime = cupy.cuda.runtime
        try:
            count = runtime.getDeviceCount()
            if index >= count:
                raise DeviceError(
                    f"there is no GPU {index}; this machine has {count}", f"Choose one of 0 to {count - 1} with --gpu."
                )
            properties = runtime.getDeviceProperties(index)
            driver_cuda = runtime.driverGetVersion()
        except runtime.CUDARuntimeError as error:
            raise DeviceError(f"no usable GPU: {_text(error)}", "See `shflbench doctor`.") from error
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
        )
        return cls(device, monitor, cupy, toolchain)

    def open(self, call: KernelCall) -> CudaKernel:
        """Load a kernel and allocate its buffers; LaunchError if it does not fit the device."""
        with self._errors(f"{call.grid}x{call.block}"):
            return CudaKernel(self, call, self._cupy)

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        """Return how many blocks an SM holds at once, by the driver's calculator; 0 if the launch does not fit."""
        if kernel.resources.shared_bytes + shared_bytes > self.device.max_shared_bytes:
            return 0  # the driver would call it an invalid argument
        with self._errors(kernel.symbol):
            module = self._cupy.cuda.function.Module()
            module.load(kernel.cubin)
            function = module.get_function(kernel.symbol)
            _allow_shared(self._cupy, function, shared_bytes)
            driver = self._cupy.cuda.driver
            blocks: int = driver.occupancyMaxActiveBlocksPerMultiprocessor(function.ptr, block, shared_bytes)
            return blocks

    def conditions(self) -> Conditions:
        """Return clock, temperature, power and throttle reasons as NVML sees them now."""
        return self.monitor.conditions()

    def keep_busy(self, milliseconds: float) -> float | None:
        """Keep every SM busy and return the SM clock in MHz meanwhile."""
        sink = self._stamps[0][:1].view(np.float32)
        with self._errors("warm-up"):
            self.note_clock(0)
            self._busy((self.device.sms * 2,), (1024,), (np.uint64(milliseconds * 1e6), sink))
            self.note_clock(1)
            return self.clock_between_notes()

    def note_clock(self, which: int) -> None:
        """Queue a stamp of every SM's cycle counter; 0 opens an interval, 1 closes it."""
        self._stamp((self.device.sms,), (1024,), (self._stamps[which], np.uint32(SM_SLOTS)))

    def clock_between_notes(self) -> float | None:
        """Return the SM clock in MHz between the two stamps: the median over the SMs that both reached."""
        first, last = (stamps.get().reshape(-1, 2).astype(np.int64) for stamps in self._stamps)
        cycles, elapsed_ns = (last - first)[(first[:, 1] > 0) & (last[:, 1] > first[:, 1])].T
        return float(median(1000 * cycles / elapsed_ns)) if len(cycles) else None

    def hold_back(self, launches: int) -> None:
        """Queue the delay that lets the host queue a burst of `launches` ahead of the GPU."""
        duration = (DELAY_BASE_NS + DELAY_A_LAUNCH_NS * launches) * self._delay_scale
        self._delay((1,), (1,), (np.uint64(duration),))

    def overtaken(self) -> None:
        """Note that the GPU was faster than the host, and hold it back longer from now on."""
        self._delay_scale = min(self._delay_scale * 2, 2**LATE_BURST_RETRIES)

    def _errors(self, what: str) -> _CudaErrors:
        return _CudaErrors(self._cupy, what)


class CudaKernel:
    """One kernel on the GPU with its buffers and events."""

    def __init__(self, backend: CudaBackend, call: KernelCall, cupy: ModuleType) -> None:
        """Load the cubin and allocate; the CUDA error, if any, is the caller's to translate."""
        self._backend, self._call, self._cupy = backend, call, cupy
        module = cupy.cuda.function.Module()
        module.load(call.kernel.cubin)
        self._module = module  # unloads its code when it goes
        self._function = module.get_function(call.kernel.symbol)
        _allow_shared(cupy, self._function, call.shared_bytes)
        if call.carveout is not None:
            driver = cupy.cuda.driver
            driver.funcSetAttribute(
                self._function.ptr, driver.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, call.carveout
            )
        # Bytes, because cupy does not know every type that NumPy knows.
        self._buffers = {buffer.name: cupy.zeros(buffer.nbytes, np.uint8) for buffer in call.buffers}

    def run(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        """Launch once and return the outputs, poisoned before; LaunchError if the kernel crashes."""
        with self._backend._errors(self._call.kernel.symbol):  # noqa: SLF001
            for buffer in self._call.outputs:
                if buffer.initial is None:
                    self._buffers[buffer.name].fill(POISON)
                else:
                    self._set(buffer, buffer.before())
            for buffer, values in zip(self._call.inputs, inputs, strict=True):
                self._set(buffer, values)
            self._launch(iterations)
            return [self._buffers[buffer.name].get().view(buffer.dtype) for buffer in self._call.outputs]

    def _set(self, buffer: Buffer, values: Array) -> None:
        self._buffers[buffer.name].set(np.ascontiguousarray(values).reshape(-1).view(np.uint8))

    def burst(self, iterations: int, launches: int) -> Burst:
        """Time `launches` launches, each between its own two events, after one that is not counted."""
        with self._backend._errors(self._call.kernel.symbol):  # noqa: SLF001
            for _ in range(LATE_BURST_RETRIES):
                times, on_time = self._timed(iterations, launches)
                if on_time:
                    break
                self._backend.overtaken()
            return Burst(times, self._backend.clock_between_notes())

    def _timed(self, iterations: int, launches: int) -> tuple[tuple[float, ...], bool]:
        cuda = self._cupy.cuda
        brackets = [(cuda.Event(), cuda.Event()) for _ in range(launches)]
        on_time = True
        self._backend.hold_back(launches)
        self._backend.note_clock(0)
        self._launch(iterations)
        for start, end in brackets:
            start.record()
            self._launch(iterations)
            end.record()
            on_time = on_time and not start.done  # else the host's own time is inside this bracket
        self._backend.note_clock(1)
        brackets[-1][1].synchronize()
        return tuple(cuda.get_elapsed_time(start, end) * 1000 for start, end in brackets), on_time

    def _launch(self, iterations: int) -> None:
        given = {**self._buffers, ITERATIONS: np.int32(iterations)}
        arguments = tuple(given[item] if isinstance(item, str) else item for item in self._call.arguments)
        self._function((self._call.grid,), (self._call.block,), arguments, shared_mem=self._call.shared_bytes)

    def close(self) -> None:
        """Give the buffers back."""
        self._buffers.clear()


class _CudaErrors:
    """Translate CUDA's and cupy's exceptions into LaunchError."""

    def __init__(self, cupy: ModuleType, what: str) -> None:
        cuda = cupy.cuda
        self._types = (
            cuda.runtime.CUDARuntimeError,
            cuda.driver.CUDADriverError,
            cuda.memory.OutOfMemoryError,
        )
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, self._types):
            raise LaunchError(
                f"{self._what}: {_text(error)}", "Run it under compute-sanitizer to see where."
            ) from error


def _text(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _uuid(index: int) -> str:
    from cuda.bindings import driver

    driver.cuInit(0)
    _, handle = driver.cuDeviceGet(index)
    _, uuid = driver.cuDeviceGetUuid(handle)
    digits = bytes(uuid.bytes).ljust(16, b"\0").hex()
    return "GPU-" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))


def _allow_shared(cupy: ModuleType, function: Any, shared_bytes: int) -> None:  # noqa: ANN401
    if shared_bytes > DEFAULT_SHARED_BYTES:
        driver = cupy.cuda.driver
        driver.funcSetAttribute(function.ptr, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes)
