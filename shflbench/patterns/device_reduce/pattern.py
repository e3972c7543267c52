"""The sum of a large array, by the steps of the classic guides."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

WORD = np.dtype(np.int32)  # has the size of a sum
PIECE = 128  # elements with a small positive sum; what a block or a warp adds to the total consists of whole pieces
HIGHEST = 8  # of the absolute values; the element types hold these numbers exactly
SUMS = 4  # a piece's sum is from 1 to SUMS, so that the total of 2^29 elements is no more than 2^24
PIECES = 4096  # different pieces, of which the array consists in random order
AT_ONCE = 1 << 22  # elements that the reference converts at a time

STEPS = {"per_thread": ("8",)}  # of the variants with several trees, which grow with the number of elements
TO_TOTAL = ("values", "total")  # the arguments of all variants without a workspace


def _elements(at: Setting) -> int:
    return at.threads * at.whole("per_thread")


def _per_block(at: Setting) -> int:
    return at.grid


def _per_warp(at: Setting) -> int:
    return at.warps


def _slots(at: Setting) -> int:
    """Return the shared memory for one sum per thread, in bytes."""
    return at.block * WORD.itemsize


PATTERN = Pattern(
    summary="The sum of an array of `per_thread` elements per thread of the launch.",
    source=(
        "Harris, Optimizing Parallel Reduction in CUDA (2007); Luitjens, Faster Parallel Reductions on Kepler (2014); "
        "CUDA sample threadFenceReduction"
    ),
    notes=(
        "The sum is an `int` for `i32`, and a `float` for `f32` and `bf16`; verification compares its 32 bits. All "
        "variants but `last-block` and `last-block-acq-rel` add to the total by `atomicAdd`: a program has to set it "
        "to zero before, and between timed launches it is not. In `interleaved`, `interleaved-strided`, `sequential` "
        "and `first-add`, one tree sums one or two elements per thread, as in the first steps of the guide, where a "
        "block has no more; here, a block repeats this for all of its elements and has a single atomic addition. The "
        "number of threads per block is a constant, so that the compiler unrolls all trees, and the remainder of a "
        "division in `interleaved` is an `and`. With `order=block`, each block reads a contiguous part of the array; "
        "with `order=grid`, a thread's elements are as far apart as the grid is large (grid-stride loop). Both "
        "variants of the last block always add in the same order, and their result is deterministic for any input; "
        "their workspace is zero after the launch, as before. CUB's own `DeviceReduce` is a function of the host that "
        "launches other kernels; `benchmarks/` of the repository compares it with these kernels."
    ),
    dtypes=("f32", "bf16", "i32"),
    options={"per_thread": ("8", "32", "128"), "order": ("block", "grid")},
    launch_bounds=True,
    one_pass=True,
    static_block=True,
    blocks=(128, 256, 512, 1024),
    representative={"launch": "16384x256", "per_thread": "32"},
    also_called=("array sum", "grid reduce", "device sum"),
    buffers=(
        Input("values", elements=_elements),
        Output("total", elements=lambda _: 1, dtype="i32", initial=0),
        Output("partial", elements=_per_block, dtype="i32", initial=0),
        Output("tickets", elements=lambda _: 1, dtype="i32", initial=0),
    ),
    bytes_moved=lambda at: _elements(at) * at.dtype.size,
    variants=(
        Variant(
            name="interleaved",
            mechanism=Mechanism.SMEM,
            summary="a tree per element of a thread, interleaved addressing: every second, fourth, … thread adds",
            only=STEPS,
            arguments=TO_TOTAL,
            shared=_slots,
            atomics=_per_block,
        ),
        Variant(
            name="interleaved-strided",
            mechanism=Mechanism.SMEM,
            summary="the same trees by the first threads of a block, with bank conflicts",
            only=STEPS,
            arguments=TO_TOTAL,
            shared=_slots,
            atomics=_per_block,
        ),
        Variant(
            name="sequential",
            mechanism=Mechanism.SMEM,
            summary="a tree per element of a thread, sequential addressing: neither divergence nor bank conflicts",
            only=STEPS,
            arguments=TO_TOTAL,
            shared=_slots,
            atomics=_per_block,
        ),
        Variant(
            name="first-add",
            mechanism=Mechanism.SMEM,
            summary="like `sequential`, a tree per two elements of a thread, which it adds while it loads them",
            only=STEPS,
            arguments=TO_TOTAL,
            shared=_slots,
            atomics=_per_block,
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary=(
                "each thread adds up its elements in a register; one tree in shared memory per block, one "
                "`__syncthreads()` per step"
            ),
            arguments=TO_TOTAL,
            shared=_slots,
            atomics=_per_block,
        ),
        Variant(
            name="smem-vector",
            mechanism=Mechanism.SMEM,
            summary="like `smem`; loads of 16 bytes, up to four in flight per thread",
            arguments=TO_TOTAL,
            shared=_slots,
            atomics=_per_block,
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="like `smem`; the last warp through `volatile` shared memory without barriers",
            arguments=TO_TOTAL,
            shared=_slots,
            atomics=_per_block,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="each thread adds up its elements; shuffles within warps, shared memory across warps",
            arguments=TO_TOTAL,
            atomics=_per_block,
        ),
        Variant(
            name="shfl-vector",
            mechanism=Mechanism.SHFL,
            summary="like `shfl`; loads of 16 bytes, up to four in flight per thread",
            arguments=TO_TOTAL,
            atomics=_per_block,
        ),
        Variant(
            name="shfl-atomic-warp",
            mechanism=Mechanism.SHFL,
            summary="like `shfl-vector`; one `atomicAdd` per warp instead of shared memory",
            arguments=TO_TOTAL,
            atomics=_per_warp,
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="like `shfl-vector`; `__reduce_add_sync` instead of shuffles",
            dtypes=("i32",),
            needs="sm_80",
            source="redux.cu",
            arguments=TO_TOTAL,
            atomics=_per_block,
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::BlockLoad`, 16 bytes per thread at a time; `cub::BlockReduce` once per block",
            source="cub.cu",
            only={"per_thread": ("32",)},  # it takes seconds to compile
            arguments=TO_TOTAL,
            atomics=_per_block,
        ),
        Variant(
            name="last-block",
            mechanism=Mechanism.SHFL,
            summary=(
                "like `shfl-vector`; each block stores its sum, and the last one to finish, by an atomic ticket, adds "
                "up all sums"
            ),
            atomics=_per_block,
        ),
        Variant(
            name="last-block-acq-rel",
            mechanism=Mechanism.SHFL,
            summary="like `last-block`, with a ticket that acquires and releases instead of two sequential fences",
            atomics=_per_block,
            opcodes=("MEMBAR.ALL.GPU",),
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw numbers whose sums are exact in any order, and none of which is zero; shape [elements].

    Integers have all bits: their sums wrap around. For the other types, an array consists of pieces of 128 numbers
    from -8 to 8. The sum of a block or a warp consists of whole pieces, so that all sums of those are integers up to
    2^24; so are all sums within a block, which has 2^17 elements at most.
    """
    count = _elements(at)
    if not at.dtype.floating:
        numbers = rng.integers(np.iinfo(WORD).min, np.iinfo(WORD).max, count, WORD, endpoint=True)
        return np.where(numbers == 0, 1, numbers).astype(WORD, copy=False)
    pieces = pieces_of(rng).astype(at.dtype.numpy)
    return pieces[rng.integers(0, PIECES, count // PIECE)].reshape(count)


def pieces_of(rng: np.random.Generator) -> NDArray[np.int8]:
    """Return pieces of numbers from -8 to 8, none of them zero, whose sums are from 1 to 4; shape [PIECES, PIECE]."""
    half = rng.integers(1, HIGHEST, (PIECES, PIECE // 2), np.int8, endpoint=True)
    half[:, 0] = HIGHEST
    pieces = np.hstack([half, -half])  # the sum is 0
    pieces[:, PIECE // 2] += rng.integers(1, SUMS, PIECES, np.int8, endpoint=True)  # -8 to -4: not zero
    return rng.permuted(pieces, axis=1)


def reference(
    values: NDArray[np.generic],
    per_thread: str,  # noqa: ARG001
    order: str,  # noqa: ARG001
    at: Setting,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the bits of the exact sum, and an empty workspace of one word per block and one for the tickets."""
    total = sum_of(values)
    partial, tickets = np.zeros(at.grid, WORD), np.zeros(1, WORD)
    return total, partial, tickets


def sum_of(values: NDArray[np.generic]) -> NDArray[np.int32]:
    """Return the bits of the sum: of an integer that wraps around, or of a float; shape [1]."""
    if values.dtype == WORD:
        return np.array([np.sum(values, dtype=np.int64)]).astype(WORD)
    parts = np.split(values, range(AT_ONCE, values.size, AT_ONCE))
    total = sum(float(part.astype(np.float32).sum(dtype=np.float64)) for part in parts)
    return np.array([total], np.float32).view(WORD)
