"""All lanes get the sum of their warp's values."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Variant, elements_per_thread

STEPS = 5  # exchanges of a butterfly over 32 lanes

PATTERN = Pattern(
    summary="All lanes get the sum of the warp's values.",
    source="GTC 2013, Shuffle: Tips and Tricks, reduce",
    buffers=(Input("values"), Output("result")),
    unroll=4,
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="butterfly through shared memory, two block barriers an exchange",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS, "BAR": 2 * STEPS},
        ),
        Variant(
            name="smem-double",
            mechanism=Mechanism.SMEM,
            summary="butterfly through shared memory, two buffers, one block barrier an exchange",
            shared=elements_per_thread(2),
            per_iteration={"STS": STEPS, "LDS": STEPS, "BAR": STEPS},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="butterfly through shared memory, two warp barriers an exchange",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="butterfly through volatile shared memory, no barrier: trusts in lock step",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="butterfly of xor shuffles",
            per_iteration={"SHFL": PerWord(STEPS)},
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="one warp-reduce instruction",
            dtypes=("i32",),
            needs="sm_80",
            per_iteration={"REDUX": 1},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="cub::WarpReduce, its sum passed on from lane 0 by a shuffle",
            source="cub.cu",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="cooperative_groups::reduce",
            source="cg.cu",
        ),
    ),
)

LARGEST_INPUT = 24


def inputs(rng: np.random.Generator, dtype: Dtype, warps: int) -> NDArray[np.generic]:
    """Draw small integers, all different within a warp, with another sum in each; shape [warps, 32]."""
    pool = np.arange(-LARGEST_INPUT, LARGEST_INPUT)
    return rng.permuted(np.tile(pool, (warps, 1)), axis=1)[:, :WARP].astype(dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    """Repeat `x/2 + c[lane] + sum/64` in double precision, or `x + sum` in wrapping integers; shape [warps, 32]."""
    if np.issubdtype(values.dtype, np.integer):
        whole = values.view(f"u{values.dtype.itemsize}").copy()
        for _ in range(iterations):
            whole += whole.sum(axis=1, keepdims=True, dtype=whole.dtype)
        return whole.view(values.dtype)
    x = values.astype(np.float64)
    term = (2 * np.arange(WARP) - (WARP - 1)) / WARP
    for _ in range(iterations):
        x = x / 2 + term + x.sum(axis=1, keepdims=True) / 64
    return x.astype(values.dtype)


def tolerance(dtype: Dtype, iterations: int) -> float:
    """Return the largest honest error of one element; 0 where the arithmetic is exact.

    A trip adds one binary digit below the point (six at first); sums stay below 2^10. So the sums of
    f32 (24 digits) are exact for 8 trips, those of f64 (53 digits) for 37. Beyond, a trip's rounding
    errors move a lane by at most 32·eps: two additions of values below 32, and the five of a sum below
    2^10 divided by 64. A trip in which one lane lost one input moves every lane by 1/2048.
    """
    if dtype.numpy.startswith("int"):
        return 0.0
    exact_trips, eps = {"f32": (8, 2.0**-23), "f64": (37, 2.0**-52)}[dtype.name]
    return 0.0 if iterations <= exact_trips else 32 * eps * iterations
