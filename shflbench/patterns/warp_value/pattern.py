"""All lanes of a warp need one value per iteration: each lane calculates it, or the lanes share it."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

Integers = NDArray[np.integer]

SHIFT, FACTOR = 15, 0x2C1B3C6D  # of a step, as in kernels.cu

PATTERN = Pattern(
    summary="All lanes of a warp need one value per iteration: each lane calculates it, or the lanes share it.",
    source="llama.cpp, ggml/src/ggml-cuda/ssm-scan.cu: `dt_soft_plus`, `dA` and `x_dt`, equal in all lanes of a warp",
    dtypes=("i32",),
    representative={"launch": "2*sms x 1024"},
    buffers=(
        Input("values"),
        Input("numbers", elements=lambda at: at.warps, dtype="i32"),
        Output("result"),
    ),
    options={"work": ("8", "1", "32")},
    notes=(
        "The value of an iteration takes `work` steps of three instructions, each of which depends on the one before. "
        "The source calculates logarithms and exponentials of `f32` numbers, which take as many instructions as eight "
        "to sixteen steps. In `shfl` and `smem`, lane 0 calculates the value, while the other lanes wait. In "
        "`shfl-ahead` and `smem-ahead`, each lane calculates the value of one of the next 32 iterations, which is "
        "possible if values do not depend on previous results."
    ),
    launch_bounds=True,
    variants=(
        Variant(
            name="recompute",
            mechanism=Mechanism.REGISTER,
            baseline=True,
            summary="each lane calculates the value",
            per_iteration={},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="lane 0 calculates the value; `__shfl_sync` broadcasts it",
            per_iteration={"SHFL": 1},
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            summary="lane 0 calculates the value; two slots in shared memory and one `__syncwarp()` broadcast it",
            shared=lambda at: at.block // WARP * 2 * at.dtype.size,
            per_iteration={"STS": 1, "LDS": 1},
        ),
        Variant(
            name="shfl-ahead",
            mechanism=Mechanism.SHFL,
            summary="each lane calculates the value of one of 32 iterations; `__shfl_sync` broadcasts them",
            per_iteration={"SHFL": 1},
        ),
        Variant(
            name="smem-ahead",
            mechanism=Mechanism.SMEM,
            summary="the same, with the 32 values in shared memory and two `__syncwarp()` per 32 iterations",
            shared=lambda at: at.block * at.dtype.size,
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> tuple[Integers, Integers]:
    """Draw a value per thread (shape [warps, 32]) and a number per warp."""
    drawn = rng.integers(-(2**31), 2**31, (at.warps, WARP + 1), np.int32)
    return drawn[:, 1:], drawn[:, 0]


def reference(values: Integers, numbers: Integers, iterations: int, work: str) -> Integers:
    """Repeat x = 5 x + value of the warp and the iteration, modulo 2^32; shape [warps, 32]."""
    x = values.view(np.uint32).reshape(-1, WARP).copy()
    of_warp = numbers.view(np.uint32).reshape(-1, 1)
    for iteration in range(iterations):
        value = of_warp + np.uint32(iteration)
        for _ in range(int(work)):
            value = (value ^ value >> np.uint32(SHIFT)) * np.uint32(FACTOR)
        x = np.uint32(5) * x + value
    return x.view(np.int32).reshape(values.shape)
