"""All lanes get the sum of the values up to their own, or of the lower lanes only."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Setting, Variant, elements_per_thread

STEPS = 5  # exchanges of a scan over 32 lanes


def exchanges(dtype: Dtype, options: Mapping[str, str]) -> int:
    """Return the exchanges per iteration: an exclusive scan of floats moves its sums up by one lane at the end."""
    return STEPS + (dtype.floating and options["kind"] == "exclusive")


PATTERN = Pattern(
    summary="Each lane gets the prefix sum of its warp's values, including or excluding its own value.",
    source="GTC 2013, Shuffle: Tips and Tricks, scan",
    representative={"launch": "26x1024"},
    also_called=("prefix sum", "warp scan", "cumsum", "cumulative sum"),
    buffers=(Input("values"), Output("result")),
    dtypes=("f32", "i32"),
    options={"kind": ("inclusive",)},
    launch_bounds=True,
    unroll=4,
    notes=(
        "The shuffles on the slides have neither `.sync` nor a mask; no GPU since Volta supports this form. For "
        "integers, the exclusive sum is the inclusive sum minus the value of the lane. For floating-point types, this "
        "subtraction would round; their exclusive sum takes a sixth exchange, which shifts the inclusive sums by one "
        "lane. CUB uses the same methods."
    ),
    variants=(
        Variant(name="smem8-shfl", mechanism=Mechanism.HYBRID, baseline=True, summary="published", shared=elements_per_thread(2),
            per_iteration={"STS": 1, "LDS": 2, "SHFL": 3}),
        Variant(name="smem-wide", mechanism=Mechanism.SMEM, summary="published", shared=elements_per_thread(4),
            per_iteration={"STS": 1, "LDS": 8}),
        Variant(name="shfl", mechanism=Mechanism.SHFL, summary="published", per_iteration={"SHFL": 5}),
        Variant(name="shfl-predicate", mechanism=Mechanism.SHFL, summary="published", per_iteration={"SHFL": 5}),
        Variant(name="x-redux-shfl", mechanism=Mechanism.COLLECTIVE, dtypes=("i32",), summary="four shuffles within halves, REDUX of the lower half beside them",
            per_iteration={"SHFL": 4, "REDUX": 1}, opcodes=("SHFL.UP", "REDUX")),
        Variant(name="x-redux-shfl-predicate", mechanism=Mechanism.COLLECTIVE, dtypes=("i32",), summary="the same with the predicates of the shuffles",
            per_iteration={"SHFL": 4, "REDUX": 1}, opcodes=("SHFL.UP", "REDUX")),
        Variant(name="x-redux-shfl-guarded", mechanism=Mechanism.COLLECTIVE, dtypes=("i32",), summary="as x-redux-shfl, additions guarded by predicates in PTX",
            per_iteration={"SHFL": 4, "REDUX": 1}, opcodes=("SHFL.UP", "REDUX")),
        Variant(name="x-redux-shfl-first", mechanism=Mechanism.COLLECTIVE, dtypes=("i32",), summary="the same, the sum of the lower half is added during the last shuffle",
            per_iteration={"SHFL": 4, "REDUX": 1}, opcodes=("SHFL.UP", "REDUX")),
        Variant(name="x-smem16-redux", mechanism=Mechanism.HYBRID, dtypes=("i32",), summary="halves by four 16-byte loads, REDUX of the lower half beside them", shared=elements_per_thread(4),
            per_iteration={"STS": 1, "LDS": 4, "REDUX": 1}),
        Variant(name="x-smem8-redux", mechanism=Mechanism.HYBRID, dtypes=("i32",), summary="groups of 8 by two 16-byte loads, three REDUX of the lower groups beside them", shared=elements_per_thread(4),
            per_iteration={"STS": 1, "LDS": 2, "REDUX": 3}),
        Variant(name="x-redux3-shfl", mechanism=Mechanism.COLLECTIVE, dtypes=("i32",), summary="groups of 8 by three shuffles, three REDUX",
            per_iteration={"SHFL": 3, "REDUX": 3}, opcodes=("SHFL.UP", "REDUX")),
        Variant(name="x-smem4-shfl-redux", mechanism=Mechanism.HYBRID, dtypes=("i32",), summary="groups of 4 by a load, of 16 by three shuffles, REDUX of the lower half", shared=elements_per_thread(2),
            per_iteration={"STS": 1, "LDS": 1, "SHFL": 3, "REDUX": 1}),
        Variant(name="x-smem8-halves", mechanism=Mechanism.HYBRID, summary="as smem8-shfl, second chunk in two 8-byte loads", shared=elements_per_thread(2),
            per_iteration={"STS": 1, "LDS": 3, "SHFL": 3}),
        Variant(name="x-smem4-shfl7", mechanism=Mechanism.HYBRID, summary="groups of 4 by one load, seven independent shuffles", shared=elements_per_thread(2),
            per_iteration={"STS": 1, "LDS": 1, "SHFL": 7}),
        Variant(name="x-smem8-fixed", mechanism=Mechanism.HYBRID, summary="as x-smem8-halves, loads in the same order for all lanes of a group", shared=elements_per_thread(2),
            per_iteration={"STS": 1, "LDS": 3, "SHFL": 3}),
        Variant(name="x-shfl-late", mechanism=Mechanism.SHFL, summary="shuffles over decreasing distances, a predicate for the last one only", per_iteration={"SHFL": 5}),
        Variant(name="x-shfl-guarded", mechanism=Mechanism.SHFL, summary="as shfl, additions guarded by predicates in PTX", per_iteration={"SHFL": 5}),
    ),
)

# Values stay below this power of two: the sum of 31 of them and five times one of them is exact in the type.
BITS = {"float32": 17, "float64": 46}


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers of all bits that the recurrence keeps, distinct within a warp; shape [warps, 32]."""
    bits = BITS.get(at.dtype.numpy, 8 * at.dtype.size - 1)
    share = 2**bits // WARP * 2  # each lane draws from another part of the range
    parts = rng.permuted(np.tile(np.arange(WARP) - WARP // 2, (at.warps, 1)), axis=1)
    numbers: NDArray[np.generic] = (parts * share + rng.integers(share, size=parts.shape)).astype(at.dtype.numpy)
    return numbers


def reference(values: NDArray[np.generic], iterations: int, kind: str) -> NDArray[np.generic]:
    """Repeat `scan ^ m·x` in wrapping integers, `scan + m·x` within ±2^BITS in floats; shape [warps, 32].

    m is 2 in an inclusive scan, 5 in an exclusive one.
    """
    whole = np.issubdtype(values.dtype, np.integer)
    x = values.view(f"u{values.dtype.itemsize}") if whole else values.astype(np.float64)
    factor = x.dtype.type(5 if kind == "exclusive" else 2)
    for _ in range(iterations):
        scan = np.cumsum(x, axis=1, dtype=x.dtype)
        if kind == "exclusive":
            scan -= x
        x = scan ^ factor * x if whole else wrap(scan + factor * x, 2.0 ** (BITS[values.dtype.name] + 1))
    return x.view(values.dtype) if whole else x.astype(values.dtype)


def wrap(numbers: NDArray[np.float64], modulus: float) -> NDArray[np.float64]:
    """Subtract from each number the nearest multiple of `modulus`, the even one for a tie."""
    return numbers - modulus * np.rint(numbers / modulus)
