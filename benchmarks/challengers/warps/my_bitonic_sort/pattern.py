"""Each warp sorts 32 keys, with or without a value for each key."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
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
    dtypes=("f32", "i32"),
    options={"payload": ("none",)},
    launch_bounds=True,
    unroll=2,
    notes=(
        "With `payload=value`, each key has a value that moves with it; with `payload=none`, the kernel copies the "
        "values unchanged. Before each sort, every lane scrambles its key; otherwise, the input of every sort after "
        "the first would already be sorted. Scrambling also makes the 32 keys of a warp distinct. The published "
        "compare-exchange function (`return x < y == dir ? y : x`) loses values unless the keys are distinct: of two "
        "equal keys, both lanes would keep the same value. `smem-rank` does not need distinct keys: of equal keys, "
        "that of the lower lane comes first. It sorts floating-point keys as integers of the same order."
    ),
    variants=(
        Variant(name="smem-rank", mechanism=Mechanism.SMEM, summary="published", per_iteration={"STS": 2, "LDS": 9}, shared=lambda at: at.block * 8, baseline=True),
        Variant(name="shfl-min-max", mechanism=Mechanism.SHFL, summary="published", per_iteration={"SHFL": 15}),
        Variant(name="shfl-min", mechanism=Mechanism.SHFL, summary="published", per_iteration={"SHFL": 15}, dtypes=("f32",)),
        Variant(name="shfl-complement", mechanism=Mechanism.SHFL, summary="published", per_iteration={"SHFL": 15}, dtypes=("i32",)),
        Variant(name="x-complement-some", mechanism=Mechanism.SHFL, summary="as shfl-complement, every third step by minimum and maximum", per_iteration={"SHFL": 15}, dtypes=("i32",)),
        Variant(name="x-complement-half", mechanism=Mechanism.SHFL, summary="as shfl-complement, every second step by minimum and maximum", per_iteration={"SHFL": 15}, dtypes=("i32",)),
        Variant(name="x-min-fused", mechanism=Mechanism.SHFL, summary="as shfl-min, complement and minimum in one VIADDMNMX", per_iteration={"SHFL": 15}, dtypes=("i32",)),
        Variant(name="x-min-fused-products", mechanism=Mechanism.SHFL, summary="the same, own key complemented by IMAD", per_iteration={"SHFL": 15}, dtypes=("i32",)),
        Variant(name="x-min-fused-mixed", mechanism=Mechanism.SHFL, summary="the same, own key complemented by IMAD and LOP3 in turn", per_iteration={"SHFL": 15}, dtypes=("i32",)),
        Variant(name="x-min-fused-cut2", mechanism=Mechanism.SHFL, summary="x-min-fused, but minimum and maximum at distance 1", per_iteration={"SHFL": 15}, dtypes=("i32",)),
        Variant(name="x-min-cut2", mechanism=Mechanism.SHFL, summary="as shfl-min, but minimum and maximum at distance 1", per_iteration={"SHFL": 15}, dtypes=("f32",)),
        Variant(name="x-min-cut4", mechanism=Mechanism.SHFL, summary="as shfl-min, but minimum and maximum at distances 1 and 2", per_iteration={"SHFL": 15}, dtypes=("f32",)),
        Variant(name="x-rank-fadd", mechanism=Mechanism.SMEM, summary="as smem-rank, counts by FADD, keys stored as they are", per_iteration={"STS": 2, "LDS": 9}, shared=lambda at: at.block * 8),
        Variant(name="x-rank-imad", mechanism=Mechanism.SMEM, summary="as smem-rank, counts by IMAD, keys stored as they are", per_iteration={"STS": 2, "LDS": 9}, shared=lambda at: at.block * 8),
        Variant(name="x-rank-raw", mechanism=Mechanism.SMEM, summary="as smem-rank, keys stored as they are", per_iteration={"STS": 2, "LDS": 9}, shared=lambda at: at.block * 8),
        Variant(name="x-rank-fset", mechanism=Mechanism.SMEM, dtypes=("f32",), summary="floats as they are in two copies, comparisons give 1.0, no predicates", per_iteration={"STS": 3, "LDS": 9}, shared=lambda at: at.block * 12),
        Variant(name="x-rank-window", mechanism=Mechanism.SMEM, summary="two copies of the keys, the second one less by 1, side by side: no limits per load", per_iteration=lambda d, o: {"STS": 3, "LDS": 9, **({} if d.floating else {"VOTE": 1})}, shared=lambda at: at.block * 12),
        Variant(name="x-rank-window-fadd", mechanism=Mechanism.SMEM, summary="the same, counts by FADD", per_iteration=lambda d, o: {"STS": 3, "LDS": 9, **({} if d.floating else {"VOTE": 1})}, shared=lambda at: at.block * 12),
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
