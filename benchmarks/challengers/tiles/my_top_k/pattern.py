"""A warp selects the largest of its elements."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

WIDEST = 16  # bytes that a lane loads at once


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


def rank_counts(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Count the stores of all elements, their 16-byte loads for each register, then a store of each and a load."""
    registers, _ = sizes(options)
    return {"STS": 2 * registers, "LDS": int(options["elements"]) * dtype.size // WIDEST + 1}


def ranked_slots(at: Setting) -> int:
    """Return the shared memory of a block that holds all elements, and the largest."""
    return all_slots(at) + selected_slots(at)


def words(number):
    return lambda at: at.block // WARP * number * 4


PATTERN = Pattern(
    summary="Each warp selects the `k` largest of its `elements` elements, in descending order: one per lane.",
    source="NVIDIA/cccl, 8391 and 9749; Shanbhag, Pirk and Madden, Efficient Top-K Query Processing on GPUs, 2018",
    dtypes=("i32",),
    options={"elements": ("256", "32", "64", "128"), "k": ("8",)},
    representative={"launch": "8*sms x 128"},
    also_called=("topk", "partial sort", "selection", "k largest"),
    buffers=(
        Input("values", elements=elements),
        Output("largest"),
        Output("result", elements=elements),
    ),
    launch_bounds=True,
    unroll=1,
    blocks=(32, 64, 128, 256),
    notes=(
        "Lane i gets element i mod k of the descending order. Before each selection, each lane multiplies its elements "
        "by an odd number, with what it got before. The lowest ten bits of an element are its number in the warp: no "
        "two elements are equal, and the result names the places of the largest. `bitonic` and `merge` sort runs of k "
        "elements, and keep k of each two runs. `radix` needs a ballot per bit and 32 elements, and ends as soon as it "
        "has found a number that k elements reach: its time depends on the values, here random ones. The machine code "
        "has the ballots of one bit, in a loop over the bits. `redux` keeps the elements of each lane in descending "
        "order, so that the first of those that are left is the lane's largest."
    ),
    variants=(
        Variant(
            name="x-rank-mad",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="rank, counting by predicated multiply-adds",
            only={"elements": ("32", "64")},
            shared=ranked_slots,
            per_iteration=rank_counts,
        ),
        Variant(
            name="x-rank-shfl",
            mechanism=Mechanism.HYBRID,
            summary="rank with 31 shuffles instead of loads",
            only={"elements": ("32",)},
            shared=words(16),
            per_iteration={"SHFL": 31, "STS": 1, "LDS": 1},
        ),
        Variant(
            name="x-redux-or-bitonic",
            mechanism=Mechanism.COLLECTIVE,
            summary="half of the warps of a scheduler by redux, the other half by bitonic",
            only={"elements": ("32",)},
            needs="sm_80",
            per_iteration={"SHFL": 14, "REDUX": 8},
        ),
        Variant(
            name="x-runs",
            mechanism=Mechanism.SMEM,
            summary="ranks within runs of 8, the larger ones of opposite runs, and ranks among these",
            only={"elements": ("32",)},
            shared=words(96),
            per_iteration={"STS": 4, "LDS": 9},
        ),
        Variant(
            name="x-ranks",
            mechanism=Mechanism.SMEM,
            summary="sorts in each lane, ranks of the 32 first elements, then ranks of 16, 32 or 36 candidates",
            only={"elements": ("256", "64", "128")},
            shared=words(80),
            per_iteration=lambda _, options: {
                "64": {"STS": 4, "LDS": 8 + 1 + 4 + 1},
                "128": {"STS": 6, "LDS": 8 + 1 + 8 + 1 + 1},
                "256": {"STS": 10, "LDS": 8 + 2 + 9 + 1},
            }[options["elements"]],
        ),
        Variant(
            name="x-ranks-spread",
            mechanism=Mechanism.SMEM,
            summary="ranks of the maxima of lanes; the 8 lanes with the largest hand out their elements, which are ranked",
            only={"elements": ("256", "128")},
            shared=words(176),
            per_iteration=lambda _, options: {
                "128": {"STS": 3, "LDS": 8 + 1 + 8 + 1},
                "256": {"STS": 1 + 2 + 1 + 2 + 1, "LDS": 8 + 1 + 8 + 1 + 4 + 1},
            }[options["elements"]],
        ),
        Variant(
            name="x-redux-mad",
            mechanism=Mechanism.COLLECTIVE,
            summary="redux, moving the elements of a lane by predicated multiplications",
            only={"elements": ("256", "64", "128")},
            needs="sm_80",
            per_iteration={"REDUX": 8},
        ),
        Variant(
            name="x-redux-mad-store",
            mechanism=Mechanism.COLLECTIVE,
            summary="the same; the lane that had an element stores it",
            only={"elements": ("256", "64", "128")},
            needs="sm_80",
            shared=words(8),
            per_iteration={"REDUX": 8, "STS": 8, "LDS": 1},
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
