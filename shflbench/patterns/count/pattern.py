"""Count how many elements belong to each of some counters."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

PER_THREAD = 16  # as in bins.cuh

ONE = {"counters": ("1",)}

PATTERN = Pattern(
    summary="Count the elements that are not negative, each in the counter that its lowest bits select.",
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
            summary="one atomic addition in global memory per element",
        ),
        Variant(
            name="global-plain",
            mechanism=Mechanism.ATOMIC,
            summary="the same written for one counter: the compiler turns it into one addition per warp",
            only=ONE,
        ),
        Variant(
            name="shared",
            mechanism=Mechanism.ATOMIC,
            summary="one atomic addition in shared memory per element, then one in global memory per block and counter",
            shared=lambda at: at.whole("counters") * at.dtype.size,
        ),
        Variant(
            name="ballot",
            mechanism=Mechanism.COLLECTIVE,
            summary="ballot and population count, then one atomic addition per warp",
            only=ONE,
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="counts in registers, one warp-reduce instruction, one atomic addition per warp",
            needs="sm_80",
            only=ONE,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="counts in registers, five shuffles, one atomic addition per warp",
            only=ONE,
        ),
        Variant(
            name="match",
            mechanism=Mechanism.COLLECTIVE,
            summary="match finds the lanes with the same counter; one atomic addition per warp and counter",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="cooperative_groups::labeled_partition (binary_partition for one counter), else as match",
            source="cg.cu",
        ),
    ),
    claims={
        "N04": "atomic additions of many threads to one counter are slower than a warp reduction and one addition",
        "N07": "counting in shared memory and adding once to global memory is faster than atomics in global memory",
    },
    notes=(
        "The printed kernel initializes a __shared__ variable in its declaration, which does not compile. Without "
        "that, it counts from an undefined value, and it is correct for one block only. If the compiler can prove that "
        "all lanes add to one address, it merges the additions into one per warp (VOTE, POPC, one RED): global-plain "
        "shows it. global and shared get the number of counters at run time, so that each element remains one "
        "addition. The counters are not reset between timed launches."
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
