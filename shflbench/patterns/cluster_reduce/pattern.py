"""One sum of the values of 2, 4 or 8 blocks, by clusters, by larger blocks or by global memory."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dims, Mechanism
from shflbench.patterns.declare import Input, LaterKernel, Output, Pattern, Scalar, Setting, Variant
from shflbench.patterns.groups import blocks, larger_blocks, separate_blocks

SECOND_BLOCK = 128  # threads of the second launch
PER_THREAD = 32  # values that a thread adds up in `lanes-per-group`


def thread_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of one thread per group."""
    return (-(-at.grid // SECOND_BLOCK), 1, 1), (SECOND_BLOCK, 1, 1)


def warp_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of blocks with one group per warp."""
    return (-(-at.grid * WARP // at.block), 1, 1), (at.block, 1, 1)


def thread_per_values(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of one thread per 32 values, in whole blocks."""
    return (-(-blocks(at) // PER_THREAD), 1, 1), (at.block, 1, 1)


PATTERN = Pattern(
    summary="Groups of `cluster` blocks: one sum of the values of all threads of each group.",
    source="NVIDIA/cccl, issues 9994 and 9224; pytorch/helion, pull request 3497; NVIDIA/Fuser, pull request 5234",
    dtypes=("i32", "f32"),
    options={"cluster": ("2", "4", "8")},
    representative={"dtype": "f32", "launch": "sms x 128", "cluster": "4"},
    also_called=("cluster sum", "distributed shared memory", "thread block cluster"),
    launch_bounds=True,
    one_pass=True,
    static_block=True,
    blocks=(32, 64, 128),
    buffers=(
        Input("values", elements=lambda at: blocks(at) * at.block),
        Output("sums", elements=lambda at: at.grid, initial=0),
        Output("partial", elements=blocks, compared=False),
        Output("tickets", elements=lambda at: at.grid, dtype="i32", initial=0),
    ),
    scalars=(Scalar("groups", lambda at: at.grid),),
    notes=(
        "A launch is that of groups: `132x128` with `cluster=4` are 528 blocks of 128 threads, in clusters of 4 where "
        "the variant uses them, or 132 blocks of 512 threads in `larger-block` and `first-warp`, or 33 blocks of 128 "
        "threads in `warp-per-group`, or 17 in `lanes-per-group`, whose threads have several values each. Its column "
        "`shape` has what was launched. The time is that of all launches of a variant. Values are whole numbers from "
        "-8 to 8, so that sums are exact in any order. `add` needs sums that are zero before: a program has to set "
        "them, and between timed launches they are not. In `store-async` and `add-async`, blocks other than the first "
        "one end as soon as they have sent their sum."
    ),
    variants=(
        Variant(
            name="two-launches",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="the sums of blocks in global memory; a second launch adds them",
            dims=separate_blocks,
            arguments=("values", "partial"),
            later=(
                LaterKernel(
                    kernel="cluster_reduce_second<{T}>", dims=thread_per_group, arguments=("partial", "sums", "groups")
                ),
            ),
        ),
        Variant(
            name="two-launches-dependent",
            mechanism=Mechanism.GLOBAL,
            summary="the same; the second launch is programmatic: it starts during the first one and waits for its end",
            needs="sm_90",
            source="dependent.cu",
            dims=separate_blocks,
            arguments=("values", "partial"),
            opcodes=("PREEXIT",),
            later=(
                LaterKernel(
                    kernel="cluster_reduce_second_after_wait<{T}>",
                    dims=thread_per_group,
                    arguments=("partial", "sums", "groups"),
                    opcodes=("ACQBULK",),
                    programmatic=True,
                ),
            ),
        ),
        Variant(
            name="last-block",
            mechanism=Mechanism.ATOMIC,
            summary="the same in one launch: the last block of a group, by an atomic ticket, adds",
            dims=separate_blocks,
            arguments=("values", "sums", "partial", "tickets"),
            opcodes=("ATOMG",),
        ),
        Variant(
            name="last-block-acq-rel",
            mechanism=Mechanism.ATOMIC,
            summary="the same with a ticket that acquires and releases, instead of two sequential fences",
            dims=separate_blocks,
            arguments=("values", "sums", "partial", "tickets"),
            opcodes=("ATOMG", "MEMBAR.ALL.GPU"),
        ),
        Variant(
            name="add",
            mechanism=Mechanism.ATOMIC,
            summary="each block adds its sum to that of the group in global memory, which is zero before",
            dims=separate_blocks,
            arguments=("values", "sums"),
        ),
        Variant(
            name="barrier",
            mechanism=Mechanism.CLUSTER,
            summary="each block stores its sum in the first one's shared memory; a barrier of the cluster publishes it",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "sums"),
            opcodes=("MEMBAR.ALL.GPU",),
        ),
        Variant(
            name="barrier-one-release",
            mechanism=Mechanism.CLUSTER,
            summary="the same, but only the warp that stores has an arrival that releases; the others' are relaxed",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "sums"),
            opcodes=("MEMBAR.ALL.GPU",),
        ),
        Variant(
            name="store-async",
            mechanism=Mechanism.CLUSTER,
            summary="the same by `st.async`, which counts its bytes at an `mbarrier` of the first block",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "sums"),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="store-async-release",
            mechanism=Mechanism.CLUSTER,
            summary="the same, but the first arrival at the barrier of the cluster is not relaxed: it has a fence",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "sums"),
            opcodes=("STAS", "SYNCS", "MEMBAR.ALL.GPU"),
        ),
        Variant(
            name="add-async",
            mechanism=Mechanism.CLUSTER,
            summary="the same by `red.async`: the shared memory of the first block adds",
            needs="sm_90",
            source="clusters.cu",
            dtypes=("i32",),
            dims=separate_blocks,
            arguments=("values", "sums"),
            opcodes=("REDAS", "SYNCS"),
        ),
        Variant(
            name="larger-block",
            mechanism=Mechanism.SMEM,
            summary="one block with the threads of all",
            dims=larger_blocks,
            arguments=("values", "sums"),
        ),
        Variant(
            name="first-warp",
            mechanism=Mechanism.SHFL,
            summary="the same block; its first warp loads all values, up to 16 bytes per lane at a time; others end",
            dims=larger_blocks,
            arguments=("values", "sums"),
        ),
        Variant(
            name="warp-per-group",
            mechanism=Mechanism.SHFL,
            summary="one warp per group loads all values, up to 16 bytes per lane at a time; no barrier",
            dims=warp_per_group,
            arguments=("values", "sums", "groups"),
        ),
        Variant(
            name="lanes-per-group",
            mechanism=Mechanism.SHFL,
            summary="one lane per 32 values, which loads 16 bytes at a time: 2 to 32 lanes per group",
            dims=thread_per_values,
            arguments=("values", "sums", "groups"),
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers from -8 to 8; shape [elements]."""
    return rng.integers(-8, 8, blocks(at) * at.block, endpoint=True).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], cluster: str, at: Setting) -> tuple[NDArray[np.generic], NDArray[np.int32]]:
    """Return the sum of each group, and tickets that are as before; shapes [groups]."""
    sums = values.reshape(at.grid, int(cluster) * at.block).sum(axis=1, dtype=values.dtype)
    return sums, np.zeros(at.grid, np.int32)
