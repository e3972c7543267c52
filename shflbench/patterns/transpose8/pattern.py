"""A warp transposes matrices of 16x16 elements of 8 bits."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

MATRICES = 2
SIDE = 16
WORDS = 2 * MATRICES  # per lane
WORD = 4  # bytes


def elements(at: Setting) -> int:
    """Return the elements of all matrices."""
    return at.threads * WORDS * WORD


def words(at: Setting) -> int:
    """Return the shared memory of a block, which holds all matrices."""
    return at.block * WORDS * WORD


PATTERN = Pattern(
    summary="Each warp transposes two matrices of 16x16 elements of 8 bits, which lie in registers.",
    source="Dao-AILab/flash-attention, issue 1041; PTX ISA, movmatrix, ldmatrix and stmatrix",
    dtypes=("i8",),
    representative={"launch": "2*sms x 1024"},
    also_called=("fp8 transpose", "byte transpose", "8-bit fragment transpose"),
    buffers=(Input("values", elements=elements), Output("result", elements=elements)),
    unroll=4,
    notes=(
        "Lane 4·row + k has elements 4·k to 4·k + 3 of rows 2·row and 2·row + 1, in one register each: what fragments "
        "of `mma.sync` with 8-bit elements have, with the rows in another order. `ldmatrix`, `stmatrix` and "
        "`movmatrix` move 16 bits, so that a byte permutation per register pairs the elements of two rows before. "
        "`shfl-prmt` needs one shuffle per register, and a byte permutation before and after it. After a "
        "transposition, each iteration multiplies the registers by an odd number and adds 1."
    ),
    variants=(
        Variant(
            name="ldmatrix",
            mechanism=Mechanism.MATRIX,
            baseline=True,
            summary="pairs rows, stores to shared memory, then `ldmatrix.x4.trans`; two `__syncwarp()`",
            shared=words,
            per_iteration={"PRMT": WORDS, "STS": WORDS, "LDSM": 1},
        ),
        Variant(
            name="stmatrix",
            mechanism=Mechanism.MATRIX,
            summary="pairs rows, `stmatrix.x4.trans`, then loads from shared memory; two `__syncwarp()`",
            shared=words,
            needs="sm_90",
            per_iteration={"PRMT": WORDS, "STSM": 1, "LDS": WORDS},
        ),
        Variant(
            name="movmatrix",
            mechanism=Mechanism.MATRIX,
            summary="pairs rows, then one `movmatrix` per register",
            per_iteration={"PRMT": WORDS, "MOVM": WORDS},
        ),
        Variant(
            name="shfl-prmt",
            mechanism=Mechanism.SHFL,
            summary="one shuffle per register, between two byte permutations",
            per_iteration={"PRMT": 2 * WORDS, "SHFL": WORDS},
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(values: NDArray[np.int8], iterations: int) -> NDArray[np.int8]:
    """Transpose each matrix, then take each word times FACTOR plus 1, `iterations` times; shape [elements]."""
    x = values.copy()
    for _ in range(iterations):
        by_register = x.reshape(-1, 2, SIDE // 2, SIDE)  # matrix, row modulo 2, row divided by 2, column
        matrices = by_register.swapaxes(1, 2).reshape(-1, SIDE, SIDE).swapaxes(1, 2)
        transposed = np.ascontiguousarray(matrices.reshape(-1, SIDE // 2, 2, SIDE).swapaxes(1, 2))
        x = (transposed.reshape(-1).view(np.uint32) * FACTOR + np.uint32(1)).view(np.int8)
    return x
