"""Open a kernel several times, so that its rounds sample several contexts and places in memory."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.cuda.backends.base import Backend, KernelCall, OpenKernel

# The time of a short kernel depends on the CUDA context that runs it, and on where its code and its buffers lie. On
# three H200s, sentinels of 10 to 50 µs differed by 46 to 55 ns (standard deviation) between contexts of one process, as
# much as between processes with one context each (benchmarks/earlier.md).
# Larger buffers have fewer places: they lie on more pages, whose effects average out, and filling them takes time.
MOST_PLACED_BYTES = 2**28  # of all places of a kernel
MEMORY_PART = 64  # of the device's memory at most, because a window opens dozens of kernels
CONTEXT_BYTES = 600 * 2**20  # of a context: 526 MiB on an H200, which take 0.13 s
CONTEXT_PART = 4  # of the device's memory at most, for all contexts


def count_places(most: int, nbytes: int, memory_bytes: int) -> int:
    """Return how often to open a kernel whose buffers take `nbytes`, on a device of `memory_bytes`.

    It divides `most`, so that two rounds whose numbers differ by `most` use the same place, in every kernel.
    """
    by_buffers = min(MOST_PLACED_BYTES, memory_bytes // MEMORY_PART) // max(1, nbytes)
    by_contexts = memory_bytes // (CONTEXT_PART * CONTEXT_BYTES)
    fitting = max(1, min(by_buffers, by_contexts))
    return max(count for count in range(1, most + 1) if most % count == 0 and count <= fitting)


def open_again(
    backend: Backend, call: KernelCall, first: OpenKernel, most: int, fill: Callable[[OpenKernel], object] | None = None
) -> tuple[OpenKernel, ...]:
    """Return `first` and the same kernel opened at further places, `most` in all, filled by `fill`.

    Only `first` if the device refuses one of them. Errors of `fill` are raised after all but `first` are closed.
    """
    nbytes = sum(buffer.nbytes for buffer in call.buffers)
    count = count_places(most, nbytes, backend.device.memory_bytes)
    with ExitStack() as opened:
        try:
            further = [opened.enter_context(closing(backend.open(call, place))) for place in range(1, count)]
        except LaunchError:  # the device is full, or lost, which the next launch reports
            return (first,)
        if fill:
            for kernel in further:
                fill(kernel)
        opened.pop_all()
    return first, *further
