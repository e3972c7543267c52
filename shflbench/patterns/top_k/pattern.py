"""A warp selects the largest of its elements."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant


def elements(at: Setting) -> int:
    """Return the elements of all warps."""
    return at.warps * at.whole("elements")


def all_slots(at: Setting) -> int:
    """Return the shared memory of a block that holds all elements."""
    return at.block // WARP * at.whole("elements") * at.dtype.size


def selected_slots(at: Setting) -> int:
    """Return the shared memory of a block that holds the largest elements."""
    return at.block // WARP * at.whole("k") * at.dtype.size


def sizes(options: Mapping[str, str]) -> tuple[int, int]:
    """Return the elements per lane, and the base-2 logarithm of k."""
    return int(options["elements"]) // WARP, int(options["k"]).bit_length() - 1


def steps_of_sort(log: int) -> int:
    """Return the steps of a bitonic network for 2^log elements."""
    return log * (log + 1) // 2


def bitonic_counts(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Count a sort of each register, a merge after each but the first, then an exchange and a merge between lanes."""
    registers, log = sizes(options)
    between = WARP.bit_length() - 1 - log
    return {"SHFL": registers * steps_of_sort(log) + (registers - 1) * log + between * (1 + log)}


def merge_counts(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Count a sort and a store of each register, then for each merge the loads of binary searches, and stores."""
    registers, log = sizes(options)
    kept, turns = int(options["elements"]) // 2, 0
    while kept >= int(options["k"]):
        turns += max(1, kept // WARP)
        kept //= 2
    return {
        "SHFL": registers * steps_of_sort(log),
        "STS": registers + turns,
        "LDS": turns * 2 * (log + 1) + 1,
    }


def radix_counts(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Count the ballots of one bit, those that give the selected elements their places, and the sort of these."""
    registers, log = sizes(options)
    return {"VOTE": 2 * registers, "STS": registers, "LDS": 1, "SHFL": steps_of_sort(log)}


PATTERN = Pattern(
    summary="Each warp selects the `k` largest of its `elements` elements, in descending order: one per lane.",
    source="NVIDIA/cccl, 8391 and 9749; Shanbhag, Pirk and Madden, Efficient Top-K Query Processing on GPUs, 2018",
    dtypes=("i32",),
    options={"elements": ("256", "32", "64", "128"), "k": ("8", "32")},
    representative={"launch": "8*sms x 128"},
    also_called=("topk", "partial sort", "selection", "k largest"),
    buffers=(
        Input("values", elements=elements),
        Output("largest"),
        Output("result", elements=elements),
    ),
    unroll=1,
    blocks=(32, 64, 128, 256),
    notes=(
        "Lane i gets element i mod k of the descending order. Before each selection, each lane multiplies its "
        "elements by an odd number, with what it got before. The lowest ten bits of an element are its number in the "
        "warp: no two elements are equal, and the result names the places of the largest. `bitonic` and `merge` sort "
        "runs of k elements, and keep k of each two runs. `radix` needs a ballot per bit and 32 elements, and ends as "
        "soon as it has found a number that k elements reach: its time depends on the values, here random ones. The "
        "machine code has the ballots of one bit, in a loop over the bits. There are no more than 256 elements, "
        "because the emulator executes at most 500,000 instructions of a launch, too few to verify `merge` and "
        "`radix` with more elements in every order of the lanes."
    ),
    variants=(
        Variant(
            name="bitonic",
            mechanism=Mechanism.SHFL,
            baseline=True,
            summary="sorts runs of k lanes by xor shuffles, and merges each with the largest so far",
            per_iteration=bitonic_counts,
        ),
        Variant(
            name="merge",
            mechanism=Mechanism.SMEM,
            summary="sorts runs of k lanes by shuffles, and merges them in shared memory; two `__syncwarp()` per merge",
            shared=all_slots,
            per_iteration=merge_counts,
        ),
        Variant(
            name="radix",
            mechanism=Mechanism.COLLECTIVE,
            summary="finds a lower bound of k elements bit by bit with `__ballot_sync`, and sorts these by shuffles",
            shared=selected_slots,
            per_iteration=radix_counts,
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpMergeSort` of all elements; shuffles give the largest to all lanes",
            source="cub.cu",
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio
NUMBERS = np.uint32(1023)  # of elements in a warp, at most


def reference(
    values: NDArray[np.int32], iterations: int, elements: str, k: str
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Change the elements as in elements.cuh, and sort them; shapes [warps, 32] and [warps, elements]."""
    x = values.view(np.uint32).reshape(-1, int(elements) // WARP, WARP)
    number = np.arange(int(elements), dtype=np.uint32).reshape(1, -1, WARP)
    largest = np.zeros((len(x), WARP), np.int32)
    for _ in range(iterations):
        got = largest.view(np.uint32)[:, None]
        swapped = got << np.uint32(16) | got >> np.uint32(16)
        x = (x ^ swapped) * FACTOR & ~NUMBERS | number
        ordered = np.sort(x.view(np.int32).reshape(len(x), -1), axis=1)[:, ::-1]
        largest = np.ascontiguousarray(ordered[:, np.arange(WARP) % int(k)])
    return largest, x.view(np.int32).reshape(len(x), -1)
