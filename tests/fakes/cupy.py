"""The part of cupy that the CUDA backend uses, on a GPU and a host whose times a script gives.

The host's clock advances with each call that queues something; the GPU does what is queued in order, each thing when
it is queued and the last one is done. Event times, and whether the host is ahead of the GPU, follow from these.
"""

from __future__ import annotations

from collections.abc import Callable
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


class FakeArray:
    """An array on the device."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values
        self.data = SimpleNamespace(memset_async=lambda value, _: values.view(np.uint8).fill(value))

    @property
    def nbytes(self) -> int:
        return int(self.values.nbytes)

    def set(self, values: NDArray[Any]) -> None:
        self.values[:] = values

    def get(self) -> NDArray[Any]:
        return self.values.copy()

    def view(self, dtype: Any) -> FakeArray:
        return FakeArray(self.values.view(dtype))


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
    allocated: list[int] = field(default_factory=list)  # bytes of each array
    unloaded: list[str] = field(default_factory=list)

    def queue(self, what: str, host_us: float, gpu_us: float) -> None:
        self.check()
        self.host += host_us
        self.gpu = max(self.gpu, self.host) + gpu_us
        self.queued.append(what)

    def check(self) -> None:
        if self.dead:
            raise CudaError(self.dead.status, str(self.dead))  # a new one, that keeps nothing of an older call alive

    def launch(self, name: str, arguments: tuple[Any, ...]) -> None:
        if name == "work" and self.raises:
            raise self.raises
        gpu_us = float(arguments[0]) / 1000 if name in {"delay", "busy"} else self.kernels_us.get(name, 1.0)
        self.queue(name, self.launch_us, gpu_us)
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
        return FakeArray(np.zeros(count, dtype) if count < 1 << 20 else np.broadcast_to(np.zeros(1, dtype), count))


class FakeEvent:
    """An event: when the GPU came to it."""

    def __init__(self, gpu: FakeGpu) -> None:
        self._gpu = gpu
        self.time = 0.0

    def record(self) -> None:
        self._gpu.queue("event", self._gpu.event_us, 0.0)
        self.time = self._gpu.gpu

    @property
    def done(self) -> bool:
        return self.time <= self._gpu.host

    def synchronize(self) -> None:
        self._gpu.synchronize()


class FakeModule:
    """A loaded module; unloading it says which it was."""

    def __init__(self, gpu: FakeGpu) -> None:
        self._gpu = gpu
        self._cubin = b""

    def load(self, cubin: bytes) -> None:
        self._gpu.check()
        self._cubin = cubin

    def get_function(self, name: str) -> Callable[..., None]:
        return FakeFunction(self, self._gpu, name)

    def __del__(self) -> None:
        self._gpu.unloaded.append(self._cubin.decode())


class FakeFunction:
    """A kernel; like cupy's it keeps its module."""

    def __init__(self, module: FakeModule, gpu: FakeGpu, name: str) -> None:
        self._module, self._gpu, self._name = module, gpu, name
        self.ptr = 0

    def __call__(self, _grid: Any, _block: Any, arguments: tuple[Any, ...], **_: Any) -> None:
        self._gpu.launch(self._name, arguments)


def fake_cupy(gpu: FakeGpu) -> Any:
    """Return what `import cupy` would give on a machine with this GPU."""

    def mem_get_info() -> tuple[int, int]:
        gpu.check()
        return gpu.free_bytes, 1 << 34

    return SimpleNamespace(
        zeros=gpu.zeros,
        get_default_memory_pool=lambda: SimpleNamespace(free_bytes=lambda: 512),
        cuda=SimpleNamespace(
            Event=lambda: FakeEvent(gpu),
            get_elapsed_time=lambda start, end: (end.time - start.time) / 1000,
            function=SimpleNamespace(Module=lambda: FakeModule(gpu)),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            driver=SimpleNamespace(CUDADriverError=CudaError),
            runtime=SimpleNamespace(
                CUDARuntimeError=CudaError, deviceSynchronize=gpu.synchronize, memGetInfo=mem_get_info
            ),
        ),
    )
