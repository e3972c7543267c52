"""All lanes of a group get the sum of the group's values."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant, elements_per_thread

HALF = 2  # bytes of a 16-bit number
DTYPES = ("f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "i32", "i64", "f32x2", "f32x4")
WORDS = ("f16x2", "bf16x2", "f32", "i32")  # of 32 bits: a load of 16 bytes has the values of four lanes
NOT_PAIRS = tuple(name for name in DTYPES if name not in {"f16x2", "bf16x2"})  # CUDA has no volatile ones
WIDTHS = ("32", "16", "8", "4", "2")
WARP_ONLY, PARTS_ONLY = {"width": WIDTHS[:1]}, {"width": WIDTHS[1:]}


def exchanges(options: Mapping[str, str]) -> int:
    """Return how many exchanges a butterfly over one group takes: 5 over 32 lanes."""
    return int(options["width"]).bit_length() - 1


def through_shared_memory(barriers: int) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int] | None]:
    """Return the counts per iteration if each exchange is a store, a load and `barriers` block barriers."""

    def counts(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int] | None:
        if (dtype.name, options["width"]) == ("f32x4", "8"):
            return None  # for sm_75, NVRTC 13 splits one of the twelve 128-bit loads of a pass
        steps = exchanges(options)
        return {"STS": steps, "LDS": steps, "BAR": barriers * steps}

    return counts


PATTERN = Pattern(
    summary="All lanes get the sum of the values of their warp, or of their group of `width` lanes.",
    source="GTC 2013, Shuffle: Tips and Tricks, reduce",
    dtypes=("f32", "i32"),
    options={"width": ("32", "8")},
    representative={"launch": "26x1024"},
    also_called=("sum", "warp sum", "warp reduce", "all-reduce", "butterfly"),
    buffers=(Input("values"), Output("result")),
    launch_bounds=True,
    unroll=4,
    notes=(
        "The function `warpReductionSum` on the NTNU slides starts with `sum = __shfl_xor_sync(..., threadValue, 16)` "
        "without `threadValue +`: lanes 0 to 15 get the sum of lanes 16 to 31, and vice versa. It also passes "
        "`__activemask()` as the mask, which contains only the lanes that happen to be active. Both errors are "
        "corrected here. According to the GTC 2013 slides, lane 0 holds the sum; after a butterfly, all lanes hold it. "
        "CUB returns the sum in the first lane of a group only; a shuffle broadcasts it. From sm_80 on, CUB and "
        "cooperative groups compute integer sums with `REDUX` instructions. For groups smaller than a warp, both "
        "libraries use a separate mask for each group, which is not known at compile time; their loops therefore "
        "contain `MATCH`, `VOTE` and `REDUX` instructions that handle these masks, and in their machine code for sm_75 "
        "no loop can be identified. The butterflies need no such masks: all lanes participate, and xor distances less "
        "than `width` stay within a group. In `redux-mask`, the lanes of a warp have different masks: the compiler "
        "branches to code in which the groups execute `REDUX` one after another (`WARPSYNC.COLLECTIVE`). "
        "`redux-padded` executes as many, of the whole warp, without a branch. Values of 16 bits are small "
        "integers, which each iteration takes modulo 8, because their sums must be exact in any order."
    ),
    variants=(
        Variant(name="smem-wide-double", mechanism=Mechanism.SMEM, summary="published", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4 + 0}, shared=elements_per_thread(2), baseline=True),
        Variant(name="smem8-shfl-double", mechanism=Mechanism.HYBRID, summary="published", per_iteration={"STS": 1, "LDS": 2, "SHFL": 3}, shared=elements_per_thread(2), only={"width": ("32",)}),
        Variant(name="shfl", mechanism=Mechanism.SHFL, summary="published", per_iteration=lambda _, o: {"SHFL": exchanges(o)}),
        Variant(name="redux", mechanism=Mechanism.COLLECTIVE, summary="published", per_iteration={"REDUX": 1}, dtypes=("i32",), only={"width": ("32",)}),
        Variant(name="x-wide-pinned", mechanism=Mechanism.SMEM, summary="as smem-wide-double, loads in a fixed order", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4 + 0}, shared=elements_per_thread(2)),
        Variant(name="x-wide-tail2", mechanism=Mechanism.SMEM, summary="as smem-wide-double, the last four values in two loads", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4 + 1}, shared=elements_per_thread(2)),
        Variant(name="x-wide-fused", mechanism=Mechanism.SMEM, summary="FLAGGED: as smem-wide-double, the last addition is part of the multiply-add of the recurrence", per_iteration={"STS": 1, "LDS": 2}, shared=elements_per_thread(2), dtypes=("f32",), only={"width": ("8",)}),
        Variant(name="x-wide-plain", mechanism=Mechanism.SMEM, summary="as smem-wide-double, both buffers of a warp side by side", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4}, shared=elements_per_thread(2)),
        Variant(name="x-wide-tail3", mechanism=Mechanism.SMEM, summary="the last four values in three loads", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4 + 2}, shared=elements_per_thread(2)),
        Variant(name="x-wide-tail4", mechanism=Mechanism.SMEM, summary="the last four values in four loads", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4 + 3}, shared=elements_per_thread(2)),
        Variant(name="x-wide-known", mechanism=Mechanism.SMEM, summary="as x-wide-tail2, both buffers of a warp side by side", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4 + 1}, shared=elements_per_thread(2)),
        Variant(name="x-wide-known3", mechanism=Mechanism.SMEM, summary="as x-wide-tail3, both buffers of a warp side by side", per_iteration=lambda _, o: {"STS": 1, "LDS": int(o["width"]) // 4 + 2}, shared=elements_per_thread(2)),
        Variant(name="x-smem8-known", mechanism=Mechanism.HYBRID, summary="as smem8-shfl-double, both buffers of a warp side by side, sums in the order of the shuffles", per_iteration={"STS": 1, "LDS": 2, "SHFL": 3}, shared=elements_per_thread(2), only={"width": ("32",)}),
        Variant(name="x-smem8-tail2", mechanism=Mechanism.HYBRID, summary="the same, the second chunk in two loads", per_iteration={"STS": 1, "LDS": 3, "SHFL": 3}, shared=elements_per_thread(2), only={"width": ("32",)}),
        Variant(name="x-smem4-shfl7", mechanism=Mechanism.HYBRID, summary="groups of four by one load, seven independent shuffles", per_iteration={"STS": 1, "LDS": 1, "SHFL": 7}, shared=elements_per_thread(2), only={"width": ("32",)}),
        Variant(name="x-smem16-tail2", mechanism=Mechanism.HYBRID, summary="halves by loads, the last four values in two, one shuffle", per_iteration={"STS": 1, "LDS": 5, "SHFL": 1}, shared=elements_per_thread(2), only={"width": ("32",)}),
        Variant(name="x-pair-loads", mechanism=Mechanism.HYBRID, summary="the neighbor by a shuffle, the other six values by two loads", per_iteration={"STS": 1, "LDS": 2, "SHFL": 1}, shared=elements_per_thread(2), only={"width": ("8",)}),
        Variant(name="x-dmma-shfl", mechanism=Mechanism.MATRIX, summary="groups of four by a product of f64 with ones, two shuffles", per_iteration={"SHFL": 2, "DMMA": 1}, dtypes=("f32",), only={"width": ("32",)}),
        Variant(name="x-dmma-rows", mechanism=Mechanism.MATRIX, summary="groups of four by a product of f64 with ones, shuffles", per_iteration=lambda _, o: {"SHFL": exchanges(o) - 2, "DMMA": 1}, dtypes=("f32",)),
        Variant(name="x-shfl-dmma-turns", mechanism=Mechanism.MATRIX, summary="in each iteration, shuffles in three warps of four, products of f64 in the other one", per_iteration=None, dtypes=("f32",), opcodes=("SHFL.BFLY", "DMMA")),
        Variant(name="x-redux-shfl-turns", mechanism=Mechanism.COLLECTIVE, summary="in each iteration, REDUX in three warps of four, shuffles in the other one", per_iteration=None, opcodes=("REDUX", "SHFL.BFLY"), dtypes=("i32",), only={"width": ("32",)}),
        Variant(name="x-redux-smem-turns", mechanism=Mechanism.HYBRID, summary="in each iteration, REDUX in three warps of four, smem8-shfl in the other one", per_iteration=None, opcodes=("REDUX", "STS", "LDS", "SHFL.BFLY"), dtypes=("i32",), shared=elements_per_thread(1), only={"width": ("32",)}),
        Variant(name="x-redux-unsigned", mechanism=Mechanism.COLLECTIVE, summary="REDUX of unsigned numbers", per_iteration={"REDUX": 1}, dtypes=("i32",), only={"width": ("32",)}),
        Variant(name="x-redux-halves", mechanism=Mechanism.COLLECTIVE, summary="two REDUX of 16 bits each", per_iteration={"REDUX": 2}, dtypes=("i32",), only={"width": ("32",)}),
        Variant(name="x-shfl-redux", mechanism=Mechanism.COLLECTIVE, summary="one shuffle, then REDUX of one half", per_iteration={"REDUX": 1, "SHFL": 1}, dtypes=("i32",), only={"width": ("32",)}),
    ),
)

LARGEST_INPUT = 24


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw small whole numbers; those of 32 and 64 bits are distinct within a warp; shape [warps, 32, components]."""
    if at.dtype.size // at.dtype.components == HALF:
        return rng.integers(-3, 5, size=(at.warps, WARP, at.dtype.components)).astype(at.dtype.numpy)
    pool = np.arange(-LARGEST_INPUT, LARGEST_INPUT)
    drawn = rng.permuted(np.tile(pool, (at.warps, at.dtype.components, 1)), axis=2)[..., :WARP]
    return drawn.swapaxes(1, 2).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int, width: str) -> NDArray[np.generic]:
    """Repeat the recurrence of recurrence.cuh: exact for 16 bits, wrapping for integers, else in double precision.

    Shape [warps, 32], or [warps, 32, components] for a vector type.
    """
    lanes = int(width)
    groups = values.reshape(-1, lanes, *values.shape[2:])
    if np.issubdtype(values.dtype, np.integer):
        return _wrapping(groups, iterations).reshape(values.shape)
    x = groups.astype(np.float64)
    column = np.arange(lanes).reshape(-1, *[1] * (groups.ndim - 2))
    for _ in range(iterations):
        total = x.sum(axis=1, keepdims=True)
        if values.dtype.itemsize == HALF:
            x = x + total + (column == 0)
            x -= 8 * np.rint(x / 8)
        else:
            x = x / 2 + (2 * column - (lanes - 1)) / lanes + total / (2 * lanes)
    return x.astype(values.dtype).reshape(values.shape)


