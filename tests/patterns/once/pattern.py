"""Rotations in one pass over memory."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

PATTERN = Pattern(
    summary="Each lane takes the value of its right neighbor in the warp, once.",
    source="planted for the tests",
    one_pass=True,
    buffers=(Input("values"), Output("result")),
    bytes_moved=lambda at: 2 * at.threads * at.dtype.size,
    variants=(
        Variant(name="global", mechanism=Mechanism.GLOBAL, baseline=True, summary="by loading the neighbor's value"),
        Variant(name="shfl", mechanism=Mechanism.SHFL, summary="by a shuffle"),
    ),
)


def reference(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Rotate each warp's values (shape [warps, 32]) left by one."""
    return values[:, (np.arange(WARP) + 1) % WARP]
