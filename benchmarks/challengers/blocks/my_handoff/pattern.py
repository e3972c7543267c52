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
        "in turn. `syncthreads-ahead` and `syncthreads-pairs` execute the barrier of `__syncthreads()` by an "
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
            name="syncthreads-pairs",
            mechanism=Mechanism.SMEM,
            summary="both stages at once, as pairs of values: one `__syncthreads()` and half an access per row",
            source="pairs.cu",
            only={"stages": ("2",)},
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


# ---- the published ones to beat, and the challengers
from dataclasses import replace  # noqa: E402

KEEP = ("syncthreads", "syncthreads-ahead", "syncthreads-pairs")


def _x(name: str, summary: str, **more: object) -> Variant:
    return Variant(
        **{"name": name, "mechanism": Mechanism.SMEM, "summary": summary, "source": "x.cu", "opcodes": ("STS", "LDS", "BAR.SYNC"), "needs": "sm_80", **more}
    )


TWO = {"stages": ("2",)}
PATTERN = replace(
    PATTERN,
    blocks=(64, 96, 160),
    variants=(
        *(
            replace(v, kernel="handoff_" + v.name.replace("-", "_") + "<{T}>")
            for v in PATTERN.variants
            if v.name in KEEP
        ),
        _x("x-two-ahead", "syncthreads-ahead; a row is absorbed two barriers after the loads began"),
        _x("x-load-first", "syncthreads-ahead; a row is absorbed right after the next barrier, before the loads behind it"),
        _x("x-wide-ahead", "syncthreads-ahead; one load of the values of all producers; stores have bank conflicts"),
        _x("x-wide-two-ahead", "the same two barriers ahead"),
        _x("x-tell-empty", "syncthreads-ahead; the second barrier is a named one, at which the consumer only arrives", only={"stages": ("1",)}),
        _x("x-pairs-ahead", "syncthreads-pairs; two rows are absorbed while the next two are loaded", source="xpairs.cu", only=TWO),
        _x("x-pairs-tell", "the same; the second barrier is a named one, at which the consumer only arrives", source="xpairs.cu", only=TWO),
    ),
)
