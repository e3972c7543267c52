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
    summary="One lane sends its values to all lanes of its warp; the source lane is known only at run time.",
    source="GTC 2013, Shuffle: Tips and Tricks, broadcast",
    dtypes=("f32",),
    options={"values": VALUES},
    representative={"launch": "26x1024"},
    also_called=("bcast", "broadcast lane"),
    buffers=(
        Input("numbers", elements=elements),
        Input("sources", elements=lambda at: at.warps, dtype="i32"),
        Output("result", elements=elements),
    ),
    notes=(
        "The published examples broadcast from lane 0. Here, each warp loads the index of its first source lane and "
        "uses the next lane in each iteration, so that the source lane is not known at compile time. Each iteration "
        "computes `x + 2 * received` on the bit patterns, interpreted as unsigned integers; if all lanes held the same "
        "value, the compiler could remove the broadcasts that follow. In the shared-memory variants, only the source "
        "lane stores. The option `values` is the number of elements that the source lane sends per iteration. A "
        "shuffle moves 32 bits, whereas one access to shared memory moves up to 128 bits: `smem-wide` needs one store "
        "and one load where `shfl` needs four shuffles."
    ),
    launch_bounds=True,
    variants=(
        Variant(name="shfl", mechanism=Mechanism.SHFL, summary="published", per_iteration=lambda _, o: {"SHFL": int(o["values"])}, baseline=True),
        Variant(name="x-shfl-step", mechanism=Mechanism.SHFL, summary="as shfl, the additions to the source lie between the shuffles", per_iteration=lambda _, o: {"SHFL": int(o["values"])}),
        Variant(name="x-shfl3-redux", mechanism=Mechanism.COLLECTIVE, summary="three values by shuffles, one by REDUX.OR", per_iteration={"SHFL": 3, "REDUX": 1}, only=FOUR_ONLY),
        Variant(name="x-shfl3-redux-step", mechanism=Mechanism.COLLECTIVE, summary="the same, the additions to the source lie between the shuffles", per_iteration={"SHFL": 3, "REDUX": 1}, only=FOUR_ONLY),
        Variant(name="x-shfl2-redux2", mechanism=Mechanism.COLLECTIVE, summary="two values by shuffles, two by REDUX.OR", per_iteration={"SHFL": 2, "REDUX": 2}, only=FOUR_ONLY),
        Variant(name="x-turns4", mechanism=Mechanism.COLLECTIVE, summary="in each iteration, REDUX.OR in one warp of four, shuffles in the others", per_iteration=None, opcodes=("SHFL", "REDUX")),
        Variant(name="x-turns8", mechanism=Mechanism.COLLECTIVE, summary="in each iteration, REDUX.OR in one warp of eight, shuffles in the others", per_iteration=None, opcodes=("SHFL", "REDUX")),
        Variant(name="x-smem-known", mechanism=Mechanism.SMEM, summary="two buffers at known offsets, one barrier", per_iteration={"STS": 1, "LDS": 1}, shared=lambda at: 2 * slots(at)),
        Variant(name="x-half-smem", mechanism=Mechanism.HYBRID, summary="two values by shuffles, two through shared memory", per_iteration={"STS": 1, "LDS": 1, "SHFL": 2}, only=FOUR_ONLY, shared=slots),
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
