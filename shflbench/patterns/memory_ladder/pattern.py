"""Walks around a ring of slots that lies on one rung of the memory hierarchy."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

Integers = NDArray[np.integer]

STEP = 11  # slots a trip; odd, so that a walk meets all 32
MOST_WORDS = 2**31  # that the slots can number


def chains(at: Setting) -> int:
    """Return how many walks a lane goes on at a time."""
    return at.whole("chains")


def one_a_chain(opcode: str) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Promise one such instruction a trip for each chain."""
    return lambda _, options: {opcode: int(options["chains"])}


def far_words(at: Setting) -> int:
    """Return how many words the lines of all warps have; ValueError if they are more than the slots can number."""
    words = at.threads * at.whole("lines")
    if words > MOST_WORDS:
        raise ValueError(f"{at.warps} warps with {at.whole('lines')} lines each need more than 2^31 words: take fewer")
    return words


PATTERN = Pattern(
    summary="Each lane walks around a ring of 32 slots, and only the slot it is in says where the next one is.",
    source="NTNU, Shuffle Shenanigans; Acceleware, Kepler's SHUFFLE",
    dtypes=("i32",),
    buffers=(
        Input("start"),
        Input("rings", elements=lambda at: at.threads * chains(at)),
        Input("far", elements=far_words),
        Output("end"),
    ),
    scalars=(Scalar("step", lambda _: STEP, "f32"), Scalar("one", lambda _: 1, "f32")),
    options={"chains": ("1", "4"), "lines": ("64", "256", "8192")},
    claims={
        "A04": "registers and shared memory are the two fastest memories",
        "N06": "shared memory is roughly 100 times as fast as main memory",
        "N09": "double precision is 32 times slower on a consumer GPU, twice on an enterprise one",
        "N10": "a shuffle is an extremely cheap instruction",
    },
    notes=(
        "`chains` is the number of independent walks of a lane: with one, and one warp an SM, a trip takes the latency "
        "of the rung; with four and full SMs it shows the throughput. `lines` concerns `dram` alone: the lines of 128 "
        "bytes that each warp walks through, a new one each trip. They come from DRAM only if all warps' lines, and as "
        "many trips, are at least twice what L2 holds; with fewer it is a rung of L2. "
        "`register`, `fma` and `dfma` compute what the others look up. In `l1`, `l2` and `dram` the trip has, beside "
        "the load, one instruction that makes an address of the slot's number."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="the ring in shared memory, without bank conflicts",
            arguments=("start", "rings", "end", "iterations"),
            shared=lambda at: at.block * chains(at) * at.dtype.size,
            per_iteration=one_a_chain("LDS"),
        ),
        Variant(
            name="register",
            mechanism=Mechanism.REGISTER,
            summary="the next slot by a single-precision addition",
            arguments=("start", "end", "step", "iterations"),
            per_iteration=one_a_chain("FADD"),
        ),
        Variant(
            name="fma",
            mechanism=Mechanism.REGISTER,
            summary="the next slot by a single-precision fused multiply-add",
            kernel="memory_ladder_multiply_add<{T}, float>",
            arguments=("start", "end", "step", "one", "iterations"),
            per_iteration=one_a_chain("FFMA"),
        ),
        Variant(
            name="dfma",
            mechanism=Mechanism.REGISTER,
            summary="the next slot by a double-precision fused multiply-add",
            kernel="memory_ladder_multiply_add<{T}, double>",
            arguments=("start", "end", "step", "one", "iterations"),
            per_iteration=one_a_chain("DFMA"),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="the ring in the registers of the warp's lanes",
            arguments=("start", "rings", "end", "iterations"),
            per_iteration=one_a_chain("SHFL"),
        ),
        Variant(
            name="l1",
            mechanism=Mechanism.GLOBAL,
            summary="the ring in global memory, cached in L1",
            arguments=("start", "rings", "end", "iterations"),
            per_iteration=one_a_chain("LDG"),
        ),
        Variant(
            name="l2",
            mechanism=Mechanism.GLOBAL,
            summary="the ring in global memory, cached in L2 only",
            arguments=("start", "rings", "end", "iterations"),
            per_iteration=one_a_chain("LDG"),
        ),
        Variant(
            name="dram",
            mechanism=Mechanism.GLOBAL,
            summary="another line of global memory each trip",
            arguments=("start", "far", "end", "iterations"),
            per_iteration=one_a_chain("LDG"),
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> tuple[Integers, Integers, Integers]:
    """Draw where the lanes start, a slot each; and link the slots of `rings` and of `far`."""
    slots = np.arange(WARP, dtype="i4")
    start = rng.permuted(np.tile(slots, (at.warps, 1)), axis=1)
    rings = np.arange(at.warps * chains(at), dtype="i4")[:, None] * WARP + (slots + STEP) % WARP
    lines = at.whole("lines")
    jump = (
        round(lines * 0.618) | 1
    )  # odd, so that a walk meets every line; near the golden ratio, so that no two follow
    next_line = (np.arange(lines, dtype="i4") + jump) % lines
    base = np.arange(at.warps, dtype="i4")[:, None, None] * (lines * WARP)
    far = base + next_line[:, None] * WARP + (slots + STEP) % WARP
    return start, rings.ravel(), far.ravel()


def reference(start: Integers, _rings: Integers, _far: Integers, iterations: int, chains: str, **_: str) -> Integers:
    """Walk steps of 11 around 32 slots from `start` (shape [warps, 32]), chain k from k slots further on.

    All rings agree, so that none is read.
    """
    ends = [(start + walk + STEP * iterations) % WARP << 5 * walk for walk in range(int(chains))]
    return np.asarray(sum(ends), "i4")
