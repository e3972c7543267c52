"""One array per warp, which its lanes read at indices known only at run time."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

Floats = NDArray[np.floating]
Integers = NDArray[np.integer]

INDICES_OF_A_BYTE = 256  # as in copy.cu
SHORT = ("4", "8")  # arrays for which the compiler may do without local memory


def shuffles(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
    """Expect, per iteration, a shuffle per 32-bit word of the element and per 32 elements of the array."""
    return {"SHFL": dtype.words * max(1, int(options["length"]) // WARP)}


def local_loads(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int] | None:
    """Expect one load per iteration, except for short arrays."""
    return None if options["length"] in SHORT else {"LDL": 1}


PATTERN = Pattern(
    summary="Each lane reads one element of its warp's array per iteration, at an index known only at run time.",
    source="NVIDIA Pro Tip, Fast Dynamic Indexing of Private Arrays in CUDA",
    dtypes=("f32", "f64"),
    representative={"launch": "2*sms x 1024"},
    buffers=(
        Input("arrays", elements=lambda at: at.warps * at.whole("length")),
        Input("start", dtype="i32"),
        Output("result"),
    ),
    options={"length": ("32", "4", "8", "16", "64"), "index": ("random", "uniform")},
    notes=(
        "In the article, each thread has a private array. This pattern covers the case in which all lanes of a warp "
        "have the same array, so that one copy per warp is sufficient: in the registers of the lanes, in shared "
        "memory or in L1. The variants `shfl` and `smem-dp4a` are not from the article. The low bits of each element "
        "are the index of the next element. With `index=random`, each lane starts at a random element; with "
        "`index=uniform`, all lanes of a warp start at the same element and always read the same index. A shuffle "
        "takes the index modulo its width; `smem-dp4a` takes its lowest byte, and repeats the array up to 256 "
        "elements; the other variants compute the modulo with a mask. The compiler may keep local arrays of 4 or 8 "
        "elements in registers; the instruction counts of `local` are therefore reported, but not checked, for these "
        "lengths."
    ),
    launch_bounds=True,
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="one copy of the array per warp in shared memory",
            shared=lambda at: at.block // WARP * at.whole("length") * at.dtype.size,
            per_iteration={"LDS": 1},
        ),
        Variant(
            name="smem-dp4a",
            mechanism=Mechanism.SMEM,
            summary=(
                "256 elements per warp in shared memory, the array several times over; one `dp4a` takes the lowest "
                "byte of an index and finds the address"
            ),
            shared=lambda at: at.block // WARP * INDICES_OF_A_BYTE * at.dtype.size,
            per_iteration={"LDS": 1, "IDP": 1},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "the array distributed over the registers of the lanes; for 64 elements, two elements per lane, two "
                "shuffles and a select"
            ),
            per_iteration=shuffles,
        ),
        Variant(
            name="local",
            mechanism=Mechanism.LOCAL,
            summary="one copy of the array per lane in local memory",
            per_iteration=local_loads,
            may_fold={"length": SHORT},
        ),
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            summary="the array in global memory, cached in L1",
            per_iteration={"LDG": 1},
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> tuple[Floats, Integers]:
    """Draw elements from 1 to 2 with the next index in their low bits, and the first index of each lane.

    The indices of an array form one cycle through all of its elements.
    """
    length = at.whole("length")
    order = rng.permuted(np.tile(np.arange(length), (at.warps, 1)), axis=1)
    following = np.empty_like(order)
    np.put_along_axis(following, order, np.roll(order, -1, axis=1), axis=1)
    arrays = 1 + (rng.permuted(np.tile(np.arange(64), (at.warps, 1)), axis=1)[:, :length] / 64).astype(at.dtype.numpy)
    bits = arrays.view(f"u{at.dtype.size}")
    bits |= following.astype(bits.dtype)
    lanes = WARP if at.options["index"] == "random" else 1
    first = np.broadcast_to(rng.integers(0, length, (at.warps, lanes), dtype="i4"), (at.warps, WARP))
    return arrays.ravel(), first.copy()


def reference(
    arrays: Floats,
    start: Integers,
    iterations: int,
    length: str,
    index: str,  # noqa: ARG001  (only the inputs differ)
) -> Floats:
    """Follow the indices from `start` (shape [warps, 32]) through the warps' arrays, adding up the elements."""
    rows = arrays.reshape(-1, int(length))
    x = np.zeros(start.shape, arrays.dtype)
    at = start
    for _ in range(iterations):
        element = np.take_along_axis(rows, at, axis=1)
        x += element
        at = (element.view(f"u{arrays.itemsize}") % int(length)).astype("i4")
    return x
