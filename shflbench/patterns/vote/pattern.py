"""All lanes learn whether a predicate holds in all lanes of their warp, in any of them, or in which."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

STEPS = 5  # exchanges of a butterfly over 32 lanes


def a_byte_per_thread(at: Setting) -> int:
    """Return the shared memory of a block with a flag for each thread."""
    return at.block


PATTERN = Pattern(
    summary="All lanes learn in which lanes of the warp a predicate holds.",
    source="NTNU, Shuffle Shenanigans, warp voting",
    buffers=(Input("values"), Output("result")),
    dtypes=("i32",),
    options={"op": ("all", "any", "ballot")},
    claims={"N18": "a vote collects a predicate of all lanes in one instruction; lane 0 is the lowest bit"},
    notes=(
        "Each trip's predicate depends on the last trip's result; votes that do not are optimised away. In a row of "
        "trips the predicate holds in all lanes, in some and in none."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="a byte a lane in shared memory, read by two 16-byte loads; two block barriers",
            shared=a_byte_per_thread,
            per_iteration={"STS": 1, "LDS": 2, "BAR": 2},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="a byte a lane in shared memory, read by two 16-byte loads; two warp barriers",
            shared=a_byte_per_thread,
            per_iteration={"STS": 1, "LDS": 2},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="a byte a lane in volatile shared memory, no barrier: trusts in lock step",
            shared=a_byte_per_thread,
            per_iteration={"STS": 1, "LDS": 2},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="a bit a lane, collected by a butterfly of xor shuffles",
            per_iteration={"SHFL": STEPS},
        ),
        Variant(
            name="vote",
            mechanism=Mechanism.COLLECTIVE,
            summary="one vote instruction",
            # For sm_75 `all` is compiled to a ballot compared with the lanes that run, which is another vote a pass.
            per_iteration=lambda _dtype, options: None if options["op"] == "all" else {"VOTE": 1},
        ),
    ),
)

PART = 2**25  # a lane's share of the quarter of all integers in which a warp's numbers lie
STEP = np.uint32(37 * PART)  # odd in parts: a warp comes to each of the 128 parts
FACTOR, SHIFT = np.uint32(0x9E3779B1), np.uint32(7)  # what a vote says moves a warp by less than a part


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.int32]:
    """Draw each warp's numbers within a quarter of all integers, all different, in no order; shape [warps, 32]."""
    parts = rng.permuted(np.tile(np.arange(WARP) * PART, (at.warps, 1)), axis=1)
    numbers = parts + rng.integers(PART, size=parts.shape) + rng.integers(2**32, size=(at.warps, 1))
    return numbers.astype(np.uint32).view(np.int32)


def reference(values: NDArray[np.int32], iterations: int, op: str) -> NDArray[np.int32]:
    """Move each warp's numbers on by STEP and by what the vote on their signs says; shape [warps, 32]."""
    x = values
    for _ in range(iterations):
        said = voted(x < 0, op) * FACTOR >> SHIFT
        x = (x.view(np.uint32) + STEP + said).view(np.int32)
    return x


def voted(predicate: NDArray[np.bool_], op: str) -> NDArray[np.uint32]:
    """Return what each warp's vote says; shape [warps, 1]."""
    if op == "ballot":
        return np.packbits(predicate, axis=1, bitorder="little").view(np.uint32)
    votes = predicate.sum(axis=1, keepdims=True)
    return np.where(votes == WARP if op == "all" else votes > 0, np.uint32(1), np.uint32(0))
