"""Each thread reserves one slot of a queue that all threads share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import InOut, Output, Pattern, Scalar, Setting, Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.model import Dims

LARGER_BLOCK = 1024  # threads
FEWER_BLOCKS = 264  # of so many threads, at most: as many as an H200 executes at a time


def _one_per_warp(at: Setting) -> int:
    """Return the atomic additions, all to the same counter."""
    return at.warps


def larger_blocks(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of at least as many threads in blocks of 1,024."""
    return (-(-at.threads // LARGER_BLOCK), 1, 1), (LARGER_BLOCK, 1, 1)


def _slots_of_block(at: Setting) -> int:
    """Return the slots of each of at most 264 such blocks but the last: the same number for each of its threads."""
    per_thread = -(-at.threads // (LARGER_BLOCK * FEWER_BLOCKS))
    return per_thread * LARGER_BLOCK


def fewer_blocks(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of these blocks."""
    return (-(-at.threads // _slots_of_block(at)), 1, 1), (LARGER_BLOCK, 1, 1)


PATTERN = Pattern(
    summary="Each thread reserves one slot of a queue that all threads share.",
    source="NTNU, Shuffle Shenanigans, broadcasting",
    representative={"launch": "16384x256"},
    also_called=("queue", "append", "aggregated atomics"),
    buffers=(
        InOut("next", elements=lambda _: 1),
        Output("slots", unordered=True),
    ),
    scalars=(
        Scalar("stride", lambda _: 0),
        Scalar("threads", lambda at: at.threads),
        Scalar("slots_of_block", _slots_of_block),
    ),
    dtypes=("i32",),
    launch_bounds=True,
    one_pass=True,
    variants=(
        Variant(
            name="atomic",
            mechanism=Mechanism.ATOMIC,
            baseline=True,
            summary="one `atomicAdd` per thread, in a form that the compiler cannot merge",
            arguments=("next", "slots", "stride"),
            atomics=lambda at: at.threads,
        ),
        Variant(
            name="atomic-plain",
            mechanism=Mechanism.ATOMIC,
            summary="one `atomicAdd` per thread in the source; the compiler merges those of a warp into one",
            arguments=("next", "slots"),
            atomics=_one_per_warp,
        ),
        Variant(
            name="leader-shfl",
            mechanism=Mechanism.SHFL,
            summary="lane 0 executes one `atomicAdd` for its warp; a shuffle broadcasts the result",
            arguments=("next", "slots"),
            atomics=_one_per_warp,
        ),
        Variant(
            name="elect",
            mechanism=Mechanism.SHFL,
            summary="as `leader-shfl`, but `elect.sync` chooses the lane that executes the `atomicAdd`",
            arguments=("next", "slots"),
            atomics=_one_per_warp,
            needs="sm_90",
            opcodes=("ELECT",),
        ),
        Variant(
            name="leader-smem",
            mechanism=Mechanism.SMEM,
            summary="lane 0 executes one `atomicAdd` for its warp; the other lanes read the result from shared memory",
            arguments=("next", "slots"),
            atomics=_one_per_warp,
            shared=lambda at: at.block // WARP * at.dtype.size,
        ),
        Variant(
            name="leader-block",
            mechanism=Mechanism.SMEM,
            summary="thread 0 executes one `atomicAdd` for its block; the others read the result from shared memory",
            arguments=("next", "slots"),
            atomics=lambda at: at.grid,
        ),
        Variant(
            name="leader-larger-block",
            mechanism=Mechanism.SMEM,
            summary="as `leader-block`, in blocks of 1024 threads",
            dims=larger_blocks,
            arguments=("next", "slots", "threads"),
            atomics=lambda at: larger_blocks(at)[0][0],
        ),
        Variant(
            name="leader-block-once",
            mechanism=Mechanism.SMEM,
            summary=(
                "as `leader-larger-block`, in at most 264 blocks: with more than 270,336 threads in the launch, each "
                "thread takes several slots, not one"
            ),
            dims=fewer_blocks,
            arguments=("next", "slots", "threads", "slots_of_block"),
            atomics=lambda at: fewer_blocks(at)[0][0],
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="as `leader-shfl`, but with a `cooperative_groups::tiled_partition`",
            arguments=("next", "slots"),
            atomics=_one_per_warp,
            source="cg.cu",
        ),
    ),
    notes=(
        "The published kernel passes `__activemask()` although the whole warp participates, and uses the index of the "
        "thread in its block instead of the index of the lane: it is correct for one warp only. If the compiler can "
        "prove that all lanes add to the same address, it merges the atomic additions of a warp into one "
        "(instructions `VOTE`, `POPC`, one `ATOMG` and `SHFL`), as in `atomic-plain`. In `atomic`, the address "
        "depends on the argument `stride`, which is not known at compile time. The compiler applies the same "
        "transformation to the atomic addition of a single lane, which costs `leader-shfl`, `leader-smem` and "
        "`leader-block` one additional vote and one additional shuffle; `leader-larger-block` and `leader-block-once` "
        "add by inline PTX, which it does not transform. A launch is that of threads with one slot each: `16384x256` "
        "are 4096 blocks of 1024 threads in `leader-larger-block`, and 256 blocks in `leader-block-once`, in which a "
        "thread takes 16 slots. Its column `shape` has what was launched. Verification compares all `slots` as one "
        "multiset, because the order of the warps is undefined. The counter `next` is not reset between timed "
        "launches."
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
