"""Each row of a matrix is normalized: RMSNorm and LayerNorm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant
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
    row_count,
    row_variants,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

EPSILON = np.float32(1e-5)  # as in normalize.cuh, and the default of PyTorch's LayerNorm


def _bytes(at: Setting) -> int:
    """Return the bytes of the elements read and written, and of one weight, and for LayerNorm one bias, per column."""
    parameters = 2 if at.options["norm"] == "layer" else 1
    return at.dtype.size * (2 * elements(at) + parameters * length(at))


ONLY = {"length": ("64",), "load": ("vector",), "norm": ("rms",)}


def blocks_of(threads, lanes):
    """Blocks of so many threads, of which `lanes` share a row."""
    return lambda at: ((-(-row_count(at) * lanes // threads), 1, 1), (threads, 1, 1))


X = (
    ("x-one", Mechanism.SHFL, blocks_of(256, 16), {}, "16 bytes per thread, 16 lanes per row, four shuffles"),
    ("x-one128", Mechanism.SHFL, blocks_of(128, 16), {}, "the same, blocks of 128"),
    ("x-one512", Mechanism.SHFL, blocks_of(512, 16), {}, "the same, blocks of 512"),
    ("x-one-smem", Mechanism.SMEM, blocks_of(256, 16), {"shared": lambda at: 1024}, "x-one; one store and four wide loads"),
    ("x-one-smem8", Mechanism.HYBRID, blocks_of(512, 16), {"shared": lambda at: 2048}, "x-one512; store, two wide loads, shuffle"),
    ("x-octet2", Mechanism.SHFL, blocks_of(256, 8), {}, "32 bytes per thread, 8 lanes per row, three shuffles"),
    ("x-halving2", Mechanism.SHFL, blocks_of(256, 8), {}, "two rows of 16 lanes, halving: four shuffles and two"),
)

PATTERN = Pattern(
    summary="Each row is scaled by its root mean square (RMSNorm), or to mean 0 and variance 1 (LayerNorm).",
    source="our own, after kernels of machine-learning frameworks",
    notes=(
        f"{NOTES} LayerNorm reduces twice, first for the mean and then for the variance around it. Root and quotient "
        "are correctly rounded, once per row; other kernels use `rsqrt.approx`. Sums are exact by choice of the rows, "
        "so that the results agree bit for bit. `halving-warp` gives each lane the same rows as `shfl-warp`."
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
    scalars=(Scalar("rows", row_count),),
    bytes_moved=_bytes,
    variants=(
        *(
            replace(variant, arguments=("x", "weight", "bias", "y"))
            for variant in row_variants("sums")
            if variant.name in {"smem", "shfl-warp", "smem-warp"}
        ),
        Variant(
            name="halving-warp",
            arguments=("x", "weight", "bias", "y"),
            mechanism=Mechanism.SHFL,
            summary=(
                "as `shfl-warp`, for short rows; in each step a lane passes on half of its sums, so that it computes "
                "one factor and not one per row; weights are loaded before the shuffles"
            ),
            only={"length": ("64", "128", "256")},
        ),
        *(
            Variant(
                name=name, mechanism=mechanism, summary=summary, source="x.cu", needs="sm_90", dtypes=("f32",), only=ONLY,
                arguments=("x", "weight", "y", "rows"), dims=dims, **more,
            )
            for name, mechanism, dims, more, summary in X
        ),
        *(
            Variant(
                name=name, mechanism=Mechanism.SHFL, summary=summary, dtypes=("f32",), only=ONLY,
                kernel="my_row_norm_halving_warp<{T}>", arguments=("x", "weight", "bias", "y"), shared=shared,
            )
            for name, shared, summary in (
                ("x-halving-4", lambda at: 52 * 1024 * at.block // 256, "halving-warp, 1024 threads per SM at a time"),
                ("x-halving-3", lambda at: 72 * 1024 * at.block // 256, "halving-warp, 768 threads per SM at a time"),
            )
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
