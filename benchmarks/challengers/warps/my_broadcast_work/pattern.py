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
    dtypes=("f32", "i32"),  # i64: three times the arithmetic of i32 would hide what the exchange costs
    launch_bounds=True,
    unroll=1,  # an iteration consists of 32 exchanges
    variants=(
        Variant(name="smem-wide", mechanism=Mechanism.SMEM, summary="published", per_iteration={"STS": 1, "LDS": 8}, baseline=True, shared=elements_per_thread(2)),
        Variant(name="smem-wide-sums", mechanism=Mechanism.SMEM, summary="published", per_iteration={"STS": 1, "LDS": 8}, shared=elements_per_thread(2)),
        Variant(name="smem-rows-shfl", mechanism=Mechanism.HYBRID, summary="published", per_iteration={"STS": 1, "LDS": 5, "SHFL": 3}, shared=elements_per_thread(2)),
        Variant(name="x-two-rows-xor", mechanism=Mechanism.HYBRID, summary="as x-two-rows2, one XOR changes the buffer", per_iteration={"STS": 1, "LDS": 5, "SHFL": 1}, shared=elements_per_thread(2)),
        Variant(name="x-four-rows-xor", mechanism=Mechanism.HYBRID, summary="as x-four-rows-double, one XOR changes the buffer", per_iteration={"STS": 1, "LDS": 5, "SHFL": 3}, shared=elements_per_thread(2)),
        Variant(name="x-wide-xor", mechanism=Mechanism.SMEM, summary="as smem-wide-sums, two buffers, one barrier", per_iteration={"STS": 1, "LDS": 8}, shared=elements_per_thread(2)),
        Variant(name="x-two-rows-one4", mechanism=Mechanism.HYBRID, summary="as x-two-rows-one with four sums", per_iteration={"STS": 1, "LDS": 5, "SHFL": 1}, shared=elements_per_thread(2)),
        Variant(name="x-four-rows-one", mechanism=Mechanism.HYBRID, summary="as x-four-rows-double with one buffer", per_iteration={"STS": 1, "LDS": 5, "SHFL": 3}, shared=elements_per_thread(2)),
        Variant(name="x-two-rows2", mechanism=Mechanism.HYBRID, summary="two rows of 16 columns, the other lane's first, two sums each; two buffers", per_iteration={"STS": 1, "LDS": 5, "SHFL": 1}, shared=elements_per_thread(2)),
        Variant(name="x-two-rows4", mechanism=Mechanism.HYBRID, summary="the same with four sums each", per_iteration={"STS": 1, "LDS": 5, "SHFL": 1}, shared=elements_per_thread(2)),
        Variant(name="x-two-rows-one", mechanism=Mechanism.HYBRID, summary="as x-two-rows2 with one buffer", per_iteration={"STS": 1, "LDS": 5, "SHFL": 1}, shared=elements_per_thread(2)),
        Variant(name="x-four-rows-double", mechanism=Mechanism.HYBRID, summary="four rows of 8 columns, the others' first; two buffers", per_iteration={"STS": 1, "LDS": 5, "SHFL": 3}, shared=elements_per_thread(2)),
        Variant(name="x-wide-double2", mechanism=Mechanism.SMEM, summary="as smem-wide-sums with two sums and two buffers", per_iteration={"STS": 1, "LDS": 8}, shared=elements_per_thread(2)),
        Variant(name="x-wide-double3", mechanism=Mechanism.SMEM, summary="as smem-wide-sums with three sums and two buffers", per_iteration={"STS": 1, "LDS": 8}, shared=elements_per_thread(2)),
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
