"""Each block stages tiles of an array in shared memory, where its threads read them."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

WORDS = 4  # of 32 bits that a thread loads at once


def elements(at: Setting) -> int:
    """Return the elements of the array."""
    return at.threads * WORDS * at.whole("tiles")


PATTERN = Pattern(
    summary="Each block copies tiles of 16 bytes per thread to shared memory one by one, and uses each of them there.",
    source="our own; CUDA C++ Programming Guide, Asynchronous Data Copies",
    dtypes=("i32",),
    options={"tiles": ("16", "64")},
    representative={"launch": "4096x256"},
    also_called=("cp.async", "cp.async.bulk", "bulk copy", "double buffering", "software pipeline"),
    buffers=(Input("values", elements=elements), Output("result")),
    launch_bounds=True,
    one_pass=True,
    static_block=True,
    blocks=(64, 128, 256, 512),
    bytes_moved=lambda at: elements(at) * at.dtype.size,
    notes=(
        "A thread reads the word of the thread at the other end of the block. The array has `tiles` words of 16 bytes "
        "per thread: 268 MB at `4096x256`. With bulk copies, one thread per block copies a tile with one instruction. "
        "They access shared memory by the async proxy, so that each thread executes `fence.proxy.async` between its "
        "reads of a tile and the barrier after which this is overwritten."
    ),
    variants=(
        Variant(
            name="ldg-sts",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="load, store, `__syncthreads()`, use, `__syncthreads()`",
        ),
        Variant(
            name="ldg-sts-ahead",
            mechanism=Mechanism.SMEM,
            summary="the next tile is loaded to registers before one is used; two tiles, one `__syncthreads()` each",
        ),
        Variant(
            name="cp-async",
            mechanism=Mechanism.ASYNC,
            summary="`cp.async` of the next tile before one is used; two tiles, one `__syncthreads()` each",
            needs="sm_80",
        ),
        Variant(
            name="cp-async-4",
            mechanism=Mechanism.ASYNC,
            summary="like `cp-async`, with four tiles, of which three are copied while one is used",
            needs="sm_80",
        ),
        Variant(
            name="bulk",
            mechanism=Mechanism.ASYNC,
            summary=(
                "one `cp.async.bulk` of the next tile before one is used; two tiles, each with an mbarrier and a "
                "`__syncthreads()`"
            ),
            needs="sm_90",
            opcodes=("UBLKCP", "SYNCS"),
        ),
        Variant(
            name="bulk-4",
            mechanism=Mechanism.ASYNC,
            summary="like `bulk`, with four tiles, of which three are copied while one is used",
            needs="sm_90",
            opcodes=("UBLKCP", "SYNCS"),
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(values: NDArray[np.int32], at: Setting, tiles: str) -> NDArray[np.int32]:
    """Mix the words that each thread uses, in the order of the tiles, as `use` in tiles.cuh does; shape [threads]."""
    words = values.view(np.uint32).reshape(at.grid, int(tiles), at.block, WORDS)[:, :, ::-1]
    total = np.zeros((at.grid, at.block), np.uint32)
    for tile in range(int(tiles)):
        for word in range(WORDS):
            total = total * FACTOR + words[:, tile, :, word]
    return total.reshape(-1).view(np.int32)
