"""Each thread reserves one slot of a queue that all threads share."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import InOut, Output, Pattern, Scalar, Setting, Variant

PATTERN = Pattern(
    summary="Each thread reserves one slot of a queue that all threads share.",
    source="NTNU, Shuffle Shenanigans, broadcasting",
    buffers=(
        InOut("next", elements=lambda _: 1),
        Output("slots", unordered=True),
    ),
    scalars=(Scalar("stride", lambda _: 0),),
    dtypes=("i32",),
    one_pass=True,
    variants=(
        Variant(
            name="atomic",
            mechanism=Mechanism.ATOMIC,
            baseline=True,
            summary="one atomic addition a thread, kept from being joined by the compiler",
        ),
        Variant(
            name="atomic-plain",
            mechanism=Mechanism.ATOMIC,
            summary="one atomic addition a thread as written, one a warp as compiled",
            arguments=("next", "slots"),
        ),
        Variant(
            name="leader-shfl",
            mechanism=Mechanism.SHFL,
            summary="one atomic addition a warp, its result broadcast by a shuffle",
            arguments=("next", "slots"),
        ),
        Variant(
            name="leader-smem",
            mechanism=Mechanism.SMEM,
            summary="one atomic addition a warp, its result passed through shared memory",
            arguments=("next", "slots"),
            shared=lambda at: at.block // WARP * at.dtype.size,
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="as leader-shfl, with a cooperative_groups::tiled_partition",
            arguments=("next", "slots"),
            source="cg.cu",
        ),
    ),
    claims={
        "N15": "one atomic addition of 32 and a shuffle reserve a block of 32 slots, in place of 32 atomic additions",
        "N04": "many threads' atomic additions to one counter are slower than one a warp",
    },
    notes=(
        "The printed kernel says __activemask() where the whole warp takes part, and counts with the index in the "
        "block where it means the lane: right for one warp. "
        "The compiler joins a warp's additions to one address that it can see to be uniform (VOTE, POPC, one ATOMG, "
        "SHFL): atomic-plain shows it, and atomic takes an address that the compiler cannot see through. It does so "
        "for the leader's addition, too, which costs leader-shfl and leader-smem a vote and a shuffle more. "
        "The counter goes on counting from one timed launch to the next."
    ),
)


FULLEST_QUEUE = 2**20  # slots in use before the launch, at most


def inputs(rng: np.random.Generator, _: Setting) -> NDArray[np.generic]:
    """Draw the queue's next free index."""
    return rng.integers(FULLEST_QUEUE, size=1, dtype=np.int32)


def reference(next_free: NDArray[np.int32], at: Setting) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Hand out every index from `next_free` on once, in any order, and move it on by the number of threads."""
    first = int(next_free[0])
    return next_free + at.threads, np.arange(first, first + at.threads, dtype=np.int32)