def _wrapping(groups: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    whole = groups.view(f"u{groups.dtype.itemsize}").copy()
    for _ in range(iterations):
        whole += whole.sum(axis=1, keepdims=True, dtype=whole.dtype)
    return whole.view(groups.dtype)


def tolerance(at: Setting, iterations: int) -> float:
    """Return the largest rounding error of one element; 0 where the arithmetic is exact.

    In the sum of a warp, an iteration adds one binary digit below the point (six at first); sums stay below 2^10. So
    the sums of f32 (24 digits) are exact for 8 iterations, those of f64 (53 digits) for 37. After those, the rounding
    errors of an iteration change a lane by at most 32·eps. Values are below 10.5: their two additions err by 4·eps
    each, and a sum of 32, divided by 64, by 12·eps at most if it grows by four values at a time; a tree errs by less.
    With 16 lanes, values are below 18.5: 8·eps each, and 16·eps. An iteration in which one lane missed one input
    changes every lane by 1/2048. Smaller groups have smaller sums and fewer digits.
    """
    if at.dtype.size // at.dtype.components == HALF or not at.dtype.floating:
        return 0.0
    exact_iterations, eps = {"float32": (8, 2.0**-23), "float64": (37, 2.0**-52)}[at.dtype.numpy]
    return 0.0 if iterations <= exact_iterations else 32 * eps * iterations
