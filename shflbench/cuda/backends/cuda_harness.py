"""The kernels and events around a measured kernel: delay, clock stamps, cache eviction; see `harness.cu`."""

from __future__ import annotations

import ctypes
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.cuda.backends.cuda_errors import CudaErrors
from shflbench.cuda.compile.source import Source
from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("harness.cu")
SM_SLOTS = 1024  # more SMs than any GPU has
BLOCK = 1024  # threads per block of the harness's own kernels; two blocks fill the largest SMs

# The buffer that evicts the L2 cache, as a multiple of the cache's size. On an H200 a chain of dependent loads takes
# 78 µs after reading half of the 60 MB, 182 µs after all of it, and no more after 8×; reading 1.5× takes 25 µs.
L2_PASSES = 1.5

# The GPU waits before a burst, so that the host has queued all of it when the first kernel starts: some time per burst,
# per launch and per event. Through cupy, the host takes about 8 µs to queue an event, a kernel and an event.
BURST_NS = 40_000
LAUNCH_NS = 6_000
EVENT_NS = 2_000

# If the GPU reached the end of the queue before the host was done, the burst is repeated with twice the delay, up to 64
# times the initial one, some 10 ms. If that is not enough, the burst is host-bound.
TRIES = 7
MOST = 2.0 ** (TRIES - 1)
# A burst in time reduces the delay by this factor, by half in 14 bursts: one slow burst must not slow a whole run.
EASING = 0.95


def harness_source() -> Source:
    """Return the translation unit of the harness's kernels."""
    return Source(SOURCE.name, SOURCE.read_text(encoding="utf-8"), {}, "stamp")


def to_host(array: Any) -> NDArray[Any]:  # noqa: ANN401  (cupy ships no types)
    """Return a copy of an array of cupy, whose own `get` and `set` would make the default context current."""
    copy = np.empty(array.shape, array.dtype)
    array.data.copy_to_host(copy.ctypes.data, copy.nbytes)
    return copy


class Delay:
    """The delay of the next burst, adapted to whether the host was in time for the last ones."""

    def __init__(self) -> None:
        """Start with the delay for an idle host."""
        self.factor = 1.0

    def nanoseconds(self, launches: int, events: int) -> int:
        """Return the delay for a burst of `launches` kernels and `events` events."""
        return int((BURST_NS + LAUNCH_NS * launches + EVENT_NS * events) * self.factor)

    def learn(self, *, host_bound: bool) -> None:
        """Lengthen the delay if the burst was host-bound, or else shorten it a little."""
        self.factor = min(MOST, self.factor * 2) if host_bound else max(1.0, self.factor * EASING)


class Harness:
    """The harness's kernels on one GPU, and their buffers."""

    def __init__(self, cupy: ModuleType, cubin: bytes, sms: int, l2_bytes: int) -> None:
        """Load `cubin`, compiled from `harness_source`, onto the current device of `sms` SMs."""
        self.cupy = cupy
        self.delay = Delay()
        self._sms, self._l2_bytes = sms, l2_bytes
        module = cupy.cuda.function.Module()
        module.load(cubin)
        names = ("delay", "stamp", "busy", "read")
        self._delay, self._stamp, self._busy, self._read = (module.get_function(name) for name in names)
        self._stamps = [cupy.zeros(2 * SM_SLOTS, np.uint64) for _ in range(2)]
        self._sink = cupy.zeros(1, np.uint32)
        self._event_pairs: list[tuple[Any, Any]] = []
        self._unread: Any = None  # the buffer that evicts the L2 cache, once it is needed
        self._alive = True
        self._outliving: list[object] = []

    def errors(self, what: str) -> CudaErrors:
        """Return a context that turns CUDA's errors into LaunchError."""
        return CudaErrors(self.cupy, what)

    def block_stream(self, launches: int, events: int) -> None:
        """Block the stream while the host queues `launches` kernels and `events` events."""
        self._delay((1,), (1,), (np.uint64(self.delay.nanoseconds(launches, events)),))

    def event_pairs(self, count: int) -> list[tuple[Any, Any]]:
        """Return `count` pairs of events, the same ones each time."""
        event = self.cupy.cuda.Event
        self._event_pairs += [(event(), event()) for _ in range(count - len(self._event_pairs))]
        return self._event_pairs[:count]

    def make_cold(self) -> None:
        """Allocate the buffer that `empty_l2` reads; LaunchError if that fails."""
        if not self._l2_bytes:
            raise LaunchError("the driver does not say how large the L2 cache is, so it cannot be emptied")
        if self._unread is None:
            self._unread = self.cupy.zeros(int(L2_PASSES * self._l2_bytes) // 4, np.uint32)

    def empty_l2(self) -> None:
        """Fill the L2 cache with clean lines of a buffer that no kernel uses, and wait until that is done.

        The buffer is read, not written: NVBench (`l2flush`) and Triton (`do_bench`) clear a buffer between launches,
        so that the cache is full of dirty lines, and the measured kernel's time includes writing them back. Here, the
        dirty lines of earlier kernels are written back before.

        Rotating copies of the kernel's buffers is no alternative: the state of the cache would depend on how much of
        them the kernel uses, and on the case before.
        """
        count = np.uint64(self._unread.nbytes // 16)
        self._read((2 * self._sms,), (BLOCK,), (self._unread, count, self._sink))
        self.cupy.cuda.runtime.deviceSynchronize()

    def stamp_clock(self, which: int) -> None:
        """Queue a stamp of every SM's cycle counter: 0 at the start of an interval, 1 at the end."""
        self._stamp((self._sms,), (BLOCK,), (self._stamps[which], np.uint32(SM_SLOTS)))

    def clock_between_stamps(self) -> float | None:
        """Return the SM clock in MHz between the two stamps: the median over the SMs that have both."""
        first, last = (to_host(stamps).reshape(-1, 2).astype(np.int64) for stamps in self._stamps)
        cycles, elapsed_ns = (last - first)[(first[:, 1] > 0) & (last[:, 1] > first[:, 1])].T
        return float(median(1000 * cycles / elapsed_ns)) if len(cycles) else None

    def keep_busy(self, milliseconds: float) -> float | None:
        """Keep the arithmetic units of every SM busy, and return the SM clock in MHz during that time."""
        self.stamp_clock(0)
        self._busy((2 * self._sms,), (BLOCK,), (np.uint64(milliseconds * 1e6), self._sink.view(np.float32)))
        self.stamp_clock(1)
        return self.clock_between_stamps()

    def usable(self) -> bool:
        """Whether kernels can still run.

        After an illegal address, a failed assertion and the like every call fails, until the process ends. Source: CUDA
        Runtime API, cudaErrorIllegalAddress: "leaves the process in an inconsistent state".
        """
        try:
            self.stamp_clock(0)
            self.cupy.cuda.runtime.deviceSynchronize()
        except Exception:  # noqa: BLE001  (a dead context raises exceptions of many types)
            if self._alive:
                self._alive = False
                # An extra reference keeps cupy from destroying objects of a dead context, which prints errors.
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
        return self._alive

    def let_go(self, *objects: object) -> None:
        """Let CUDA objects be destroyed, unless the context is dead."""
        if not self.usable():
            self._outliving.extend(objects)
