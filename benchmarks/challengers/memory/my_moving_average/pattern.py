"""Each element becomes the mean of the five around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant
from shflbench.patterns.five_point import ALSO_CALLED, NOTES, SOURCE, means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALO = 4  # elements that a block needs from its neighbors


def count(at: Setting) -> int:
    """Return the length of the array, which need not fill the last block."""
    return at.threads - at.whole("missing")


def blocks_of(threads, each=1):
    """Blocks of so many threads with `each` elements per thread."""
    return lambda at: ((-(-at.threads // (threads * each)), 1, 1), (threads, 1, 1))


def resident(threads, blocks):
    return lambda at: ((min(blocks, -(-at.threads // (4 * threads))), 1, 1), (threads, 1, 1))


X = (
    ("x-block512", Mechanism.GLOBAL, blocks_of(512), "global with blocks of 512"),
    ("x-block1024", Mechanism.GLOBAL, blocks_of(1024), "global with blocks of 1024"),
    ("x-block1024-prefetch", Mechanism.GLOBAL, blocks_of(1024), "prefetch with blocks of 1024"),
    ("x-block1024-shfl", Mechanism.SHFL, blocks_of(1024), "shfl with blocks of 1024, five shuffles"),
    ("x-strided4", Mechanism.GLOBAL, blocks_of(256, 4), "global, four elements per thread, 256 apart"),
    ("x-four", Mechanism.GLOBAL, blocks_of(256, 4), "four adjacent elements per thread, wide loads"),
    ("x-four-shfl", Mechanism.SHFL, blocks_of(256, 4), "the same, two on either side by shuffles"),
    ("x-eight", Mechanism.GLOBAL, blocks_of(256, 8), "twice four adjacent elements per thread"),
    ("x-resident", Mechanism.GLOBAL, resident(256, 1056), "1056 blocks, four adjacent elements at a time"),
)

PATTERN = Pattern(
    summary="Each result is the mean of an element and of the two elements on either side of it (moving average).",
    source=SOURCE,
    notes=(
        f"{NOTES} The option `missing` is the number of threads without an element: the array is that much shorter "
        "than the launch. The third table of the article lists 515, 516, ... as `input[i + 2]` for the threads from "
        "512 on, where 514, 515, ... is correct, and `input1` where its code has `input0`. `prefetch` asks for "
        "elements 8 MiB ahead: it does so only in arrays that are longer."
    ),
    dtypes=("f32", "f64"),
    options={"missing": ("0", "5")},
    launch_bounds=True,
    one_pass=True,
    representative={"launch": "262144x256"},
    also_called=ALSO_CALLED,
    buffers=(Input("x", elements=count), Output("y", elements=count)),
    scalars=(Scalar("count", count),),
    bytes_moved=lambda at: 2 * count(at) * at.dtype.size,
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="the elements of the block in shared memory, plus two halo elements on each side",
            shared=lambda at: (at.block + HALO) * at.dtype.size,
        ),
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            summary="five loads from global memory per thread; overlapping loads hit the cache",
        ),
        Variant(
            name="prefetch",
            mechanism=Mechanism.GLOBAL,
            summary="the same; every eighth block prefetches to L2 what eight blocks load that start later",
            needs="sm_90",
            source="prefetch.cu",
            opcodes=("UBLKPF",),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "the elements of the warp in registers; four shuffles, plus two for the lanes at the edges of the warp"
            ),
        ),
        *(
            Variant(
                name=name, mechanism=mechanism, summary=summary, source="x.cu", needs="sm_90", dtypes=("f32",), dims=dims,
            )
            for name, mechanism, dims, summary in X
        ),
    ),
)


def reference(x: NDArray[np.floating], **_: str) -> NDArray[np.floating]:
    """Return the mean of the five elements around each one."""
    return means(x)
