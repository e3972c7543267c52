"""Every lane processes every value of its warp."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Setting, Variant, elements_per_thread

PATTERN = Pattern(
    summary="Each lane sums the distances between its own value and all 32 values of its warp.",
    source="NTNU, Shuffle Shenanigans, broadcast and bandwidth saving",
    representative={"launch": "2*sms x 1024"},
    buffers=(Input("values"), Output("result")),
    dtypes=("f32", "f64", "i32"),  # i64: three times the arithmetic of i32 would hide what the exchange costs
    launch_bounds=True,
    unroll=1,  # an iteration consists of 32 exchanges
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="shared memory; one load per value; `__syncthreads()` after the store and after the loads",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": WARP, "BAR": 2},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="shared memory; one load per value; `__syncwarp()` after the store and after the loads",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": WARP},
        ),
        Variant(
            name="smem-wide",
            mechanism=Mechanism.SMEM,
            summary="as `smem-syncwarp`, but with 16-byte loads",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": PerWord(WARP // 4)},
        ),
        Variant(
            name="smem-wide-sums",
            mechanism=Mechanism.SMEM,
            summary="as `smem-wide`, but with four sums per lane, so that additions wait less; two `__syncwarp()`",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": PerWord(WARP // 4)},
        ),
        Variant(
            name="smem-wide-double",
            mechanism=Mechanism.SMEM,
            summary="as `smem-wide`, but double-buffered, with two sums per lane; one `__syncwarp()`",
            shared=elements_per_thread(2),
            per_iteration={"STS": 1, "LDS": PerWord(WARP // 4)},
        ),
        Variant(
            name="smem-rows-shfl",
            mechanism=Mechanism.HYBRID,
            summary=(
                "each lane sums for four lanes, over the eight values of its own group of lanes, which take fewer "
                "loads from shared memory; three shuffles return the sums; two `__syncwarp()`"
            ),
            shared=elements_per_thread(1),
            per_iteration=lambda dtype, _: {"STS": 1, "LDS": 3 + 2 * dtype.words, "SHFL": 3 * dtype.words},
        ),
        Variant(
            name="smem-two-rows-shfl",
            mechanism=Mechanism.HYBRID,
            summary=(
                "each lane sums for two lanes, over the 16 values of its own half of the warp; one shuffle returns the "
                "sum for the other lane; two `__syncwarp()`"
            ),
            shared=elements_per_thread(1),
            per_iteration=lambda dtype, _: {"STS": 1, "LDS": 1 + 4 * dtype.words, "SHFL": dtype.words},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary=(
                "`volatile` shared memory without barriers; one load per value; relies on lockstep execution of the "
                "warp"
            ),
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": WARP},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one `__shfl_sync` per value; one `SHFL` instruction per 32-bit word",
            per_iteration={"SHFL": PerWord(WARP)},
        ),
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            summary=(
                "global memory, cached in L1; one load per value; `__syncwarp()` after the store and after the loads"
            ),
            per_iteration={"STG": 1, "LDG": WARP},
        ),
    ),
    notes=(
        "The published loop does not use the values that it broadcasts. Here, each lane sums distances (`|a - b|` for "
        "floating-point types, `(a - b) * (a - b)` for integers), which takes two instructions per value, and computes "
        "its next value from the sum. The compiler merges plain loads of adjacent values from shared memory into "
        "16-byte loads, which results in the machine code of `smem-wide`. The other shared-memory variants prevent "
        "this by loading through a `volatile` pointer."
    ),
)

LARGEST_INPUT = 24


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw small integers, all different within a warp; shape [warps, 32]."""
    pool = np.arange(-LARGEST_INPUT, LARGEST_INPUT)
    return rng.permuted(np.tile(pool, (at.warps, 1)), axis=1)[:, :WARP].astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    """Repeat `x/2 + c[lane] + Σ|x - v|/128` in double precision, or `x + Σ(x - v)²` in wrapping integers."""
    if np.issubdtype(values.dtype, np.integer):
        whole = values.view(f"u{values.dtype.itemsize}")
        for _ in range(iterations):
            apart = whole[:, :, None] - whole[:, None, :]
            whole = whole + (apart * apart).sum(axis=2, dtype=whole.dtype)
        return whole.view(values.dtype)
    x = values.astype(np.float64)
    term = (2 * np.arange(WARP) - (WARP - 1)) / WARP
    for _ in range(iterations):
        x = x / 2 + term + np.abs(x[:, :, None] - x[:, None, :]).sum(axis=2) / 128
    return x.astype(values.dtype)


def tolerance(at: Setting, iterations: int) -> float:
    """Return the largest rounding error of one element; 0 where the arithmetic is exact.

    The warp's range is 48 at first, and after each iteration at most 3/4 of the range before, plus 2; so sums stay
    below 2^11, and below 2^10 from the third iteration on. An iteration adds seven binary digits below the point: f32
    (24 digits) is exact for 2 iterations, f64 (53) for 7. After those, the rounding errors of an iteration (32
    subtractions below 2^5, 32 additions in any order below 2^10, all divided by 128; three below 2^5) change a lane by
    less than 256·eps, and later iterations do not increase an error. A lane that misses one value is wrong by up to
    1/4.
    """
    exact_iterations, eps = {"f32": (2, 2.0**-23), "f64": (7, 2.0**-52)}.get(at.dtype.name, (iterations, 0.0))
    return 0.0 if iterations <= exact_iterations else 256 * eps * iterations
