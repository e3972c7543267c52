"""Each thread reserves one slot of a queue that all threads share."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import InOut, Output, Pattern, Scalar, Setting, Variant


def _one_per_warp(at: Setting) -> int:
    """Return the atomic additions, all to the same counter."""
    return at.warps


def blocks_of(threads, each=1):
    """The same threads (or fewer with `each` slots) in blocks of another size."""
    return lambda at: ((-(-at.threads // (threads * each)), 1, 1), (threads, 1, 1))


def resident(threads, blocks):
    return lambda at: ((min(blocks, -(-at.threads // threads)), 1, 1), (threads, 1, 1))


def grid_of(shape):
    return lambda at: shape(at)[0][0]


X = (
    ("x-block128", blocks_of(128), grid_of(blocks_of(128)), "leader-block with blocks of 128 threads"),
    ("x-block512", blocks_of(512), grid_of(blocks_of(512)), "leader-block with blocks of 512 threads"),
    ("x-block1024", blocks_of(1024), grid_of(blocks_of(1024)), "leader-block with blocks of 1024 threads"),
    ("x-arrive1024", blocks_of(1024), grid_of(blocks_of(1024)), "the same, first warp only arrives"),
    ("x-ahead", resident(1024, 264), grid_of(blocks_of(1024)), "264 blocks of 1024; next addition ahead of the stores"),
    ("x-once", resident(1024, 264), grid_of(resident(1024, 264)), "264 blocks of 1024, one addition each"),
    ("x-four", blocks_of(256, 4), grid_of(blocks_of(256, 4)), "four slots per thread, one addition per block"),
)

PATTERN = Pattern(
    summary="Each thread reserves one slot of a queue that all threads share.",
    source="NTNU, Shuffle Shenanigans, broadcasting",
    representative={"launch": "16384x256"},
    also_called=("queue", "append", "aggregated atomics"),
    buffers=(
        InOut("next", elements=lambda _: 1),
        Output("slots", unordered=True),
    ),
    scalars=(Scalar("stride", lambda _: 0), Scalar("count", lambda at: at.threads)),
    dtypes=("i32",),
    launch_bounds=True,
    one_pass=True,
    variants=(
        Variant(
            name="atomic",
            mechanism=Mechanism.ATOMIC,
            baseline=True,
            arguments=("next", "slots", "stride"),
            summary="one `atomicAdd` per thread, in a form that the compiler cannot merge",
            atomics=lambda at: at.threads,
        ),
        Variant(
            name="leader-block",
            mechanism=Mechanism.SMEM,
            summary="thread 0 executes one `atomicAdd` for its block; the others read the result from shared memory",
            arguments=("next", "slots"),
            atomics=lambda at: at.grid,
        ),
        *(
            Variant(
                name=name, mechanism=Mechanism.SMEM, summary=summary, source="x.cu", needs="sm_80",
                arguments=("next", "slots", "count"), dims=dims, atomics=atomics,
            )
            for name, dims, atomics, summary in X
        ),
    ),
    notes=(
        "The published kernel passes `__activemask()` although the whole warp participates, and uses the index of the "
        "thread in its block instead of the index of the lane: it is correct for one warp only. If the compiler can "
        "prove that all lanes add to the same address, it merges the atomic additions of a warp into one (instructions "
        "`VOTE`, `POPC`, one `ATOMG` and `SHFL`), as in `atomic-plain`. In `atomic`, the address depends on the "
        "argument `stride`, which is not known at compile time. The compiler applies the same transformation to the "
        "atomic addition of a single lane, which costs `leader-shfl`, `leader-smem` and `leader-block` one additional "
        "vote and one additional shuffle. Verification compares all `slots` as one multiset, because the order of the "
        "warps is undefined. The counter `next` is not reset between timed launches."
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
