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
    summary="Each element becomes its right neighbor minus itself, along an array.",
    source="NTNU, Shuffle Shenanigans, bandwidth saving",
    notes=(
        "Each warp processes `strip` times 32 elements; `missing` is the number of elements by which the array is "
        "shorter. The last element has no neighbor: its result is zero. The slide leaves out the bounds check, and its "
        "kernel reads up to 32 elements beyond the end of the array; here nothing is read there. The slide uses "
        "__activemask() as the mask; here all lanes take part in every shuffle, and the mask is full."
    ),
    options={"strip": ("8", "32"), "missing": ("0", "5")},
    one_pass=True,
    buffers=(Input("x", elements=count), Output("result", elements=count)),
    scalars=(Scalar("count", count),),
    bytes_moved=lambda at: 2 * count(at) * at.dtype.size,
    claims={"N16": "carrying the next 32 elements in a register and shuffling halves the bandwidth"},
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
            summary="one load per element, 32 elements and the next 32 in shared memory, two warp barriers",
            shared=elements_per_thread(2),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one load per element, 32 elements and the next 32 in registers, one shuffle per 32-bit word",
        ),
    ),
)


def reference(x: NDArray[np.generic], **_: str) -> NDArray[np.generic]:
    """Subtract from each element's right neighbor; integers wrap around."""
    result = np.zeros_like(x)
    np.subtract(x[1:], x[:-1], out=result[:-1])
    return result
