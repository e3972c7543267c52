"""Multiply square matrices in tiles, one per block."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant


def _side(at: Setting) -> int:
    return at.grid_dims[0] * at.block_dims[0]


def _elements(at: Setting) -> int:
    return _side(at) ** 2


PATTERN = Pattern(
    summary="Each block computes a tile of 16x16 elements of a product of square matrices.",
    source="tests",
    dtypes=("i32",),
    buffers=(
        Input("left", elements=_elements),
        Input("right", elements=_elements),
        Output("product", elements=_elements),
    ),
    scalars=(Scalar("n", _side),),
    one_pass=True,
    dimensions=2,
    blocks=((16, 16),),
    representative={"launch": "4x4:16x16"},
    variants=(
        Variant(name="global", mechanism=Mechanism.GLOBAL, baseline=True, summary="no shared memory"),
        Variant(name="smem", mechanism=Mechanism.SMEM, summary="tiles of both matrices in shared memory"),
    ),
)


def reference(left: NDArray[np.int32], right: NDArray[np.int32], at: Setting) -> NDArray[np.int32]:
    """Multiply the matrices; sums wrap around."""
    n = _side(at)
    product = left.reshape(n, n).astype(np.int64) @ right.reshape(n, n).astype(np.int64)
    return product.astype(np.int32).reshape(-1)
