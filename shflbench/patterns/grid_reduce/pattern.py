"""One sum of the values of 2 to 528 blocks, by two launches, tickets, additions, barriers of the grid or clusters."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dims, Mechanism
from shflbench.patterns.declare import Input, LaterKernel, Output, Pattern, Scalar, Setting, Variant

LARGE_BLOCK = 1024  # threads of `one-block`, at most
MOST_CLUSTER_BLOCKS = 8  # of a cluster that all GPUs with clusters support
CLUSTER_THREADS = 512  # per block of `one-cluster`, and half as many below `MANY` blocks
MANY = 132
SEVERAL_VECTORS = {"blocks": ("32", "132", "528")}  # so many that each thread of fewer blocks has more than one


def blocks(at: Setting) -> int:
    """Return the blocks of all groups."""
    return at.grid * at.whole("blocks")


def all_blocks(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of all blocks of all groups."""
    return (blocks(at), 1, 1), (at.block, 1, 1)


def warp_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a block of one warp per group."""
    return (at.grid, 1, 1), (WARP, 1, 1)


def thread_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a thread per group, in blocks of one warp."""
    return (-(-at.grid // WARP), 1, 1), (WARP, 1, 1)


def vectors(at: Setting) -> int:
    """Return the vectors of 4 values of each group."""
    return at.whole("blocks") * at.block // 4


def large_block_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of one block per group, of a thread per vector up to 1,024 threads."""
    return (at.grid, 1, 1), (min(LARGE_BLOCK, vectors(at)), 1, 1)


def few_blocks(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a twelfth of the blocks, whose threads load three vectors, or of an eighth."""
    count = at.whole("blocks")
    return (at.grid * (count // 12 if count % 12 == 0 else count // 8), 1, 1), (at.block, 1, 1)


def cluster_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a cluster of 2 to 8 blocks per group."""
    threads = CLUSTER_THREADS if at.whole("blocks") >= MANY else CLUSTER_THREADS // 2
    power_of_two = 2 ** ((vectors(at) // threads).bit_length() - 1)
    return (at.grid * max(2, min(MOST_CLUSTER_BLOCKS, power_of_two)), 1, 1), (threads, 1, 1)


PATTERN = Pattern(
    summary="Groups of `blocks` blocks: one sum of the values of all threads of each group.",
    source=(
        "CUDA samples threadFenceReduction and reductionMultiBlockCG; CUDA C++ Programming Guide, Grid Synchronization"
    ),
    dtypes=("i32", "f32"),
    options={"blocks": ("32", "2", "8", "132", "528")},
    representative={"dtype": "f32", "launch": "1x128", "blocks": "132"},
    also_called=("grid sum", "multi-block reduction", "grid barrier", "cooperative launch"),
    launch_bounds=True,
    one_pass=True,
    static_block=True,
    blocks=(64, 128, 256),
    buffers=(
        Input("values", elements=lambda at: blocks(at) * at.block),
        Output("sums", elements=lambda at: at.grid, initial=-1),  # what is added to it is no right sum
        Output("partial", elements=blocks, compared=False),
        Output("tickets", elements=lambda at: at.grid, dtype="i32", initial=0),
        Output("counted", elements=lambda at: at.grid, dtype="i64", initial=0),
        Output("words", elements=blocks, dtype="i64", initial=0, compared=False),
        Output("arrived", elements=lambda at: at.grid, dtype="i32", initial=0, compared=False),
    ),
    scalars=(Scalar("groups", lambda at: at.grid),),
    notes=(
        "A launch is that of groups: `1x128` with `blocks=132` are 132 blocks of 128 threads with one sum. Its "
        "column `shape` has what was launched. The time is that of all launches of a variant. Values are whole "
        "numbers from 1 to 8: sums are exact in any order, and no block adds nothing. `cluster-reduce` has the same"
        " question for 2 to 8 blocks, and `device-reduce` for arrays that are read from DRAM. `add` needs sums that"
        " are zero before: a program has to set them, as `zero-add` does, and between timed launches they are not. "
        "In verification, they are -1 before other variants. `add-counted-few` and `last-block-words-few` have blocks "
        "of the same size, of which each has the values of 8 or 12 others. "
        "In `grid-barrier` and `first-waits`, blocks wait for others, so that all of them have to be resident: "
        "these launches are cooperative, and fail if they have too many blocks."
    ),
    variants=(
        Variant(
            name="two-launches",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="the sums of blocks in global memory; a second launch adds them",
            dims=all_blocks,
            arguments=("values", "partial"),
            later=(LaterKernel(kernel="grid_reduce_second<{T}>", dims=warp_per_group, arguments=("partial", "sums")),),
        ),
        Variant(
            name="two-launches-graph",
            mechanism=Mechanism.GLOBAL,
            summary="the same two kernels as a CUDA graph, which the host launches as one",
            dims=all_blocks,
            arguments=("values", "partial"),
            graph=True,
            later=(
                LaterKernel(
                    kernel="grid_reduce_second_of_graph<{T}>", dims=warp_per_group, arguments=("partial", "sums")
                ),
            ),
        ),
        Variant(
            name="two-launches-dependent",
            mechanism=Mechanism.GLOBAL,
            summary="the same; the second launch is programmatic: it starts during the first one and waits for its end",
            needs="sm_90",
            source="dependent.cu",
            dims=all_blocks,
            arguments=("values", "partial"),
            opcodes=("PREEXIT",),
            later=(
                LaterKernel(
                    kernel="grid_reduce_second_after_wait<{T}>",
                    dims=warp_per_group,
                    arguments=("partial", "sums"),
                    opcodes=("ACQBULK",),
                    programmatic=True,
                ),
            ),
        ),
        Variant(
            name="last-block",
            mechanism=Mechanism.ATOMIC,
            summary="the same in one launch: the last block of a group, by an atomic ticket, adds",
            dims=all_blocks,
            arguments=("values", "sums", "partial", "tickets"),
            opcodes=("ATOMG",),
        ),
        Variant(
            name="last-block-acq-rel",
            mechanism=Mechanism.ATOMIC,
            summary="the same with a ticket that acquires and releases, instead of two sequential fences",
            dims=all_blocks,
            arguments=("values", "sums", "partial", "tickets"),
            opcodes=("ATOMG", "MEMBAR.ALL.GPU"),
        ),
        Variant(
            name="add",
            mechanism=Mechanism.ATOMIC,
            summary="each block adds its sum to that of the group in global memory, which is zero before",
            dims=all_blocks,
            arguments=("values", "sums"),
            zeroed=("sums",),
        ),
        Variant(
            name="zero-add",
            mechanism=Mechanism.ATOMIC,
            summary="the same after a launch that sets the sums to zero",
            dims=thread_per_group,
            arguments=("sums", "groups"),
            later=(LaterKernel(kernel="grid_reduce_add_to_zero<{T}>", dims=all_blocks, arguments=("values", "sums")),),
        ),
        Variant(
            name="add-counted",
            mechanism=Mechanism.ATOMIC,
            summary="each block adds its sum and 1 to the halves of a word of 64 bits at once; the last stores the sum",
            dtypes=("i32",),
            dims=all_blocks,
            arguments=("values", "sums", "counted"),
            opcodes=("ATOMG",),
        ),
        Variant(
            name="add-counted-few",
            mechanism=Mechanism.ATOMIC,
            summary="the same by an eighth or a twelfth of the blocks, with loads of 16 bytes",
            dtypes=("i32",),
            only=SEVERAL_VECTORS,
            dims=few_blocks,
            arguments=("values", "sums", "counted"),
            opcodes=("ATOMG", "LDG.E.128"),
        ),
        Variant(
            name="last-block-words-few",
            mechanism=Mechanism.ATOMIC,
            summary="as few blocks, each with a word for its sum and flag; the last one, by a ticket, adds: no fence",
            only=SEVERAL_VECTORS,
            dims=few_blocks,
            arguments=("values", "sums", "words", "tickets"),
            opcodes=("ATOMG", "LDG.E.128"),
        ),
        Variant(
            name="grid-barrier",
            mechanism=Mechanism.ATOMIC,
            summary="the sums of blocks in global memory; all blocks wait for one another, and the first one adds",
            dims=all_blocks,
            cooperative=True,
            arguments=("values", "sums", "partial", "arrived"),
            opcodes=("ATOMG", "MEMBAR.ALL.GPU"),
        ),
        Variant(
            name="first-waits",
            mechanism=Mechanism.ATOMIC,
            summary="the same, but only the first block waits for the others, which count their arrivals",
            dims=all_blocks,
            cooperative=True,
            arguments=("values", "sums", "partial", "tickets"),
            opcodes=("MEMBAR.ALL.GPU",),
        ),
        Variant(
            name="cluster-last",
            mechanism=Mechanism.CLUSTER,
            summary="as `last-block-acq-rel`, with a ticket per cluster of up to 8 blocks, which `st.async` combines",
            needs="sm_90",
            source="clusters.cu",
            dims=all_blocks,
            arguments=("values", "sums", "partial", "tickets"),
            opcodes=("STAS", "SYNCS"),
            only={"blocks": ("2", "8", "32", "132")},  # of more, the emulator cannot follow what each thread knows
        ),
        Variant(
            name="one-block",
            mechanism=Mechanism.HYBRID,
            summary="one block of up to 1,024 threads loads all values, 16 bytes per thread at a time",
            dims=large_block_per_group,
            arguments=("values", "sums"),
        ),
        Variant(
            name="one-cluster",
            mechanism=Mechanism.CLUSTER,
            summary="one cluster loads all values so; each warp sends its sum to the first block by `st.async`",
            needs="sm_90",
            source="one_cluster.cu",
            only=SEVERAL_VECTORS,
            dims=cluster_per_group,
            arguments=("values", "sums"),
            opcodes=("STAS", "SYNCS", "LDG.E.128"),
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers from 1 to 8, so that the sum of no block is zero; shape [elements]."""
    return rng.integers(1, 8, blocks(at) * at.block, endpoint=True).astype(at.dtype.numpy)


def reference(
    values: NDArray[np.generic],
    blocks: str,  # noqa: ARG001
    at: Setting,
) -> tuple[NDArray[np.generic], NDArray[np.int32], NDArray[np.int64]]:
    """Return the sum of each group, and tickets and counts that are as before; shapes [groups]."""
    sums = values.reshape(at.grid, -1).sum(axis=1, dtype=values.dtype)
    return sums, np.zeros(at.grid, np.int32), np.zeros(at.grid, np.int64)
