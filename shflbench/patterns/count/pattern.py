"""How many elements belong to each of a few counters."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

PER_THREAD = 16  # as in bins.cuh

ONE = {"counters": ("1",)}

PATTERN = Pattern(
    summary="Count the elements from 0 on, each for the counter that its lowest bits name.",
    source="NTNU, Shuffle Shenanigans, atomic contention and shared memory; warp voting",
    buffers=(
        Input("values", per_thread=PER_THREAD),
        Output("counts", elements=lambda at: at.whole("counters"), initial=0),
    ),
    scalars=(Scalar("last", lambda at: at.whole("counters") - 1),),
    dtypes=("i32",),
    options={"counters": ("1", "32", "1024")},
    one_pass=True,
    bytes_moved=lambda at: at.threads * PER_THREAD * at.dtype.size,
    variants=(
        Variant(
            name="global",
            mechanism=Mechanism.ATOMIC,
            baseline=True,
            summary="one atomic addition in global memory an element",
        ),
        Variant(
            name="global-plain",
            mechanism=Mechanism.ATOMIC,
            summary="the same as one writes it for one counter: the compiler makes it one addition a warp",
            only=ONE,
        ),
        Variant(
            name="shared",
            mechanism=Mechanism.ATOMIC,
            summary="one atomic addition in shared memory an element, then one in global memory a block and counter",
            shared=lambda at: at.whole("counters") * at.dtype.size,
        ),
        Variant(
            name="ballot",
            mechanism=Mechanism.COLLECTIVE,
            summary="ballot and population count, then one atomic addition a warp",
            only=ONE,
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="counts in registers, one warp-reduce instruction, one atomic addition a warp",
            needs="sm_80",
            only=ONE,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="counts in registers, five shuffles, one atomic addition a warp",
            only=ONE,
        ),
        Variant(
            name="match",
            mechanism=Mechanism.COLLECTIVE,
            summary="lanes of the same counter find each other by match; one atomic addition a warp and counter",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="cooperative_groups::labeled_partition (binary_partition for one counter), else as match",
            source="cg.cu",
        ),
    ),
    claims={
        "N04": "many threads' atomic additions to one counter are slower than a reduction by the warp and one addition",
        "N07": "counting in shared memory and adding once to global memory is faster than atomics in global memory",
    },
    notes=(
        "The printed kernel initialises a __shared__ variable in its declaration, which does not compile, starts "
        "counting without a value in it, and is right for one block only. "
        "The compiler makes one addition a warp of additions to an address that it can see to be uniform (VOTE, POPC, "
        "one RED): global-plain shows it. global and shared take the number of counters at run time, so that each "
        "element is an addition of its own. "
        "The counters go on counting from one timed launch to the next."
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw from all bits of the element type, so that every second element counts; shape [warps, 32·16]."""
    limits = np.iinfo(at.dtype.numpy)
    return rng.integers(limits.min, limits.max, (at.warps, 32 * PER_THREAD), at.dtype.numpy, endpoint=True)


def reference(values: NDArray[np.int32], counters: str) -> NDArray[np.int32]:
    """Return how many elements from 0 on end in each counter's bits; shape [counters]."""
    number = int(counters)
    return np.bincount(values[values >= 0] % number, minlength=number).astype(values.dtype)
