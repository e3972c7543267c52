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
    summary="All lanes get the value of the last lane whose predicate is true; if there is none, each keeps its own.",
    source="GTC 2013, Shuffle: Tips and Tricks, broadcast, more complex example",
    buffers=(Input("values"), Output("result")),
    unroll=4,
    claims={"G11": "ballot, bfind and a shuffle give all lanes the value of the last lane whose predicate is true"},
    notes="The predicate tests four bits of the value, and an iteration computes x + 2·received on the bits. So the "
    "predicate changes from iteration to iteration; in about one of eight it is true in no lane. The deck then skips "
    "the shuffle; here each lane shuffles from itself, so that no variant branches. The deck declares its bfind with a "
    "result and two arguments, and calls it with one.",
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="the last lane by a butterfly of maxima, then its value; only the block barriers that it needs",
            shared=slots,
            per_iteration={"STS": STEPS + 1, "LDS": STEPS + 1, "BAR": 2 * STEPS},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="the last lane by a butterfly of maxima, then its value; only the warp barriers that it needs",
            shared=slots,
            per_iteration={"STS": STEPS + 1, "LDS": STEPS + 1},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="the same through volatile shared memory, no barrier: relies on lockstep execution",
            shared=slots,
            per_iteration={"STS": STEPS + 1, "LDS": STEPS + 1},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="the last lane by a butterfly of xor shuffles, then its value by an indexed one",
            per_iteration=lambda dtype, _: {"SHFL": STEPS + dtype.words},
        ),
        Variant(
            name="ballot",
            mechanism=Mechanism.COLLECTIVE,
            summary="the last lane by a vote and bfind, as in the deck, then its value by a shuffle",
            per_iteration=lambda dtype, _: {"VOTE": 1, "SHFL": dtype.words},
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="the last lane by one warp-reduce instruction, then its value by a shuffle",
            needs="sm_80",
            per_iteration=None,  # one REDUX, named CREDUX on sm_100, and one SHFL per word
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="ballot and shfl of a cooperative_groups tile",
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
