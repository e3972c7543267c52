"""All lanes get the values of one lane, which is known only at run time."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.data import distinct
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

VALUES = ("1", "4")
FOUR_ONLY = {"values": ("4",)}


def elements(at: Setting) -> int:
    """Return the number of elements of all threads together."""
    return at.threads * at.whole("values")


def slots(at: Setting) -> int:
    """Return the shared memory for the values of one lane per warp, in bytes per block."""
    return at.block // WARP * at.whole("values") * at.dtype.size


def value_by_value(barriers: int = 0) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Return the counts per iteration of storing and loading value by value, with `barriers` block barriers."""
    return lambda _, options: {"STS": int(options["values"]), "LDS": int(options["values"]), "BAR": barriers}


PATTERN = Pattern(
    summary="All lanes get the values of one lane, which is known only at run time.",
    source="GTC 2013, Shuffle: Tips and Tricks, broadcast",
    options={"values": VALUES},
    buffers=(
        Input("numbers", elements=elements),
        Input("sources", elements=lambda at: at.warps, dtype="i32"),
        Output("result", elements=elements),
    ),
    claims={
        "G10": "one shuffle gives all lanes the value of one lane",
        "A06": "a shuffle in which all lanes name the same source lane broadcasts its value",
        "N12": "a lane that does not take part must not be read; a shuffle synchronizes the lanes that do",
    },
    notes="The published examples read lane 0. Here each warp starts with a source lane that it loads, and takes the "
    "next lane in each iteration, so the compiler cannot know the lane. An iteration computes x + 2·received on the "
    "bits: if all lanes held the same value, the compiler would fold the next broadcast away. With shared memory only "
    "the source lane writes. `values` is the number of 32- or 64-bit values that move from one lane per iteration: a "
    "shuffle moves one word, an access to shared memory up to 128 bits, so smem-wide needs one store and one load "
    "where shfl needs four shuffles.",
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="shared memory, a block barrier after the write and after the reads",
            shared=slots,
            per_iteration=value_by_value(barriers=2),
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="shared memory, a warp barrier after the write and after the reads",
            shared=slots,
            per_iteration=value_by_value(),
        ),
        Variant(
            name="smem-wide",
            mechanism=Mechanism.SMEM,
            summary="shared memory, four values in one 128-bit access, a warp barrier after the write and the read",
            dtypes=("f32", "i32"),
            only=FOUR_ONLY,
            shared=slots,
            per_iteration={"STS": 1, "LDS": 1},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="volatile shared memory, no barrier: relies on lockstep execution",
            shared=slots,
            per_iteration=value_by_value(),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one indexed shuffle per 32-bit word",
            per_iteration=lambda dtype, options: {"SHFL": dtype.words * int(options["values"])},
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="shfl of a cooperative_groups tile",
            source="cg.cu",
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    """Draw distinct values, and the source lane that each warp starts with."""
    return distinct(rng, at.dtype, elements(at)), rng.integers(WARP, size=at.warps, dtype=np.int32)


def reference(
    numbers: NDArray[np.generic], sources: NDArray[np.int32], iterations: int, values: str
) -> NDArray[np.generic]:
    """Add the source lane's values twice, as wrapping integers; the next lane is the source of the next iteration."""
    bits = numbers.view(f"u{numbers.dtype.itemsize}").reshape(len(sources), WARP, int(values)).copy()
    warps = np.arange(len(sources))
    for iteration in range(iterations):
        received = bits[warps, (sources + iteration) % WARP]
        bits += received[:, None] << 1
    return bits.view(numbers.dtype)
