"""What surrounds a measured kernel on the GPU: delay, clock, cold cache, events; see `harness.cu`."""

from __future__ import annotations

import ctypes
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.backends.cuda_errors import CudaErrors
from shflbench.compile.source import Source
from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from types import ModuleType

SOURCE = Path(__file__).with_name("harness.cu")
SM_SLOTS = 1024  # more SMs than any GPU has
BLOCK = 1024  # threads a block of the harness's own kernels; two of them fill the largest SMs

# How many times its size the L2 cache is read through to empty it. On an H200 a chain of dependent loads takes 78 µs
# after half of the 60 MB, 182 µs after all of it, and no longer after eight times as much; 1.5 times take 25 µs.
L2_PASSES = 1.5

# How long the GPU waits before a burst, so that the host has queued all of it when the first kernel starts:
# what the host takes to queue one kernel and to record one event: through cupy an event-kernel-event triple takes
# about 8 µs. A burst gets a little more than that, and something for its own sake.
BURST_NS = 40_000
LAUNCH_NS = 6_000
EVENT_NS = 2_000

# A burst that the GPU overtook is taken again with twice the delay, up to 64 times the usual one, some 10 ms. A host
# that is later still is too busy for short kernels, and the burst is host-bound.
TRIES = 7
MOST = 2.0 ** (TRIES - 1)
# A burst on time takes this off again, half of it in 14 bursts: one hiccup of the host must not slow a whole run down.
EASING = 0.95


def harness_source() -> Source:
    """Return the translation unit of the harness's kernels."""
    return Source(SOURCE.name, SOURCE.read_text(encoding="utf-8"), {}, "stamp")


class Delay:
    """The delay of the next burst, which learns from whether the last ones were on time."""

    def __init__(self) -> None:
        """Begin with what an idle host takes."""
        self.factor = 1.0

    def nanoseconds(self, launches: int, events: int) -> int:
        """Return how long to wait for a burst of so many kernels and events."""
        return int((BURST_NS + LAUNCH_NS * launches + EVENT_NS * events) * self.factor)

    def learn(self, *, host_bound: bool) -> None:
        """Wait for longer if the GPU overtook the host, else a little less long."""
        self.factor = min(MOST, self.factor * 2) if host_bound else max(1.0, self.factor * EASING)


class Harness:
    """The harness's kernels on one GPU, and what they need."""

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
        self._unread: Any = None  # what empties the L2 cache, once it is needed
        self._alive = True
        self._outliving: list[object] = []

    def errors(self, what: str) -> CudaErrors:
        """Return a context that turns CUDA's errors into LaunchError."""
        return CudaErrors(self.cupy, what)

    def block_stream(self, launches: int, events: int) -> None:
        """Keep the stream waiting while the host queues so many kernels and events."""
        self._delay((1,), (1,), (np.uint64(self.delay.nanoseconds(launches, events)),))

    def event_pairs(self, count: int) -> list[tuple[Any, Any]]:
        """Return `count` pairs of events, the same ones each time."""
        event = self.cupy.cuda.Event
        self._event_pairs += [(event(), event()) for _ in range(count - len(self._event_pairs))]
        return self._event_pairs[:count]

    def make_cold(self) -> None:
        """Get the memory that `empty_l2` reads; LaunchError if there is none."""
        if not self._l2_bytes:
            raise LaunchError("the driver does not say how large the L2 cache is, so it cannot be emptied")
        if self._unread is None:
            self._unread = self.cupy.zeros(int(L2_PASSES * self._l2_bytes) // 4, np.uint32)

    def empty_l2(self) -> None:
        """Fill the L2 cache with lines that no kernel is given, all of them clean, and wait until that is done.

        They are read, not written: NVBench (`l2flush`) and Triton (`do_bench`) clear a buffer between launches, which
        leaves a cache full of changed lines, and to write those back is then part of the measured kernel's time. Its
        own changed lines, and those of whatever ran before, are written back here.

        Nor is it given other copies of its buffers in turn: with those, the cache's state would depend on how much of
        them the kernel touches, and on the case before.
        """
        count = np.uint64(self._unread.nbytes // 16)
        self._read((2 * self._sms,), (BLOCK,), (self._unread, count, self._sink))
        self.cupy.cuda.runtime.deviceSynchronize()

    def stamp_clock(self, which: int) -> None:
        """Queue a stamp of every SM's cycle counter; 0 opens an interval, 1 closes it."""
        self._stamp((self._sms,), (BLOCK,), (self._stamps[which], np.uint32(SM_SLOTS)))

    def clock_between_stamps(self) -> float | None:
        """Return the SM clock in MHz between the two stamps: the median over the SMs that both reached."""
        first, last = (stamps.get().reshape(-1, 2).astype(np.int64) for stamps in self._stamps)
        cycles, elapsed_ns = (last - first)[(first[:, 1] > 0) & (last[:, 1] > first[:, 1])].T
        return float(median(1000 * cycles / elapsed_ns)) if len(cycles) else None

    def keep_busy(self, milliseconds: float) -> float | None:
        """Load every SM's arithmetic units, and return the SM clock in MHz meanwhile."""
        self.stamp_clock(0)
        self._busy((2 * self._sms,), (BLOCK,), (np.uint64(milliseconds * 1e6), self._sink.view(np.float32)))
        self.stamp_clock(1)
        return self.clock_between_stamps()

    def usable(self) -> bool:
        """Whether kernels can still be run.

        After an illegal address, a failed assertion and the like every call fails, until the process ends. Source: CUDA
        Runtime API, cudaErrorIllegalAddress: "leaves the process in an inconsistent state".
        """
        try:
            self.stamp_clock(0)
            self.cupy.cuda.runtime.deviceSynchronize()
        except Exception:  # noqa: BLE001  (whatever a dead context raises: the answer is no)
            if self._alive:
                self._alive = False
                # One reference too many: what cupy cannot destroy any more, it complains about on stderr if it tries.
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
        return self._alive

    def let_go(self, *objects: object) -> None:
        """Let objects of CUDA be destroyed, unless the context is dead."""
        if not self.usable():
            self._outliving.extend(objects)
