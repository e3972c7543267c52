"""Warps of a block hand values over to another warp."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant


def block_barriers(_dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts with barriers of the block: one per row, or two with a single stage."""
    producers = int(constants["block"]) // WARP - 1
    return {"STS": 1, "LDS": producers, "BAR": 2 if constants["stages"] == "1" else 1}


PATTERN = Pattern(
    summary=(
        "All warps of a block but the last one produce a value per lane and iteration; the last warp reads the values "
        "of all of them."
    ),
    source="NVIDIA/Fuser, pull request 3446; triton-lang/triton, pull requests 8969 and 11573",
    dtypes=("i32",),
    options={"stages": ("2", "1")},
    representative={"launch": "sms x 96"},
    also_called=("producer and consumer", "warp specialization", "named barrier"),
    buffers=(Input("values"), Output("result")),
    launch_bounds=True,
    unroll=4,
    blocks=(64, 96, 128, 160),
    static_block=True,
    notes=(
        "The block decides on the number of producers: 1 to 4, in blocks of 64 to 160 threads. With two stages, "
        "producers may write a row while the consumer reads the last one; with a single one, they wait for each other "
        "in turn. `syncthreads-pairs` and the variants named `-ahead` execute the barrier of `__syncthreads()` by an "
        "instruction in the code of each role, because CUDA C++ does not allow the call where warps of a block take "
        "different branches. In `named`, all threads of the block take part in each named barrier, as in "
        "`__syncthreads()`: the difference is that those who arrive do not wait. A block reserves two named barriers "
        "per stage. An SM of sm_90 has 64: with two stages, at most 16 blocks are resident. An `mbarrier` counts the "
        "arrivals of warps, of threads (`-threads`), or of one thread (`-once`)."
    ),
    variants=(
        Variant(
            name="syncthreads",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="one `__syncthreads()` per row, or two with a single stage",
            per_iteration=block_barriers,
        ),
        Variant(
            name="syncthreads-ahead",
            mechanism=Mechanism.SMEM,
            summary="the same barriers, but the last warp uses the values of a row after it has begun to load the next",
            opcodes=("STS", "LDS", "BAR.SYNC"),  # of two loops; the compiler decides which comes first
        ),
        Variant(
            name="syncthreads-two-ahead",
            mechanism=Mechanism.SMEM,
            summary="like `syncthreads-ahead`, but the last warp begins to load two more rows before it uses a row",
            opcodes=("STS", "LDS", "BAR.SYNC"),  # as syncthreads-ahead
        ),
        Variant(
            name="syncthreads-pairs",
            mechanism=Mechanism.SMEM,
            summary="both stages at once, as pairs of values: one `__syncthreads()` and half an access per row",
            source="pairs.cu",
            only={"stages": ("2",)},
        ),
        Variant(
            name="syncthreads-pairs-ahead",
            mechanism=Mechanism.SMEM,
            summary="like `syncthreads-pairs`, but the last warp uses two rows after it has begun to load the next two",
            source="pairs.cu",
            only={"stages": ("2",)},
            opcodes=("STS", "LDS", "BAR.SYNC"),  # as syncthreads-ahead
        ),
        Variant(
            name="named",
            mechanism=Mechanism.SMEM,
            summary="two named barriers of the block per stage: one side arrives without waiting (`bar.arrive`)",
            opcodes=("BAR.ARV",),
        ),
        Variant(
            name="mbarrier",
            mechanism=Mechanism.SMEM,
            summary="two `mbarrier` per stage in shared memory; lane 0 arrives for its warp",
            needs="sm_90",
            opcodes=("SYNCS.ARRIVE",),
        ),
        Variant(
            name="mbarrier-threads",
            mechanism=Mechanism.SMEM,
            summary="the same, but every thread arrives",
            needs="sm_90",
            opcodes=("SYNCS.ARRIVE",),
        ),
        Variant(
            name="mbarrier-once",
            mechanism=Mechanism.SMEM,
            summary="the same, but the producers meet at a named barrier, and one thread arrives for all of them",
            needs="sm_90",
            opcodes=("SYNCS.ARRIVE", "BAR.SYNC"),
        ),
        Variant(
            name="flag",
            mechanism=Mechanism.SMEM,
            summary=(
                "a counter of rows per warp in shared memory; one lane stores it with release, and one polls it with "
                "acquire"
            ),
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(values: NDArray[np.int32], iterations: int, stages: str, at: Setting) -> NDArray[np.int32]:
    """Repeat roles.cuh in wrapping integers; shape [warps, 32]."""
    del stages  # they change when a row is written, and not what is in it
    x = values.view(np.uint32).reshape(-1, at.block // WARP, WARP).copy()
    for _ in range(iterations):
        x[:, :-1] = x[:, :-1] * FACTOR + np.uint32(1)
        for producer in range(x.shape[1] - 1):
            x[:, -1] = x[:, -1] * FACTOR + x[:, producer]
    return x.view(np.int32).reshape(values.shape)
