"""Each warp sorts 32 keys, with or without a value for each key."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.bitonic_sort.family import FAMILY
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

STEPS = 15  # exchanges of a bitonic network for 32 keys
WIDEST = 16  # bytes that a lane loads at once


def exchanges(options: Mapping[str, str]) -> int:
    """Return the exchanges of each lane per iteration: its key in each step, and its value if it has one."""
    return STEPS * (2 if options["payload"] == "value" else 1)


def through_memory(_dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the data-movement instructions per iteration of a network in shared memory."""
    return dict.fromkeys(("STS", "LDS"), exchanges(options))


def shared_bytes(at: Setting) -> int:
    """Return the bytes per block: a slot for each key, and one for each value if there are values."""
    return at.block * at.dtype.size * exchanges(at.options) // STEPS


def with_values(options: Mapping[str, str]) -> int:
    """Return 1 if each key has a value, else 0."""
    return int(options["payload"] == "value")


def rank_counts(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the counts of a sort by ranks: all keys in 16-byte loads, then a key, and its value, at its place."""
    moved = 1 + with_values(options)
    return {"STS": 1 + moved, "LDS": WARP * dtype.size // WIDEST + moved}


def rank_bytes(at: Setting) -> int:
    """Return the bytes per block: slots for the keys, for the sorted keys, and for their values if there are values."""
    return at.block * at.dtype.size * (2 + with_values(at.options))


PATTERN = Pattern(
    summary="Each warp sorts 32 keys, one per lane, in ascending order.",
    source="GTC 2013, Shuffle: Tips and Tricks, bitonic sort",
    representative={"dtype": "i32", "launch": "26x1024"},
    also_called=("sort", "warp sort"),
    buffers=(Input("keys"), Input("values"), Output("sorted_keys"), Output("sorted_values")),
    options={"payload": ("none", "value")},
    launch_bounds=True,
    unroll=2,
    family=FAMILY,
    notes=(
        "With `payload=value`, each key has a value that moves with it; with `payload=none`, the kernel copies the "
        "values unchanged. Before each sort, every lane scrambles its key; otherwise, the input of every sort after "
        "the first would already be sorted. Scrambling also makes the 32 keys of a warp distinct. The published "
        "compare-exchange function (`return x < y == dir ? y : x`) loses values unless the keys are distinct: of two "
        "equal keys, both lanes would keep the same value. `smem-rank` and `smem-rank-window` do not need distinct "
        "keys: of equal keys, that of the lower lane comes first. They sort floating-point keys as integers of the "
        "same order."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="bitonic network in shared memory; two `__syncthreads()` per compare-exchange step",
            shared=shared_bytes,
            per_iteration=lambda dtype, options: {**through_memory(dtype, options), "BAR": 2 * STEPS},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="bitonic network in shared memory; two `__syncwarp()` per compare-exchange step",
            shared=shared_bytes,
            per_iteration=through_memory,
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary=(
                "bitonic network in `volatile` shared memory without barriers; relies on lockstep execution of the warp"
            ),
            shared=shared_bytes,
            per_iteration=through_memory,
        ),
        Variant(
            name="smem-rank",
            mechanism=Mechanism.SMEM,
            summary=(
                "each lane counts the keys before its own, by 16-byte loads of all 32 keys, and stores its key at that "
                "place; two `__syncwarp()`"
            ),
            shared=rank_bytes,
            per_iteration=rank_counts,
        ),
        Variant(
            name="smem-rank-window",
            mechanism=Mechanism.SMEM,
            summary=(
                "as `smem-rank`, but with two copies of the keys, the second one less by 1, of which each lane loads "
                "32 adjacent numbers; two `__syncwarp()`"
            ),
            dtypes=("f32",),
            shared=lambda at: rank_bytes(at) + at.block * at.dtype.size,
            per_iteration=lambda dtype, options: rank_counts(dtype, options) | {"STS": 3 + with_values(options)},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="bitonic network with `__shfl_xor_sync`",
            per_iteration=lambda dtype, options: {"SHFL": exchanges(options) * dtype.words},
        ),
        Variant(
            name="shfl-min",
            mechanism=Mechanism.SHFL,
            summary=(
                "as `shfl`, but keys of lanes that keep the larger of two keys are negated or complemented: each step "
                "is a minimum"
            ),
            dtypes=("f32", "i32"),
            only={"payload": ("none",)},
            per_iteration=lambda dtype, options: {"SHFL": exchanges(options) * dtype.words},
        ),
        Variant(
            name="shfl-min-max",
            mechanism=Mechanism.SHFL,
            summary=(
                "as `shfl`, but keys of descending runs are negated or complemented, so that each step is a minimum in "
                "the lower lanes and a maximum in the upper ones"
            ),
            dtypes=("f32", "i32"),
            only={"payload": ("none",)},
            per_iteration=lambda dtype, options: {"SHFL": exchanges(options) * dtype.words},
        ),
        Variant(
            name="shfl-complement",
            mechanism=Mechanism.SHFL,
            summary=(
                "as `shfl`, but keys of descending runs are complemented, so that five predicates serve all steps; "
                "products with 1 move keys"
            ),
            dtypes=("i32",),
            only={"payload": ("none",)},
            per_iteration=lambda dtype, options: {"SHFL": exchanges(options) * dtype.words},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpMergeSort`",
            source="cub.cu",
        ),
    ),
)

FACTOR = 0x9E3779B97F4A7C15  # odd: 2^64 divided by the golden ratio

# The bits of a key that change, and those that are fixed, which keep a float between 1 and 2.
FLOATS = {"float32": (2**23 - 1, 0x3F800000), "float64": (2**52 - 1, 0x3FF0000000000000)}


def reference(
    keys: NDArray[np.generic], values: NDArray[np.generic], iterations: int, payload: str
) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    """Scramble and sort each warp's keys `iterations` times; shape [warps, 32]."""
    for _ in range(iterations):
        keys = scramble(keys)
        order = np.argsort(keys, axis=1)
        keys = np.take_along_axis(keys, order, axis=1)
        if payload == "value":
            values = np.take_along_axis(values, order, axis=1)
    return keys, values


def scramble(keys: NDArray[np.generic]) -> NDArray[np.generic]:
    """Multiply a key's bits by an odd number and replace the lowest five by the lane's number."""
    unsigned = np.dtype(f"u{keys.dtype.itemsize}").type
    mask = 2 ** (8 * keys.dtype.itemsize) - 1
    changing, fixed = FLOATS.get(keys.dtype.name, (mask, 0))
    bits = keys.view(unsigned) * unsigned(FACTOR & mask) & unsigned(changing & ~(WARP - 1))
    other: NDArray[np.generic] = (bits | unsigned(fixed) | np.arange(WARP, dtype=unsigned)).view(keys.dtype)
    return other
