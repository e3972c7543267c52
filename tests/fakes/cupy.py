"""The part of cupy that the CUDA backend uses, on a GPU and a host whose times a script gives.

The host's clock advances with each call that queues something; the GPU does what is queued in order, each thing when
it is queued and the last one is done. Event times, and whether the host is ahead of the GPU, follow from these.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

CLOCK_MHZ = 2000


class CudaError(RuntimeError):
    """As cupy's: a text `NAME: words` and CUDA's number."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class OutOfMemoryError(MemoryError):
    """As cupy's, which has no number."""


ILLEGAL_ADDRESS = CudaError(700, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered")


WRONG_CONTEXT = CudaError(400, "CUDA_ERROR_INVALID_HANDLE: invalid resource handle")


class FakeArray:
    """An array on the device, in one context."""

    def __init__(self, values: NDArray[Any], context: int, queue: Callable[[str, float, float], None]) -> None:
        self.values, self.context, self._queue = values, context, queue
        self.shape, self.dtype, self.nbytes = values.shape, values.dtype, values.nbytes
        self.data = SimpleNamespace(
            values=values,
            ptr=values.ctypes.data,
            copy_from_device_async=self._copy,
            memset_async=lambda value, _: values.view(np.uint8).fill(value),
            copy_from_host=lambda address, nbytes: ctypes.memmove(values.ctypes.data, address, nbytes),
            copy_to_host=lambda address, nbytes: ctypes.memmove(address, values.ctypes.data, nbytes),
        )

    def __getitem__(self, part: slice) -> FakeArray:
        return FakeArray(self.values[part], self.context, self._queue)

    def view(self, dtype: Any) -> FakeArray:
        return FakeArray(self.values.view(dtype), self.context, self._queue)

    def _copy(self, source: Any, _: int) -> None:
        self.values[:] = source.values
        self._queue("copy", 1.0, 1.0)


@dataclass
class FakeGpu:
    """The GPU's and the host's time, in µs, and all that was queued, in order."""

    kernels_us: dict[str, float] = field(default_factory=dict)  # name → time on the GPU
    launch_us: float = 5.0  # of the host
    event_us: float = 1.0  # likewise
    free_bytes: int = 1 << 30
    dead: CudaError | None = None  # what every call raises from now on
    raises: BaseException | None = None  # what the next launch of `work` raises
    host: float = 0.0
    gpu: float = 0.0
    queued: list[str] = field(default_factory=list)
    arguments: list[tuple[Any, ...]] = field(default_factory=list)  # of each launch of `work`
    launched: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)  # all kernels, with their arguments
    captured: list[tuple[str, tuple[Any, ...]]] | None = None  # the kernels that a graph gets instead of the GPU
    allocated: list[int] = field(default_factory=list)  # bytes of each array
    unloaded: list[str] = field(default_factory=list)
    modules: list[Any] = field(default_factory=list)  # weak references to the modules, in the order of loading
    lost_variables: list[str] = field(default_factory=list)  # that the driver does not find
    contexts: list[int] = field(default_factory=lambda: [0])  # the last one is current; 0 is cupy's own
    most_contexts: int = 100
    created: int = 1
    refused: int = 0

    def use(self, context: int) -> None:
        """Refuse what belongs to a context that is not the current one."""
        if context != self.contexts[-1]:
            raise CudaError(WRONG_CONTEXT.status, str(WRONG_CONTEXT))

    def queue(self, what: str, host_us: float, gpu_us: float) -> None:
        self.check()
        self.host += host_us
        self.gpu = max(self.gpu, self.host) + gpu_us
        self.queued.append(what)

    def check(self) -> None:
        if self.dead:
            raise CudaError(self.dead.status, str(self.dead))  # a new one, that keeps nothing of an older call alive

    def launch(self, name: str, arguments: tuple[Any, ...], host_us: float | None = None) -> None:
        if self.captured is not None:
            self.captured.append((name, arguments))
            return
        if name == "work" and self.raises:
            raise self.raises
        gpu_us = float(arguments[0]) / 1000 if name in {"delay", "busy"} else self.kernels_us.get(name, 1.0)
        self.queue(name, self.launch_us if host_us is None else host_us, gpu_us)
        self.launched.append((name, arguments))
        if name == "stamp":
            arguments[0].values[:2] = int(self.gpu * CLOCK_MHZ), int(self.gpu * 1000)
        if name == "work":
            self.arguments.append(arguments)

    def synchronize(self) -> None:
        self.check()
        self.host = max(self.host, self.gpu)

    def zeros(self, count: int, dtype: Any) -> FakeArray:
        self.check()
        self.allocated.append(count * np.dtype(dtype).itemsize)
        # What empties the L2 cache is large and of no other use.
        values = np.zeros(count, dtype) if count < 8 << 20 else np.broadcast_to(np.zeros(1, dtype), count)
        return FakeArray(values, self.contexts[-1], self.queue)


class FakeEvent:
    """An event: when the GPU came to it."""

    def __init__(self, gpu: FakeGpu) -> None:
        self._gpu, self._context = gpu, gpu.contexts[-1]
        self.time = 0.0

    def record(self) -> None:
        self._gpu.use(self._context)
        self._gpu.queue("event", self._gpu.event_us, 0.0)
        self.time = self._gpu.gpu

    @property
    def done(self) -> bool:
        return self.time <= self._gpu.host

    def synchronize(self) -> None:
        self._gpu.synchronize()


