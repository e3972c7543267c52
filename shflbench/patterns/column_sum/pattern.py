"""Each thread gets the sum of its column of a tile, which the threads of a block form."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

# Floating-point values lie between minus and plus half of this modulus: the sum of 65 of them is exact in the type.
MODULUS = {"float32": 2.0**14, "float64": 2.0**43}


def rows(constants: Mapping[str, str]) -> int:
    """Return the rows of the tile."""
    return int(constants["block"]) // int(constants["columns"])


def steps(count: int) -> int:
    """Return the steps of a tree over `count` values, a power of two."""
    return count.bit_length() - 1


def tree(_dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tree over all rows, with one block barrier per step."""
    count = steps(rows(constants))
    return {"STS": 1 + count, "LDS": count + 1, "BAR": 1 + count}


def shuffles(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tree down to 32 rows, a transposition, and butterflies over the lanes of a warp."""
    lanes = min(rows(constants), WARP)
    count = steps(rows(constants) // lanes)
    return {"STS": 2 + count, "LDS": 2 + count, "BAR": 2 + count, "SHFL": steps(lanes) * dtype.words}


def tile(at: Setting) -> int:
    """Return the shared memory of the tile and of the sums of its columns, in bytes."""
    return (at.block + at.whole("columns")) * at.dtype.size


def padded_tile(at: Setting) -> int:
    """Return the same for a tile with unused slots after each 32, as many as a warp has columns of the tile."""
    padding = WARP // min(at.block // at.whole("columns"), WARP)
    return tile(at) + at.block // WARP * padding * at.dtype.size


PATTERN = Pattern(
    summary="The threads of a block form a tile, and each gets the sum of its column.",
    source="the last step of LayerNorm's backward pass in PyTorch: pull requests 87445 and 146191",
    representative={"launch": "fill x 1024"},
    buffers=(Input("values"), Output("result")),
    options={"columns": ("32", "16")},
    launch_bounds=True,
    unroll=4,
    blocks=(256, 512, 1024),
    static_block=True,
    notes=(
        "Thread `t` of a block has the value in row `t / columns` and column `t % columns`. The gradients of the "
        "weights of LayerNorm are such sums: each thread adds up its part of a column in memory, and this is the last "
        "step. With 512 threads and 16 columns, and with 1,024 threads and 32 columns, the tile has 32 rows, so that "
        "a warp sums a column by five shuffles once the tile is transposed in shared memory. PyTorch stores the sums "
        "in global memory; here, they are stored in shared memory, and all threads read them, so that each iteration "
        "depends on the one before. Values are whole numbers, in floating-point types modulo 2^14 (`f32`) or 2^43 "
        "(`f64`), so that sums are exact in any order."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="a tree over the rows in shared memory; one `__syncthreads()` per step",
            shared=tile,
            per_iteration=tree,
        ),
        Variant(
            name="smem-serial",
            mechanism=Mechanism.SMEM,
            summary="one thread per column adds up all rows from shared memory",
            shared=tile,
            per_iteration=lambda _, constants: {"STS": 2, "LDS": rows(constants), "BAR": 2},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "the tile is transposed in padded shared memory; a warp sums 32 rows of a column, or shorter columns, "
                "with `__shfl_xor_sync`"
            ),
            shared=padded_tile,
            per_iteration=shuffles,
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers of all bits that the recurrence keeps; shape [warps, 32]."""
    half = int(MODULUS.get(at.dtype.numpy, 2.0 ** (8 * at.dtype.size)) // 2)
    return rng.integers(-half, half, (at.warps, WARP)).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int, columns: str, at: Setting) -> NDArray[np.generic]:
    """Add the sums of the columns to all values, wrapping in integers, modulo MODULUS in floats; shape [warps, 32]."""
    whole = np.issubdtype(values.dtype, np.integer)
    x = values.view(f"u{values.dtype.itemsize}") if whole else values.astype(np.float64)
    x = x.reshape(at.grid, -1, int(columns))
    for _ in range(iterations):
        x = x + x.sum(axis=1, keepdims=True, dtype=x.dtype)
        if not whole:
            x -= MODULUS[values.dtype.name] * np.rint(x / MODULUS[values.dtype.name])
    return (x.view(values.dtype) if whole else x.astype(values.dtype)).reshape(values.shape)
