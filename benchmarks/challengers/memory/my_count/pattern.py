"""Count how many elements belong to each of some counters."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

PER_THREAD = 16  # as in bins.cuh

ONE = {"counters": ("1",)}
COUNTED = 0.49  # of the elements, at least: each is not negative with a probability of one half


def _one_per_element(at: Setting) -> int:
    """Return the atomic additions to the most frequent of all counters, at least."""
    return int(COUNTED * at.threads * PER_THREAD) // at.whole("counters")


def _one_per_group(at: Setting) -> int:
    """Return those to the only counter where the lanes of a warp add together; with more counters, not known."""
    return at.warps * PER_THREAD if at.options["counters"] == "1" else 0


def _one_per_warp(at: Setting) -> int:
    """Return those to the only counter where a warp adds its sum."""
    return at.warps


def _one_per_block(at: Setting) -> int:
    """Return those to the only counter where a block adds its sum."""
    return at.grid


def _of_warps(at: Setting) -> int:
    """Return the shared memory for a count of each warp of a block."""
    return at.block // WARP * at.dtype.size


def blocks_of(threads, each=1):
    return lambda at: ((-(-at.threads // (threads * each)), 1, 1), (threads, 1, 1))


def resident(threads, blocks):
    return lambda at: ((min(blocks, -(-at.threads // threads)), 1, 1), (threads, 1, 1))


def per_block(dims):
    return {"atomics": lambda at: dims(at)[0][0]}


X = tuple(
    (name, dims, per_block(dims) | more, summary)
    for name, dims, more, summary in (
        ("x-block128", blocks_of(128), {}, "redux-block-wide with blocks of 128"),
        ("x-block512", blocks_of(512), {}, "redux-block-wide with blocks of 512"),
        ("x-block1024", blocks_of(1024), {}, "redux-block-wide with blocks of 1024"),
        ("x-past-l1", blocks_of(256), {}, "redux-block-wide with loads past L1, 256 bytes of L2 at a time"),
        ("x-half", lambda at: ((-(-at.threads * 2 // 256), 1, 1), (256, 1, 1)), {}, "8 elements per thread, twice the blocks"),
        ("x-double", blocks_of(256, 2), {}, "32 elements per thread, half of the blocks"),
        ("x-redux-wide", blocks_of(128), {"atomics": _one_per_warp}, "redux with loads of 16 bytes, blocks of 128"),
        ("x-resident", resident(256, 528), {}, "528 blocks; loads ahead in registers"),
        ("x-ring", resident(256, 396), {"shared": lambda at: 65536, "opcodes": ("UBLKCP",)}, "396 blocks; bulk copies ahead"),
    )
)

PATTERN = Pattern(
    summary="Count the nonnegative elements of an array; the lowest bits of an element select the counter.",
    source="NTNU, Shuffle Shenanigans, atomic contention and shared memory; warp voting",
    representative={"launch": "16384x256"},
    also_called=("histogram", "counters"),
    buffers=(
        Input("values", per_thread=PER_THREAD),
        Output("counts", elements=lambda at: at.whole("counters"), initial=0),
    ),
    scalars=(Scalar("last", lambda at: at.whole("counters") - 1), Scalar("threads", lambda at: at.threads)),
    dtypes=("i32",),
    options={"counters": ("1", "32", "1024")},
    launch_bounds=True,
    one_pass=True,
    bytes_moved=lambda at: at.threads * PER_THREAD * at.dtype.size,
    variants=(
        Variant(
            arguments=("values", "counts", "last"),
            name="global",
            mechanism=Mechanism.ATOMIC,
            baseline=True,
            summary="one `atomicAdd` in global memory per element",
            atomics=_one_per_element,
        ),
        Variant(
            arguments=("values", "counts", "last"),
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="each lane counts in a register; `__reduce_add_sync` sums the counts; one `atomicAdd` per warp",
            needs="sm_80",
            source="redux.cu",
            only=ONE,
            atomics=_one_per_warp,
        ),
        Variant(
            arguments=("values", "counts", "last"),
            name="ballot-block",
            mechanism=Mechanism.COLLECTIVE,
            summary="like `ballot`; a block adds up the counts of its warps, and does one `atomicAdd`",
            only=ONE,
            shared=_of_warps,
            atomics=_one_per_block,
        ),
        Variant(
            arguments=("values", "counts", "last"),
            name="redux-block",
            mechanism=Mechanism.COLLECTIVE,
            summary="like `redux`; a block adds up the counts of its warps, and does one `atomicAdd`",
            needs="sm_80",
            source="redux.cu",
            only=ONE,
            shared=_of_warps,
            atomics=_one_per_block,
        ),
        Variant(
            arguments=("values", "counts", "last"),
            name="redux-block-wide",
            mechanism=Mechanism.COLLECTIVE,
            summary=(
                "like `redux-block`, with loads of 16 bytes; a funnel shift per element collects the sign bits, and "
                "`__reduce_add_sync` also sums the counts of the warps"
            ),
            needs="sm_80",
            source="redux.cu",
            only=ONE,
            shared=_of_warps,
            atomics=_one_per_block,
        ),
        *(
            Variant(
                name=name, mechanism=Mechanism.COLLECTIVE, summary=summary, source="x.cu", needs="sm_90", only=ONE,
                arguments=("values", "counts", "threads"), dims=dims, **more,
            )
            for name, dims, more, summary in X
        ),
    ),
    notes=(
        "The published kernel initializes a `__shared__` variable in its declaration, which does not compile. Without "
        "the initializer, the kernel counts from an undefined value; it is also correct for one block only. If the "
        "compiler can prove that all lanes add to the same address, it merges the atomic additions of a warp into one "
        "(instructions `VOTE`, `POPC` and one `RED`), as in `global-plain`. `global` and `shared` receive the index of "
        "the last counter at run time as the argument `last`, so that each element still costs one atomic addition. "
        "The counters are not reset between timed launches."
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw from the whole range of the element type: half of the elements count; shape [warps, 32·16]."""
    limits = np.iinfo(at.dtype.numpy)
    return rng.integers(limits.min, limits.max, (at.warps, 32 * PER_THREAD), at.dtype.numpy, endpoint=True)


def reference(values: NDArray[np.int32], counters: str) -> NDArray[np.int32]:
    """Return how many elements that are not negative end in the bits of each counter; shape [counters]."""
    number = int(counters)
    return np.bincount(values[values >= 0] % number, minlength=number).astype(values.dtype)
