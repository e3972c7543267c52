"""Transpose a matrix in tiles, one per block."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant


def _elements(at: Setting) -> int:
    return at.grid * at.block


PATTERN = Pattern(
    summary="Each block transposes a tile of 16x16 elements.",
    source="tests",
    dtypes=("f32", "i32"),
    buffers=(Input("matrix", elements=_elements), Output("result", elements=_elements)),
    one_pass=True,
    dimensions=2,
    blocks=((16, 16),),
    bytes_moved=lambda at: 2 * at.threads * at.dtype.size,
    variants=(
        Variant(name="global", mechanism=Mechanism.GLOBAL, baseline=True, summary="no shared memory"),
        Variant(name="smem", mechanism=Mechanism.SMEM, summary="a padded tile in shared memory"),
    ),
)


def reference(matrix: NDArray[np.generic], at: Setting) -> NDArray[np.generic]:
    """Transpose the matrix, whose rows are as long as the grid is wide."""
    rows, columns = at.grid_dims[1] * at.block_dims[1], at.grid_dims[0] * at.block_dims[0]
    return np.ascontiguousarray(matrix.reshape(rows, columns).T).reshape(-1)
