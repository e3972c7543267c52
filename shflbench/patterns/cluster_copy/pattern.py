"""Two blocks of a cluster send each other 16 bytes to 16 KB, iteration after iteration."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.cluster_copy.family import FAMILY
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant
from shflbench.patterns.groups import blocks, larger_blocks, separate_blocks

WORD = 4  # bytes
LINE = 32  # words of a line of memory, one for each count
FEW = ("1024", "16", "64", "256", "4096")  # bytes: above, these variants have too many words
IN_CLUSTER = ("values", "result", "iterations")  # the arguments of all variants without slots in global memory


def words(at: Setting) -> int:
    """Return the 32-bit words of all blocks."""
    return blocks(at) * at.whole("bytes") // WORD


def slots(count: int) -> Callable[[Setting], int]:
    """Return the shared memory of a kernel with space for so many times the bytes of a block, in bytes per block."""
    return lambda at: count * at.whole("bytes")


PATTERN = Pattern(
    summary="Groups of `cluster` blocks: each sends `bytes` to the block of the mirrored rank, and uses what comes.",
    source="our own; CUDA C++ Programming Guide, Asynchronous Data Copies; NVIDIA/cccl, issues 9994 and 9224",
    dtypes=("i32",),
    options={"bytes": ("1024", "16", "64", "256", "4096", "16384"), "cluster": ("2", "4")},
    representative={"launch": "sms x 128"},
    also_called=("distributed shared memory copy", "st.async", "SM to SM copy"),
    launch_bounds=True,
    unroll=2,
    static_block=True,
    blocks=(64, 128, 256),
    buffers=(
        Input("values", elements=words),
        Output("result", elements=words),
        Output("slots", elements=lambda at: 2 * words(at), compared=False),
        Output("counts", elements=lambda at: LINE * blocks(at), dtype="i32", initial=0),
    ),
    notes=(
        "A launch is that of groups: `132x128` with `cluster=2` are 264 blocks of 128 threads, in clusters of 2, or"
        " 132 blocks of 256 threads in `larger-block`. Its column `shape` has what was launched. A thread has what "
        "it sends in registers, in words of 16 bytes, and mixes each with what has come in its place; of blocks "
        "with more threads than words, only the first threads have one. Words have 4 bytes in `numbered`, and 8 or 4 "
        "in `red-async` and `red-async-tests`. All variants have space for the words of "
        "two iterations, and the members of the family of one or two. `store-async-cta` has the scope of PTX's "
        "defaults, `.cta`: what an arrival that releases to the cluster costs. In `store-async-arrivals` and "
        "`bulk`, one arrival says that the words of the iteration before have been read and how many bytes come. "
        "Bulk copies access shared memory by the async proxy, so that `fence.proxy.async` lies between accesses of "
        "threads and copies. In `numbered`, half of what is sent are numbers of iterations."
    ),
    variants=(
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="through global memory; a count per block says that its words have come",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "slots", "counts", "iterations"),
        ),
        Variant(
            name="push-barrier",
            mechanism=Mechanism.CLUSTER,
            summary="stores of 16 bytes to the shared memory of the other block; a barrier of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
        ),
        Variant(
            name="pull-barrier",
            mechanism=Mechanism.CLUSTER,
            summary="loads of 16 bytes from the shared memory of the other block; a barrier of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
        ),
        Variant(
            name="push-mbarrier",
            mechanism=Mechanism.CLUSTER,
            summary="stores as in `push-barrier`; a lane per warp arrives at an `mbarrier` of the other block",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("SYNCS",),
        ),
        Variant(
            name="store-async",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "`st.async` of 16 bytes, which counts its bytes at an `mbarrier` of the other block, and one for the "
                "way back, at which a lane per warp arrives"
            ),
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="store-async-arrivals",
            mechanism=Mechanism.CLUSTER,
            summary="the same; a lane per warp announces the bytes by an arrival that says also what has been read",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="store-async-cta",
            mechanism=Mechanism.CLUSTER,
            safe=False,
            summary="like `store-async`; arrivals and waits have the scope of the block and not of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="bulk",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "stores to own shared memory, `__syncthreads()`, and one `cp.async.bulk` to the other block; an "
                "arrival as in `store-async-arrivals`"
            ),
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(4),
            opcodes=("UBLKCP", "SYNCS"),
        ),
        Variant(
            name="numbered",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "relaxed stores of 32 bits and the number of the iteration in one word, which the other block polls, "
                "two loads at a time; no fence"
            ),
            only={"bytes": FEW},
            needs="sm_90",
            source="relaxed.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(4),
        ),
        Variant(
            name="red-async",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "`red.async` adds 4 or 8 bytes to a slot that is never cleared, and counts its bytes at an `mbarrier` "
                "per warp of the other block; no fence"
            ),
            only={"bytes": FEW},
            needs="sm_90",
            source="relaxed.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("REDAS", "SYNCS"),
        ),
        Variant(
            name="red-async-tests",
            mechanism=Mechanism.CLUSTER,
            summary="the same; threads poll the `mbarrier` by `mbarrier.test_wait`",
            only={"bytes": FEW},
            needs="sm_90",
            source="relaxed.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("REDAS", "SYNCS"),
        ),
        Variant(
            name="larger-block",
            mechanism=Mechanism.SMEM,
            summary="one block with the threads of all; `__syncthreads()`",
            dims=larger_blocks,
            arguments=IN_CLUSTER,
            shared=lambda at: 2 * at.whole("cluster") * at.whole("bytes"),
        ),
    ),
    family=FAMILY,
)


def reference(
    values: NDArray[np.int32],
    iterations: int,
    bytes: str,  # noqa: A002, ARG001  (the option)
    cluster: str,
    at: Setting,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Mix each word with that of the mirrored block, own + 2·got in wrapping integers; counts are zero as before."""
    x = values.view(np.uint32).reshape(at.grid, int(cluster), -1).copy()
    for _ in range(iterations):
        x = x + np.uint32(2) * x[:, ::-1]
    return x.view(np.int32).reshape(values.shape), np.zeros(LINE * blocks(at), np.int32)
