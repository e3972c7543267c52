"""All lanes get the sum, the minimum, the maximum or a bitwise combination of their warp's integers."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant, elements_per_thread

STEPS = 5  # exchanges of a butterfly over 32 lanes

PATTERN = Pattern(
    summary=(
        "All lanes get the result of a reduction over the integers of their warp: sum, minimum, maximum, or bitwise "
        "and, or, xor."
    ),
    source="NTNU, Shuffle Shenanigans, warp reductions",
    representative={"launch": "2*sms x 1024"},
    buffers=(Input("values"), Output("result")),
    dtypes=("i32",),
    options={"op": ("add", "min", "max", "and", "or", "xor")},
    launch_bounds=True,
    unroll=4,
    notes=(
        "The butterfly on the slides starts with `sum = shfl(v, 16)` without `v +`: each half of the warp gets the sum "
        "of the other half. This error is corrected here. Applied repeatedly to its own result, each of these "
        "reductions soon yields a constant; each iteration therefore computes the next value of a lane as "
        "`result + 0x9e3779b1 * x` in "
        "wrapping 32-bit arithmetic, where `x` is the current value of the lane. With `op=and` and `op=or`, each lane "
        "contributes a word in which one bit is cleared or set; the value of the lane selects the bit."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="butterfly through shared memory; two `__syncthreads()` per step",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS, "BAR": 2 * STEPS},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="butterfly through shared memory; two `__syncwarp()` per step",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary=(
                "butterfly through `volatile` shared memory without barriers; relies on lockstep execution of the warp"
            ),
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="butterfly with `__shfl_xor_sync`",
            per_iteration={"SHFL": STEPS},
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="`__reduce_add_sync`, `__reduce_min_sync` etc., as selected by `op`",
            needs="sm_80",
            source="redux.cu",
            per_iteration={"REDUX": 1},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpReduce`; a shuffle broadcasts the result from lane 0",
            source="cub.cu",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="`cooperative_groups::reduce`",
            source="cg.cu",
        ),
    ),
)

OPERATIONS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(values: NDArray[np.int32], iterations: int, op: str) -> NDArray[np.int32]:
    """Repeat `result + FACTOR·x` in wrapping integers; shape [warps, 32]."""
    x = values
    for _ in range(iterations):
        result: NDArray[np.int32] = OPERATIONS[op].reduce(contribution(x, op), axis=1, keepdims=True, dtype=np.int32)
        x = (result.view(np.uint32) + x.view(np.uint32) * FACTOR).view(np.int32)
    return x


def contribution(x: NDArray[np.int32], op: str) -> NDArray[np.int32]:
    """Return what each lane contributes: for `and` and `or` one bit, cleared or set, that its value chooses."""
    bit: NDArray[np.int32] = (np.uint32(1) << (x.view(np.uint32) >> np.uint32(27))).view(np.int32)
    return {"and": ~bit, "or": bit}.get(op, x)
