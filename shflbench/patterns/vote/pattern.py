"""All lanes get the result of a vote: whether a predicate is true in all lanes, in any lane, or in which."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

STEPS = 5  # exchanges of a butterfly over 32 lanes


def a_byte_per_thread(at: Setting) -> int:
    """Return the shared memory of a block with one byte per thread."""
    return at.block


PATTERN = Pattern(
    summary=(
        "All lanes get the result of a warp vote: whether a predicate is true in all lanes or in any lane, or the mask "
        "of the lanes in which it is true."
    ),
    source="NTNU, Shuffle Shenanigans, warp voting",
    representative={"launch": "2*sms x 1024", "op": "any"},
    also_called=("any", "all", "ballot"),
    buffers=(Input("values"), Output("result")),
    dtypes=("i32",),
    options={"op": ("all", "any", "ballot")},
    notes=(
        "The predicate of an iteration depends on the vote of the previous iteration; otherwise, the compiler would "
        "remove the votes. Over the iterations, the predicate is true in all lanes, in some lanes and in no lane of a "
        "warp."
    ),
    launch_bounds=True,
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary=(
                "one byte per lane in shared memory, read by two 16-byte loads; `__syncthreads()` after the store and "
                "after the loads"
            ),
            shared=a_byte_per_thread,
            per_iteration={"STS": 1, "LDS": 2, "BAR": 2},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary=(
                "one byte per lane in shared memory, read by two 16-byte loads; `__syncwarp()` after the store and "
                "after the loads"
            ),
            shared=a_byte_per_thread,
            per_iteration={"STS": 1, "LDS": 2},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary=(
                "one byte per lane in `volatile` shared memory, read by two 16-byte loads, without barriers; relies on "
                "lockstep execution of the warp"
            ),
            shared=a_byte_per_thread,
            per_iteration={"STS": 1, "LDS": 2},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one bit per lane, collected by a butterfly with `__shfl_xor_sync`",
            per_iteration={"SHFL": STEPS},
        ),
        Variant(
            name="vote",
            mechanism=Mechanism.COLLECTIVE,
            summary="`__all_sync`, `__any_sync` or `__ballot_sync`, as selected by `op`",
            # For sm_75 `all` is compiled to a ballot and a comparison with the active lanes: one more vote per pass.
            per_iteration=lambda _dtype, options: None if options["op"] == "all" else {"VOTE": 1},
        ),
        Variant(
            name="ballot-min",
            mechanism=Mechanism.COLLECTIVE,
            only={"op": ("any",)},
            summary="the smaller one of `__ballot_sync` and 1: a number, which a multiply-add takes, not a predicate",
            per_iteration={"VOTE": 1},
        ),
        Variant(
            name="ballot-shift",
            mechanism=Mechanism.COLLECTIVE,
            only={"op": ("all",)},
            summary=(
                "1, shifted by `__ballot_sync` of the negated predicate: a number, which a multiply-add takes, not a "
                "predicate"
            ),
            per_iteration={"VOTE": 1},
        ),
    ),
)

PART = 2**25  # share of a lane in the quarter of all integers in which the numbers of a warp lie
STEP = np.uint32(37 * PART)  # an odd number of parts: a warp visits all 128
FACTOR, SHIFT = np.uint32(0x9E3779B1), np.uint32(7)  # the result of a vote moves a warp by less than one part


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.int32]:
    """Draw the numbers of each warp within a quarter of all integers, distinct, in random order; shape [warps, 32]."""
    parts = rng.permuted(np.tile(np.arange(WARP) * PART, (at.warps, 1)), axis=1)
    numbers = parts + rng.integers(PART, size=parts.shape) + rng.integers(2**32, size=(at.warps, 1))
    return numbers.astype(np.uint32).view(np.int32)


def reference(values: NDArray[np.int32], iterations: int, op: str) -> NDArray[np.int32]:
    """Add STEP and the result of a vote on the signs to the numbers of each warp; shape [warps, 32]."""
    x = values
    for _ in range(iterations):
        change = vote(x < 0, op) * FACTOR >> SHIFT
        x = (x.view(np.uint32) + STEP + change).view(np.int32)
    return x


def vote(predicate: NDArray[np.bool_], op: str) -> NDArray[np.uint32]:
    """Return the result of each warp's vote; shape [warps, 1]."""
    if op == "ballot":
        return np.packbits(predicate, axis=1, bitorder="little").view(np.uint32)
    votes = predicate.sum(axis=1, keepdims=True)
    return np.where(votes == WARP if op == "all" else votes > 0, np.uint32(1), np.uint32(0))
