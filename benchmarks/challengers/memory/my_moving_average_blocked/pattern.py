"""Each element becomes the mean of the five around it; each thread has several consecutive elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant, elements_per_thread
from shflbench.patterns.five_point import ALSO_CALLED, NOTES, SOURCE, means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALO = 4  # elements that a thread needs from its neighbors


def count(at: Setting) -> int:
    """Return the length of the array, which need not fill the last block."""
    return (at.threads - at.whole("missing")) * at.whole("per_thread")


def blocks_of(threads, each=1):
    """Blocks of so many threads with `each` times the elements per thread."""
    return lambda at: ((-(-at.threads // (threads * each)), 1, 1), (threads, 1, 1))


TILE = {"shared": lambda at: (16 * 256 + 8) * 4, "opcodes": ("UBLKCP",)}
LIMITED = {"shared": lambda at: 44 * 1024}
X = (
    ("x-block128", Mechanism.GLOBAL, blocks_of(128), {}, "global with blocks of 128"),
    ("x-block1024", Mechanism.GLOBAL, blocks_of(1024), {}, "global with blocks of 1024"),
    ("x-prefetch", Mechanism.GLOBAL, blocks_of(256), {}, "global; every second block prefetches to L2"),
    ("x-two", Mechanism.GLOBAL, blocks_of(256, 2), {}, "twice four elements per thread"),
    ("x-two-shfl", Mechanism.SHFL, blocks_of(256, 2), {}, "the same, by shuffles"),
    ("x-four", Mechanism.GLOBAL, blocks_of(256, 4), {}, "four times four elements per thread"),
    ("x-stream", Mechanism.GLOBAL, blocks_of(256), {}, "global; loads past L1, streaming stores"),
    ("x-five-blocks", Mechanism.GLOBAL, blocks_of(256), LIMITED, "global; five blocks per SM at a time"),
    ("x-bulk", Mechanism.ASYNC, blocks_of(256, 4), TILE, "a bulk copy per block, and 16 elements per thread"),
)

PATTERN = Pattern(
    summary="A 5-point moving average of an array of `per_thread` consecutive elements per thread.",
    source=SOURCE,
    notes=(
        "`moving-average` with several elements per thread, in the blocked arrangement of CUB: thread `i` has the "
        "elements from `i * per_thread` on, which it loads and stores 16 bytes at a time. It needs two more on either "
        f"side, however many it has. {NOTES} The option `missing` is the number of threads without elements: the array "
        "is `missing * per_thread` elements shorter than those of all threads together."
    ),
    dtypes=("f32", "f64"),
    options={"per_thread": ("4", "8"), "missing": ("0", "5")},
    launch_bounds=True,
    one_pass=True,
    representative={"launch": "65536x256"},
    also_called=ALSO_CALLED,
    buffers=(Input("x", elements=count), Output("y", elements=count)),
    scalars=(Scalar("count", count),),
    bytes_moved=lambda at: 2 * count(at) * at.dtype.size,
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="the first two and last two elements of each thread in shared memory; one `__syncthreads()`",
            shared=elements_per_thread(HALO),
        ),
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            summary="two elements on either side from global memory; these overlapping loads hit the cache",
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "two shuffles from either neighbor; the outer lanes of the warp load two elements from global memory"
            ),
        ),
        *(
            Variant(
                name=name, mechanism=mechanism, summary=summary, source="x.cu", needs="sm_90", dtypes=("f32",), dims=dims,
                only={"per_thread": ("4",)}, **more,
            )
            for name, mechanism, dims, more, summary in X
        ),
    ),
)


def reference(x: NDArray[np.floating], **_: str) -> NDArray[np.floating]:
    """Return the mean of the five elements around each one."""
    return means(x)
