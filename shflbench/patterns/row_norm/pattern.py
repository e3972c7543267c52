"""Each row of a matrix is normalized: RMSNorm and LayerNorm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant
from shflbench.patterns.rows import (
    BLOCKS,
    DTYPES,
    NOTES,
    OPTIONS,
    distinct_rows,
    elements,
    length,
    repeat_rows,
    repeated,
    row_variants,
    rows_at_once,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.model import Dims

SHORT = {"length": ("64", "128", "256")}
EPSILON = np.float32(1e-5)  # as in normalize.cuh, and the default of PyTorch's LayerNorm


def _bytes(at: Setting) -> int:
    """Return the bytes of the elements read and written, and of one weight, and for LayerNorm one bias, per column."""
    parameters = 2 if at.options["norm"] == "layer" else 1
    return at.dtype.size * (2 * elements(at) + parameters * length(at))


def row_per_lane(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of blocks in which a lane has one row: as many blocks more as it has rows in `shfl-warp`."""
    return (at.grid * rows_at_once(at), 1, 1), (at.block, 1, 1)


PATTERN = Pattern(
    summary="Each row is scaled by its root mean square (RMSNorm), or to mean 0 and variance 1 (LayerNorm).",
    source="our own, after kernels of machine-learning frameworks",
    notes=(
        f"{NOTES} LayerNorm reduces twice, first for the mean and then for the variance around it. Root and quotient "
        "are correctly rounded, once per row; other kernels use `rsqrt.approx`. Sums are exact by choice of the rows, "
        "so that the results agree bit for bit. `halving-warp` gives each lane the same rows as `shfl-warp`, and "
        "`shfl-one-row` one of them: the column `shape` has its number of blocks."
    ),
    dtypes=DTYPES,
    options={**OPTIONS, "norm": ("rms", "layer")},
    one_pass=True,
    static_block=True,
    blocks=BLOCKS,
    representative={"launch": "16384x256"},
    also_called=("rmsnorm", "layernorm", "layer norm", "normalization"),
    buffers=(
        Input("x", elements=elements),
        Input("weight", elements=length),
        Input("bias", elements=length),
        Output("y", elements=elements),
    ),
    bytes_moved=_bytes,
    variants=(
        *row_variants("sums"),
        Variant(
            name="shfl-one-row",
            mechanism=Mechanism.SHFL,
            summary=(
                "as `shfl-warp`, for short rows; each lane has one row, not up to four, in up to four times as many "
                "blocks; weights are loaded before the shuffles"
            ),
            dims=row_per_lane,
            only=SHORT,
        ),
        Variant(
            name="halving-warp",
            mechanism=Mechanism.SHFL,
            summary=(
                "as `shfl-warp`, for short rows; in each step a lane passes on half of its sums, so that it computes "
                "one factor and not one per row; weights are loaded before the shuffles"
            ),
            only=SHORT,
        ),
    ),
)

# Distances from the mean of rows whose elements matter equally: whole numbers of one octave, so that their mantissas
# differ. The mean of their squares is 903.5, so that the sum over 16,384 elements is less than 2^24: exact in f32.
DISTANCES = np.arange(20, 40)
FARTHEST_MEAN = 3
LARGE = 200  # the distance of two elements in the other rows; those of the other elements are 1


def inputs(
    rng: np.random.Generator, at: Setting
) -> tuple[NDArray[np.generic], NDArray[np.generic], NDArray[np.generic]]:
    """Draw rows of whole numbers, whose mean is a whole number, and weights and biases of few bits.

    Sums, means and variances are exact in any order. In even rows all elements matter equally; in odd rows one element
    far above the mean and one far below make up most of the sum of squares, at places that differ from row to row.
    """
    count, columns = distinct_rows(at), length(at)
    half = columns // 2
    equal = np.resize(DISTANCES, half)
    uneven = np.ones(half, int)
    uneven[0] = LARGE
    distances = np.where(np.arange(count)[:, None] % 2, uneven, equal).astype(np.int16)
    rows = rng.permuted(np.concatenate([distances, -distances], axis=1), axis=1)
    rows += rng.integers(-FARTHEST_MEAN, FARTHEST_MEAN + 1, (count, 1), np.int16)
    weight = rng.integers(64, 128, columns) / 64
    bias = rng.integers(-64, 65, columns) / 16
    kind = at.dtype.numpy
    return repeat_rows(rows.astype(kind), at), weight.astype(kind), bias.astype(kind)


def reference(
    x: NDArray[np.generic],
    weight: NDArray[np.generic],
    bias: NDArray[np.generic],
    norm: str,
    at: Setting,
    **_: str,
) -> NDArray[np.generic]:
    """Return each operation's correctly rounded result in f32, rounded to the element type at the end."""

    def normalized(rows: NDArray[np.generic]) -> NDArray[np.generic]:
        wide = rows.astype(np.float32)
        if norm == "layer":
            wide -= wide.mean(axis=1, keepdims=True, dtype=np.float64).astype(np.float32)
        columns = np.float32(wide.shape[1])
        squares = np.square(wide).sum(axis=1, keepdims=True, dtype=np.float64).astype(np.float32)
        wide *= np.sqrt(columns / (squares + columns * EPSILON))
        result = wide.astype(np.float64) * weight.astype(np.float64)  # exact: 24 and at most 8 bits
        if norm == "layer":
            result += bias.astype(np.float64)  # exact, too, so that it is rounded once, as by a fused multiply-add
        return result.astype(np.float32).astype(rows.dtype)

    return repeated(x, at, normalized)
