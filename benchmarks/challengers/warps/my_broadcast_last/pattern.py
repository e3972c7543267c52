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
    dtypes=("f32",),
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
        Variant(name="ballot", mechanism=Mechanism.COLLECTIVE, summary="published", per_iteration={"VOTE": 1, "SHFL": 1}, baseline=True),
        Variant(name="ballot-float", mechanism=Mechanism.COLLECTIVE, summary="published", per_iteration={"VOTE": 1, "SHFL": 1}),
        Variant(name="ballot-own", mechanism=Mechanism.COLLECTIVE, summary="published", per_iteration={"VOTE": 1, "SHFL": 1}),
        Variant(name="x-clamp", mechanism=Mechanism.COLLECTIVE, summary="as ballot; the clamp of the shuffle, from the mask, keeps the own value if no lane holds", per_iteration={"VOTE": 1, "SHFL": 1}),
        Variant(name="x-clamp-float", mechanism=Mechanism.COLLECTIVE, summary="as ballot-float with the clamp", per_iteration={"VOTE": 1, "SHFL": 1}),
        Variant(name="x-clamp-scaled", mechanism=Mechanism.COLLECTIVE, summary="as x-clamp-float, the float is doubled in place of an addition to the index", per_iteration={"VOTE": 1, "SHFL": 1}),
        Variant(name="x-clamp-clz", mechanism=Mechanism.COLLECTIVE, summary="as x-clamp with the count of leading zeros", per_iteration={"VOTE": 1, "SHFL": 1}),
        Variant(name="x-mix-if", mechanism=Mechanism.COLLECTIVE, summary="as ballot, the selection is a predicate of the multiply-add", per_iteration={"VOTE": 1, "SHFL": 1}),
        Variant(name="x-mix-if-float", mechanism=Mechanism.COLLECTIVE, summary="as ballot-float, the selection is a predicate of the multiply-add", per_iteration={"VOTE": 1, "SHFL": 1}),
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
