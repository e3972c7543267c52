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
            summary="one atomic addition per thread, in a form that the compiler cannot merge",
        ),
        Variant(
            name="atomic-plain",
            mechanism=Mechanism.ATOMIC,
            summary="one atomic addition per thread in the source, merged by the compiler into one per warp",
            arguments=("next", "slots"),
        ),
        Variant(
            name="leader-shfl",
            mechanism=Mechanism.SHFL,
            summary="one atomic addition per warp, its result broadcast by a shuffle",
            arguments=("next", "slots"),
        ),
        Variant(
            name="leader-smem",
            mechanism=Mechanism.SMEM,
            summary="one atomic addition per warp, its result passed through shared memory",
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
        "N15": "one atomic addition of 32 and a shuffle reserve 32 slots, instead of 32 atomic additions",
        "N04": "atomic additions of many threads to one counter are slower than one per warp",
    },
    notes=(
        "The printed kernel uses __activemask() where the whole warp takes part, and the thread's index in the block "
        "instead of its lane: it is correct for one warp only. "
        "If the compiler can prove that all lanes add to one address, it merges the additions of a warp (VOTE, POPC, "
        "one ATOMG, SHFL): atomic-plain shows it; in atomic the compiler cannot know the address. It does the same to "
        "the leader's addition, which costs leader-shfl and leader-smem one more vote and one more shuffle. "
        "The counter is not reset between timed launches."
    ),
)


MAX_USED_SLOTS = 2**20  # before the launch


def inputs(rng: np.random.Generator, _: Setting) -> NDArray[np.generic]:
    """Draw the first free slot of the queue."""
    return rng.integers(MAX_USED_SLOTS, size=1, dtype=np.int32)


def reference(next_free: NDArray[np.int32], at: Setting) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give each slot from `next_free` on to one thread, in any order, and advance `next_free` by the threads."""
    first = int(next_free[0])
    return next_free + at.threads, np.arange(first, first + at.threads, dtype=np.int32)