class FakeStream:
    """A stream whose kernels can be captured."""

    def __init__(self, gpu: FakeGpu) -> None:
        self._gpu, self._is_current = gpu, False

    def __enter__(self) -> None:
        self._is_current = True

    def __exit__(self, *_: object) -> None:
        self._is_current = False

    def begin_capture(self) -> None:
        assert self._is_current
        self._gpu.captured = []

    def end_capture(self) -> Any:
        kernels, self._gpu.captured = self._gpu.captured, None
        assert kernels
        self._gpu.queued.append("capture")
        return SimpleNamespace(launch=lambda: self._replay(kernels))

    def _replay(self, kernels: list[tuple[str, tuple[Any, ...]]]) -> None:
        assert not self._is_current
        for number, (name, arguments) in enumerate(kernels):
            self._gpu.launch(name, arguments, 0.0 if number else None)  # the host launches once


class FakeModule:
    """A loaded module; unloading it says which it was."""

    def __init__(self, gpu: FakeGpu) -> None:
        self.gpu, self.context = gpu, gpu.contexts[-1]
        gpu.modules.append(weakref.ref(self))
        self._cubin = b""

    def load(self, cubin: bytes) -> None:
        self.gpu.check()
        self._cubin = cubin
        self.variables: dict[str, NDArray[Any]] = {}

    def get_global_var(self, name: str) -> int:
        if name in self.gpu.lost_variables:
            raise CudaError(500, "CUDA_ERROR_NOT_FOUND: named symbol not found")
        return int(self.variables.setdefault(name, np.zeros(256, np.uint8)).ctypes.data)

    def get_function(self, name: str) -> Callable[..., None]:
        return FakeFunction(self, name)

    def __del__(self) -> None:
        wrong = "" if self.context == self.gpu.contexts[-1] else " in the wrong context"
        self.gpu.unloaded.append(self._cubin.decode() + wrong)


class FakeFunction:
    """A kernel; like cupy's it keeps its module."""

    def __init__(self, module: FakeModule, name: str) -> None:
        self._module, self._name = module, name
        self.ptr = 0

    def __call__(self, _grid: Any, _block: Any, arguments: tuple[Any, ...], **_: Any) -> None:
        gpu = self._module.gpu
        gpu.use(self._module.context)
        for argument in arguments:
            if isinstance(argument, FakeArray):
                gpu.use(argument.context)
        gpu.launch(self._name, arguments)


def fake_cupy(gpu: FakeGpu) -> Any:
    """Return what `import cupy` would give on a machine with this GPU."""

    def mem_get_info() -> tuple[int, int]:
        gpu.check()
        return gpu.free_bytes, 1 << 34

    return SimpleNamespace(
        zeros=gpu.zeros,
        get_default_memory_pool=lambda: SimpleNamespace(free_bytes=lambda: 512),
        cuda=SimpleNamespace(
            MemoryPool=lambda: SimpleNamespace(malloc=None),
            using_allocator=lambda _: nullcontext(),
            Event=lambda: FakeEvent(gpu),
            Stream=lambda non_blocking: FakeStream(gpu) if non_blocking else None,
            get_elapsed_time=lambda start, end: (end.time - start.time) / 1000,
            function=SimpleNamespace(Module=lambda: FakeModule(gpu)),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            driver=SimpleNamespace(CUDADriverError=CudaError),
            runtime=SimpleNamespace(
                CUDARuntimeError=CudaError,
                deviceSynchronize=gpu.synchronize,
                memGetInfo=mem_get_info,
                memcpyHostToDevice=1,
                memcpyDeviceToHost=2,
                memcpy=lambda target, source, nbytes, _kind: ctypes.memmove(target, source, nbytes),
            ),
        ),
    )


def fake_bindings(gpu: FakeGpu, version: str = "13.5.0") -> Any:
    """Return what `import cuda.bindings` would give on a machine with this GPU."""
    fine, full = DriverStatus(0, "CUDA_SUCCESS"), DriverStatus(2, "CUDA_ERROR_OUT_OF_MEMORY")
    device = 7

    def create(*words: object) -> tuple[DriverStatus, int]:
        assert words == ((None, 0, device) if version >= "13" else (0, device))
        if gpu.created == gpu.most_contexts:
            gpu.refused += 1
            return full, 0
        gpu.created += 1
        gpu.contexts.append(gpu.created)
        return fine, gpu.created

    def push(context: int) -> tuple[DriverStatus]:
        if gpu.dead:
            return (DriverStatus(gpu.dead.status, str(gpu.dead)),)
        gpu.contexts.append(context)
        return (fine,)

    driver = SimpleNamespace(
        cuCtxGetDevice=lambda: (fine, device),
        cuCtxCreate=create,
        cuCtxPushCurrent=push,
        cuCtxPopCurrent=lambda: (fine, gpu.contexts.pop()),
    )
    return SimpleNamespace(__version__=version, driver=driver)


@dataclass(frozen=True)
class DriverStatus:
    """The status that each call of the driver returns first."""

    value: int
    name: str

    def __int__(self) -> int:
        return self.value
