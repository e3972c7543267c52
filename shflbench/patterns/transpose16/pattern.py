"""A warp transposes matrices of 8x8 elements of 16 bits."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

MATRICES = 4
SIDE = 8
WORD = 4  # bytes per lane and matrix


def elements(at: Setting) -> int:
    """Return the elements of all matrices."""
    return at.threads * MATRICES * WORD // at.dtype.size


def words(at: Setting) -> int:
    """Return the shared memory of a block, which holds all matrices."""
    return at.block * MATRICES * WORD


PATTERN = Pattern(
    summary="Each warp transposes four matrices of 8x8 elements of 16 bits, which are fragments of `mma.sync`.",
    source="Dao-AILab/flash-attention, issue 1041; PTX ISA, movmatrix, ldmatrix and stmatrix",
    dtypes=("i16",),
    representative={"launch": "2*sms x 1024"},
    also_called=("movmatrix", "ldmatrix.trans", "fragment transpose"),
    buffers=(Input("values", elements=elements), Output("result", elements=elements)),
    unroll=4,
    notes=(
        "Lane 4·row + k has elements 2·k and 2·k + 1 of that row in one register. After a transposition, each "
        "iteration multiplies the registers by an odd number and adds 1."
    ),
    variants=(
        Variant(
            name="ldmatrix",
            mechanism=Mechanism.MATRIX,
            baseline=True,
            summary="stores to shared memory, then `ldmatrix.x4.trans`; two `__syncwarp()`",
            shared=words,
            per_iteration={"STS": MATRICES, "LDSM": 1},
        ),
        Variant(
            name="stmatrix",
            mechanism=Mechanism.MATRIX,
            summary="`stmatrix.x4.trans`, then loads from shared memory; two `__syncwarp()`",
            shared=words,
            needs="sm_90",
            per_iteration={"STSM": 1, "LDS": MATRICES},
        ),
        Variant(
            name="movmatrix",
            mechanism=Mechanism.MATRIX,
            summary="one `movmatrix` per matrix",
            per_iteration={"MOVM": MATRICES},
        ),
        Variant(
            name="shfl-prmt",
            mechanism=Mechanism.SHFL,
            summary="two shuffles and a byte permutation per matrix",
            per_iteration={"SHFL": 2 * MATRICES},
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(values: NDArray[np.int16], iterations: int) -> NDArray[np.int16]:
    """Transpose each matrix, then take each word times FACTOR plus 1, `iterations` times; shape [elements]."""
    x = values.copy()
    for _ in range(iterations):
        transposed = np.ascontiguousarray(x.reshape(-1, SIDE, SIDE).swapaxes(1, 2))
        x = (transposed.reshape(-1).view(np.uint32) * FACTOR + np.uint32(1)).view(np.int16)
    return x
