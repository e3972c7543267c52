"""Each element becomes its right neighbor minus itself; each warp processes a strip of the array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant, elements_per_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray


def count(at: Setting) -> int:
    """Return the length of the array, which need not fill the last strip."""
    return at.threads * at.whole("strip") - at.whole("missing")


PATTERN = Pattern(
    summary="Each result is the next element of an array minus the element itself.",
    source="NTNU, Shuffle Shenanigans, bandwidth saving",
    notes=(
        "Each warp processes `32 * strip` consecutive elements. The option `missing` is the number of elements by "
        "which the array is shorter than the ranges of all warps together. The last element has no right neighbor; its "
        "result is zero. The published kernel has no bounds check and reads up to 32 elements beyond the end of the "
        "array; the kernels here check bounds. The published kernel passes `__activemask()` as the mask; here, all "
        "lanes participate in every shuffle, with a full mask."
    ),
    options={"strip": ("8", "32"), "missing": ("0", "5")},
    launch_bounds=True,
    one_pass=True,
    representative={"launch": "8192x256"},
    buffers=(Input("x", elements=count), Output("result", elements=count)),
    scalars=(Scalar("count", count),),
    bytes_moved=lambda at: 2 * count(at) * at.dtype.size,
    variants=(
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="two loads per element",
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            summary=(
                "one load per element; the current and the next 32 elements in shared memory; two `__syncwarp()` per "
                "32 elements"
            ),
            shared=elements_per_thread(2),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "one load per element; the current and the next 32 elements in registers; one `SHFL` instruction per "
                "32-bit word"
            ),
        ),
    ),
)


def reference(x: NDArray[np.generic], **_: str) -> NDArray[np.generic]:
    """Subtract from each element's right neighbor; integers wrap around."""
    result = np.zeros_like(x)
    np.subtract(x[1:], x[:-1], out=result[:-1])
    return result
