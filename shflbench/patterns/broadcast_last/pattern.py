"""All lanes get the value of the last lane whose predicate is true."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

STEPS = 5  # exchanges of a butterfly over 32 lanes
LANE_BYTES = 4  # of a lane number in shared memory


def slots(at: Setting) -> int:
    """Return the shared memory for a value and a lane number per thread, in bytes per block."""
    return at.block * (at.dtype.size + LANE_BYTES)


PATTERN = Pattern(
    summary=(
        "All lanes get the value of the last lane whose predicate is true; without such a lane, each lane keeps its "
        "own value."
    ),
    source="GTC 2013, Shuffle: Tips and Tricks, broadcast, more complex example",
    representative={"launch": "26x1024"},
    buffers=(Input("values"), Output("result")),
    launch_bounds=True,
    unroll=4,
    notes=(
        "The predicate tests four bits of the value of a lane. Each iteration computes `x + 2 * received` on the bit "
        "patterns, interpreted as unsigned integers, so that the predicates change from iteration to iteration. In "
        "about one of eight iterations, the predicate is true in no lane of a warp. The published code then skips the "
        "shuffle; here, each lane reads its own value instead, so that no variant needs a branch. The slides define "
        "the function `__bfind` with two parameters, but call it with one."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary=(
                "shared memory; a butterfly max-reduction finds the last lane, then all lanes load its value; "
                "`__syncthreads()` only where required"
            ),
            shared=slots,
            per_iteration={"STS": STEPS + 1, "LDS": STEPS + 1, "BAR": 2 * STEPS},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary=(
                "shared memory; a butterfly max-reduction finds the last lane, then all lanes load its value; "
                "`__syncwarp()` only where required"
            ),
            shared=slots,
            per_iteration={"STS": STEPS + 1, "LDS": STEPS + 1},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="as `smem`, but `volatile` and without barriers; relies on lockstep execution of the warp",
            shared=slots,
            per_iteration={"STS": STEPS + 1, "LDS": STEPS + 1},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "a butterfly max-reduction with `__shfl_xor_sync` finds the last lane; `__shfl_sync` broadcasts its "
                "value"
            ),
            per_iteration=lambda dtype, _: {"SHFL": STEPS + dtype.words},
        ),
        Variant(
            name="ballot",
            mechanism=Mechanism.COLLECTIVE,
            summary=(
                "`__ballot_sync` and the PTX instruction `bfind` find the last lane, as on the slides; `__shfl_sync` "
                "broadcasts its value"
            ),
            per_iteration=lambda dtype, _: {"VOTE": 1, "SHFL": dtype.words},
        ),
        Variant(
            name="ballot-float",
            mechanism=Mechanism.COLLECTIVE,
            summary="the same, but the exponent of the mask as a float is the last lane: I2FP in place of FLO",
            per_iteration=lambda dtype, _: {"VOTE": 1, "SHFL": dtype.words},
        ),
        Variant(
            name="ballot-own",
            mechanism=Mechanism.COLLECTIVE,
            summary=(
                "as `ballot-float`, but a multiply-add sets the exponent of an empty mask to the lane's own number, in "
                "place of a selection"
            ),
            per_iteration=lambda dtype, _: {"VOTE": 1, "SHFL": dtype.words},
        ),
        Variant(
            name="ballot-clamp",
            mechanism=Mechanism.COLLECTIVE,
            summary=(
                "as `ballot`, but with the smaller of the mask and 31 as the clamp of the PTX instruction `shfl.sync`, "
                "which then returns the lane's own value for an empty mask, in place of a selection"
            ),
            per_iteration=lambda dtype, _: {"VOTE": 1, "SHFL": dtype.words},
        ),
        Variant(
            name="ballot-clamp-float",
            mechanism=Mechanism.COLLECTIVE,
            summary="as `ballot-clamp`, but the exponent of the mask as a float is the last lane, as in `ballot-float`",
            per_iteration=lambda dtype, _: {"VOTE": 1, "SHFL": dtype.words},
        ),
        Variant(
            name="ballot-smem",
            mechanism=Mechanism.HYBRID,
            summary="`__ballot_sync` tells each lane whether it is the last, which then stores; all lanes load",
            shared=lambda at: 2 * at.block // WARP * at.dtype.size,
            opcodes=("VOTE", "STS", "LDS"),
            per_iteration={"VOTE": 1, "STS": 1, "LDS": 1},
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="`__reduce_max_sync` finds the last lane; `__shfl_sync` broadcasts its value",
            needs="sm_80",
            source="redux.cu",
            per_iteration=lambda dtype, _: {"REDUX": 1, "SHFL": dtype.words},
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="`ballot()` and `shfl()` of a cooperative groups tile",
            source="cg.cu",
        ),
    ),
)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    """Add the received value twice, as wrapping integers; shape [warps, 32]."""
    bits = values.view(f"u{values.dtype.itemsize}").copy()
    for _ in range(iterations):
        holds = (bits >> 19) % 16 == 5  # noqa: PLR2004  (as in last.cuh)
        last = WARP - 1 - np.argmax(holds[:, ::-1], axis=1, keepdims=True)
        received = np.where(holds.any(axis=1, keepdims=True), np.take_along_axis(bits, last, axis=1), bits)
        bits += received << 1
    return bits.view(values.dtype)
