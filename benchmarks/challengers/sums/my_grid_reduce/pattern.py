"""One sum of the values of 2 to 528 blocks, by two launches, tickets, additions, barriers of the grid or clusters."""

import numpy as np
from numpy.typing import NDArray

from shflbench.dimensions import Dims
from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, LaterKernel, Output, Pattern, Scalar, Setting, Variant

LARGE_BLOCK = 1024  # threads of `one-block`


def blocks(at: Setting) -> int:
    """Return the blocks of all groups."""
    return at.grid * at.whole("blocks")


def all_blocks(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of all blocks of all groups."""
    return (blocks(at), 1, 1), (at.block, 1, 1)


blocks_of = blocks  # `reference` has an argument of that name


def warp_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a block of one warp per group."""
    return (at.grid, 1, 1), (WARP, 1, 1)


def thread_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a thread per group, in blocks of one warp."""
    return (-(-at.grid // WARP), 1, 1), (WARP, 1, 1)


def large_block_per_group(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of one block of 1,024 threads per group."""
    return (at.grid, 1, 1), (LARGE_BLOCK, 1, 1)


def vectors(at: Setting) -> int:
    """Return the vectors of 16 bytes of a group."""
    return at.whole("blocks") * at.block // 4


def one_block(most: int):
    """Return the launch of one block of up to `most` threads per group, each with a vector or more."""
    return lambda at: ((at.grid, 1, 1), (min(most, vectors(at)), 1, 1))


def quarter(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a quarter of the blocks."""
    return (blocks(at) // 4, 1, 1), (at.block, 1, 1)


def few(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a twelfth or an eighth of the blocks."""
    count = at.whole("blocks")
    return (at.grid * (count // 12 if count % 12 == 0 else count // 8), 1, 1), (at.block, 1, 1)


def one_cluster(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of a cluster of 2 to 8 blocks per group."""
    count = at.whole("blocks")
    threads = 512 if count >= 132 else 256
    size = 8 if vectors(at) >= 8 * threads else 4 if vectors(at) >= 4 * threads else 2
    return (at.grid * size, 1, 1), (threads, 1, 1)


MANY = {"blocks": ("8", "32", "132", "528")}
EIGHTHS = {"blocks": ("32", "132", "528")}

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
        Output("sums", elements=lambda at: at.grid, initial=0),
        Output("partial", elements=blocks, compared=False),
        Output("tickets", elements=lambda at: at.grid, dtype="i32", initial=0),
        Output("counted", elements=lambda at: at.grid, dtype="i64", initial=0),
        Output("words", elements=blocks, dtype="i64", initial=0),
        Output("arrived", elements=lambda at: at.grid, dtype="i32", initial=0, compared=False),
    ),
    scalars=(Scalar("groups", lambda at: at.grid),),
    notes=(
        "A launch is that of groups: `1x128` with `blocks=132` are 132 blocks of 128 threads with one sum. Its "
        "column `shape` has what was launched. The time is that of all launches of a variant. Values are whole "
        "numbers from 1 to 8: sums are exact in any order, and no block adds nothing. `cluster-reduce` has the same"
        " question for 2 to 8 blocks, and `device-reduce` for arrays that are read from DRAM. `add` needs sums that"
        " are zero before: a program has to set them, as `zero-add` does, and between timed launches they are not. "
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
            later=(LaterKernel(kernel="my_grid_reduce_second<{T}>", dims=warp_per_group, arguments=("partial", "sums")),),
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
                    kernel="my_grid_reduce_second_of_graph<{T}>", dims=warp_per_group, arguments=("partial", "sums")
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
                    kernel="my_grid_reduce_second_after_wait<{T}>",
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
        ),
        Variant(
            name="zero-add",
            mechanism=Mechanism.ATOMIC,
            summary="the same after a launch that sets the sums to zero",
            dims=thread_per_group,
            arguments=("sums", "groups"),
            later=(LaterKernel(kernel="my_grid_reduce_add_to_zero<{T}>", dims=all_blocks, arguments=("values", "sums")),),
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
            mechanism=Mechanism.SHFL,
            summary="one block of 1,024 threads loads all values, 16 bytes per thread at a time",
            dims=large_block_per_group,
            arguments=("values", "sums"),
        ),
        Variant(
            name="x-one-warp", mechanism=Mechanism.SHFL, summary="one warp, vectors", source="fast.cu",
            dtypes=("f32",), dims=warp_per_group, arguments=("values", "sums"), only={"blocks": ("2", "8")},
        ),
        Variant(
            name="x-one-warp-redux", mechanism=Mechanism.COLLECTIVE, summary="one warp, vectors", source="fast.cu",
            kernel="my_grid_reduce_x_one_warp<{T}>",
            dtypes=("i32",), dims=warp_per_group, arguments=("values", "sums"), only={"blocks": ("2", "8")},
        ),
        Variant(
            name="x-one-256", mechanism=Mechanism.SMEM, summary="one block of up to 256 threads, one warp adds",
            source="fast.cu", dims=one_block(256), arguments=("values", "sums"),
        ),
        Variant(
            name="x-one-512", mechanism=Mechanism.SMEM, summary="one block of up to 512 threads, one warp adds",
            source="fast.cu", dims=one_block(512), arguments=("values", "sums"),
        ),
        Variant(
            name="x-one-1024", mechanism=Mechanism.SMEM, summary="one block of up to 1024 threads, one warp adds",
            source="fast.cu", dims=one_block(1024), arguments=("values", "sums"),
        ),
        Variant(
            name="x-ticket-words", mechanism=Mechanism.ATOMIC, summary="words of a value and a flag; the last ticket adds",
            source="fast.cu", dims=all_blocks, arguments=("values", "sums", "words", "tickets"), opcodes=("ATOMG",),
            
        ),
        Variant(
            name="x-quarter-words", mechanism=Mechanism.ATOMIC, summary="words of a value and a flag; the last ticket adds",
            source="fast.cu", dims=quarter, arguments=("values", "sums", "words", "tickets"), opcodes=("ATOMG",),
            only=MANY,
        ),
        Variant(
            name="x-few-words", mechanism=Mechanism.ATOMIC, summary="words of a value and a flag; the last ticket adds",
            source="fast.cu", dims=few, arguments=("values", "sums", "words", "tickets"), opcodes=("ATOMG",),
            only=EIGHTHS,
        ),
        Variant(
            name="x-first-words", mechanism=Mechanism.GLOBAL, summary="words of a value and a flag; the first block waits",
            source="fast.cu", dims=quarter, cooperative=True, arguments=("values", "sums", "words"), only=MANY,
        ),
        Variant(
            name="x-quarter-counted", mechanism=Mechanism.ATOMIC, summary="fewer blocks add to a sum and a count in one word",
            source="fast.cu", dtypes=("i32",), dims=quarter, arguments=("values", "sums", "counted"), opcodes=("ATOMG",),
            only=MANY,
        ),
        Variant(
            name="x-few-counted", mechanism=Mechanism.ATOMIC, summary="fewer blocks add to a sum and a count in one word",
            source="fast.cu", dtypes=("i32",), dims=few, arguments=("values", "sums", "counted"), opcodes=("ATOMG",),
            only=EIGHTHS,
        ),
        Variant(
            name="x-one-cluster", mechanism=Mechanism.CLUSTER, summary="one cluster, whose warps send their sums",
            needs="sm_90", source="fast_clusters.cu", dims=one_cluster, arguments=("values", "sums"),
            opcodes=("STAS", "SYNCS"), only=MANY,
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
) -> tuple[NDArray[np.generic], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the sum of each group, and tickets and counts that are as before; shapes [groups]."""
    sums = values.reshape(at.grid, -1).sum(axis=1, dtype=values.dtype)
    return sums, np.zeros(at.grid, np.int32), np.zeros(at.grid, np.int64), np.zeros(blocks_of(at), np.int64)
