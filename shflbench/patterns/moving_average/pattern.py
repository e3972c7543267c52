"""Each element becomes the mean of the five around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

HALO = 4  # elements that a block needs from its neighbors


def count(at: Setting) -> int:
    """Return the length of the array, which need not fill the last block."""
    return at.threads - at.whole("missing")


PATTERN = Pattern(
    summary="Each element becomes the mean of the five around it.",
    source="Acceleware, Kepler's Shuffle Instruction",
    notes=(
        "The first two and the last two results are zero. `missing` is the number of threads without an element. The "
        "article's third table prints 515, 516, ... for input[i + 2] of the threads from 512 on, where 514, 515, ... "
        "is correct, and has `input1` for what its code names `input0`. The five weights are equal: all variants add "
        "in the same order and multiply by 0.2, and give the same bits."
    ),
    dtypes=("f32", "f64"),
    options={"missing": ("0", "5")},
    one_pass=True,
    buffers=(Input("x", elements=count), Output("y", elements=count)),
    scalars=(Scalar("count", count),),
    bytes_moved=lambda at: 2 * count(at) * at.dtype.size,
    claims={
        "A08": "a warp gets its 36 inputs by 32 + 4 loads, four shuffles, and two more for the outer lanes",
        "A09": "for this filter shuffles bring minimal to no benefit over shared memory",
        "A10": "shared memory makes up for its cost, because a block shares its halo",
        "A11": "the shuffle version is harder to read and to maintain",
    },
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="the block's values in shared memory, with two more on each side",
            shared=lambda at: (at.block + HALO) * at.dtype.size,
        ),
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            summary="five loads per thread, from the cache",
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="the warp's values in registers, four shuffles, and two more for the outer lanes",
        ),
    ),
)


def reference(x: NDArray[np.floating], **_: str) -> NDArray[np.floating]:
    """Add five neighbors from left to right in the type's own arithmetic, and multiply by 0.2."""
    total = x[:-4]
    for offset in range(1, 5):
        total = total + x[offset : len(x) - 4 + offset]
    y = np.zeros_like(x)
    y[2:-2] = total * x.dtype.type(0.2)
    return y
