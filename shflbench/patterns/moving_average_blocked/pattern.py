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
    ),
)


def reference(x: NDArray[np.floating], **_: str) -> NDArray[np.floating]:
    """Return the mean of the five elements around each one."""
    return means(x)
