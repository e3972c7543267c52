"""A GPU of NumPy for `benchmarks.peers`: kernels run at once; graphs keep what is queued while they are captured."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np


class DeviceArray(np.ndarray[Any, Any]):
    """An array of NumPy with what the program uses of cupy's."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(memset_async=lambda value, _: self.view(np.uint8).fill(value))

    def get(self) -> np.ndarray[Any, Any]:
        return np.array(self)

    def set(self, values: np.ndarray[Any, Any]) -> None:
        self[:] = values


class LoadedCode:
    """What cupy unloads with its last reference."""


@dataclass
class Stream:
    """A stream that runs at once, and keeps what it runs while it captures."""

    device: Device
    calls: list[Callable[[], None]] = field(default_factory=list)

    def __enter__(self) -> None:
        self.device.stream = self

    def __exit__(self, *_: object) -> None:
        self.device.stream = None

    def synchronize(self) -> None:
        pass

    def begin_capture(self) -> None:
        self.calls.clear()
        self.device.capturing = True

    def end_capture(self) -> SimpleNamespace:
        self.device.capturing = False
        calls = list(self.calls)
        return SimpleNamespace(launch=lambda _: [call() for call in calls])


@dataclass
class Streams:
    """The class of streams."""

    device: Device
    null: None = None

    def __call__(self, *, non_blocking: bool) -> Stream:
        assert non_blocking
        return Stream(self.device)


@dataclass
class Device:
    """A GPU whose kernels are functions of NumPy, by variant; each replay takes as long as the next number says."""

    kernels: dict[str, Callable[..., None]]
    stream: Stream | None = None
    capturing: bool = False
    clock: Iterator[float] = field(default_factory=lambda: iter(range(1, 10_000)))
    emptied: int = 0

    def cupy(self, accelerators: Sequence[int] = (1,)) -> Any:
        cuda = SimpleNamespace(
            Stream=Streams(self),
            MemoryPool=lambda: SimpleNamespace(malloc=None),
            using_allocator=lambda _: nullcontext(),
            runtime=SimpleNamespace(deviceSynchronize=lambda: None),
            get_elapsed_time=lambda *_: next(self.clock) / 1000,
            function=SimpleNamespace(Module=self._module),
            cub=SimpleNamespace(get_build_version=lambda: 300_000),
        )
        return SimpleNamespace(
            __version__="14",
            cuda=cuda,
            _core=SimpleNamespace(get_routine_accelerators=lambda: accelerators),
            empty=lambda size, dtype: np.zeros(size, dtype).view(DeviceArray),
            zeros=lambda size, dtype: np.zeros(size, dtype).view(DeviceArray),
            get_default_memory_pool=lambda: SimpleNamespace(free_all_blocks=lambda: None),
        )

    def _module(self) -> SimpleNamespace:
        return SimpleNamespace(load=lambda _: None, get_function=self._function)

    def _function(self, symbol: str) -> Callable[..., None]:
        module = LoadedCode()
        loaded = weakref.ref(module)

        def run(given: Any) -> None:
            assert loaded(), "unloaded: a graph has no reference to the kernels that it launches"
            self.kernels[symbol](*given)

        def launch(_grid: object, _block: object, given: Any, shared_mem: int, _module: object = module) -> None:
            assert shared_mem == 0
            self.queue(lambda: run(given))

        del module
        return launch

    def queue(self, call: Callable[[], None]) -> None:
        if self.capturing and self.stream:
            self.stream.calls.append(call)
        else:
            call()

    def harness(self) -> Any:
        event = SimpleNamespace(record=lambda: None, synchronize=lambda: None, done=False)
        return SimpleNamespace(
            cupy=self.cupy(),
            make_cold=lambda: None,
            empty_l2=self._empty,
            block_stream=lambda *_: None,
            event_pairs=lambda _: [(event, event)],
            delay=SimpleNamespace(learn=lambda **_: None),
        )

    def _empty(self) -> None:
        self.emptied += 1
