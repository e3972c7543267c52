"""All lanes get the sum, the minimum, the maximum or a bitwise combination of their warp's integers."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant, elements_per_thread

STEPS = 5  # exchanges of a butterfly over 32 lanes

PATTERN = Pattern(
    summary="All lanes get the result of an operation over the integers of their warp.",
    source="NTNU, Shuffle Shenanigans, warp reductions",
    buffers=(Input("values"), Output("result")),
    dtypes=("i32",),
    options={"op": ("add", "min", "max", "and", "or", "xor")},
    unroll=4,
    claims={
        "N14": "an xor butterfly of five steps sums the warp",
        "N20": "since sm_80 one instruction reduces the integers of a warp",
    },
    notes=(
        "The butterfly on the slides starts with `sum = shfl(v, 16)` and leaves out `v +`: each half of the warp gets "
        "the sum of the other half. Repeated on its own result, each of these operations soon gives a constant; here "
        "the next iteration takes a mixture of the result and the lane's own value."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="butterfly through shared memory, two block barriers per exchange",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS, "BAR": 2 * STEPS},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="butterfly through shared memory, two warp barriers per exchange",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="butterfly through volatile shared memory, no barrier: relies on lockstep execution",
            shared=elements_per_thread(1),
            per_iteration={"STS": STEPS, "LDS": STEPS},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="butterfly of xor shuffles",
            per_iteration={"SHFL": STEPS},
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="one warp-reduce instruction",
            needs="sm_80",
            source="redux.cu",
            # From sm_100 on, minimum and maximum are a different instruction, CREDUX.
            per_iteration=lambda _dtype, options: None if options["op"] in {"min", "max"} else {"REDUX": 1},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="cub::WarpReduce, its result broadcast from lane 0 by a shuffle",
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
