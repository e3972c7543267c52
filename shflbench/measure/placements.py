"""Open a kernel several times, so that its rounds sample several places of its code and its buffers in memory."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.backends.base import Backend, KernelCall, OpenKernel

# The time of a kernel depends on where its code and its buffers lie. Most kernels of 4 to 60 µs, opened again in one
# process, differed by 20 to 39 ns (standard deviation), and the rounds of one opening by 4 to 24 ns; a chain of loads
# from L2 of 69 µs differed by 0.56 µs (benchmarks/places.md).
# Larger buffers have fewer places: they lie on more pages, whose effects average out, and filling them takes time.
MOST_BYTES = 2**27  # of all places of a kernel
MEMORY_PART = 256  # of the device's memory at most, because a window opens dozens of kernels


def count_places(most: int, nbytes: int, memory_bytes: int) -> int:
    """Return how often to open a kernel whose buffers take `nbytes`, on a device of `memory_bytes`."""
    return max(1, min(most, min(MOST_BYTES, memory_bytes // MEMORY_PART) // max(1, nbytes)))


def open_again(
    backend: Backend, call: KernelCall, first: OpenKernel, most: int, fill: Callable[[OpenKernel], object] | None = None
) -> tuple[OpenKernel, ...]:
    """Return `first` and the same kernel opened again, `most` in all, filled by `fill`; fewer if the device refuses.

    Errors of `fill` are raised after all but `first` are closed.
    """
    places = [first]
    nbytes = sum(buffer.nbytes for buffer in call.buffers)
    try:
        with suppress(LaunchError):  # the device is full, or lost, which the next launch reports
            for _ in range(count_places(most, nbytes, backend.device.memory_bytes) - 1):
                places.append(backend.open(call))  # noqa: PERF401  (those that were opened before a refusal are kept)
        for place in places[1:]:
            if fill:
                fill(place)
    except BaseException:
        for place in places[1:]:
            place.close()
        raise
    return tuple(places)
