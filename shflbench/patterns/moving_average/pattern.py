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
    ),
)


def reference(x: NDArray[np.floating], **_: str) -> NDArray[np.floating]:
    """Return the mean of the five elements around each one."""
    return means(x)
