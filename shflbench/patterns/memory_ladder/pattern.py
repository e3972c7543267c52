"""Access each level of the memory hierarchy: follow a ring of slots that lies in one level."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

Integers = NDArray[np.integer]

STEP = 11  # slots per iteration; odd, so that a chain visits all 32
MAX_WORDS = 2**31  # that a slot can address


def chains(at: Setting) -> int:
    """Return the number of independent chains of loads per lane."""
    return at.whole("chains")


def one_per_chain(opcode: str) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Expect one such instruction per iteration and chain."""
    return lambda _, options: {opcode: int(options["chains"])}


def far_words(at: Setting) -> int:
    """Return the number of words in the lines of all warps; ValueError if a slot cannot address them all."""
    words = at.threads * at.whole("lines")
    if words > MAX_WORDS:
        raise ValueError(
            f"{at.warps} warps with {at.whole('lines')} lines each need more than 2^31 words; reduce either number"
        )
    return words


PATTERN = Pattern(
    summary=(
        "A ladder is one access at each level of the memory hierarchy: each lane follows a ring of 32 slots, each of "
        "which holds the position of the next one (pointer chasing)."
    ),
    source="NTNU, Shuffle Shenanigans; Acceleware, Kepler's SHUFFLE",
    dtypes=("i32",),
    representative={"launch": "2*sms x 1024", "chains": "4", "lines": "256"},
    buffers=(
        Input("start"),
        Input("rings", elements=lambda at: at.threads * chains(at)),
        Input("far", elements=far_words),
        Output("end"),
    ),
    scalars=(Scalar("step", lambda _: STEP, "f32"), Scalar("one", lambda _: 1, "f32")),
    options={"chains": ("1", "4"), "lines": ("64", "256", "8192")},
    notes=(
        "The option `chains` is the number of independent chains per lane. With one chain and one warp per SM, the "
        "time per iteration is the latency of the memory; with four chains and fully occupied SMs, it shows the "
        "throughput. The option `lines` applies to `dram` only: it is the number of 128-byte lines that each warp "
        "reads, one per iteration and chain. The lines come from DRAM only if the lines of all warps together are at "
        "least twice the size of L2 and the launch has at least `lines` iterations; otherwise, they come from L2. "
        "`register`, `fma` and `dfma` compute the position of the next slot instead of loading it: the argument `step` "
        "is the distance to the next slot, and the argument `one` is the factor of the multiply-add. In addition to "
        "the load, `l1`, `l2` and `dram` execute one instruction per iteration that converts the slot to an address."
    ),
    launch_bounds=True,
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="the ring in shared memory, without bank conflicts",
            arguments=("start", "rings", "end", "iterations"),
            shared=lambda at: at.block * chains(at) * at.dtype.size,
            per_iteration=one_per_chain("LDS"),
        ),
        Variant(
            name="register",
            mechanism=Mechanism.REGISTER,
            summary="the next slot computed by a single-precision addition (`FADD`)",
            arguments=("start", "end", "step", "iterations"),
            per_iteration=one_per_chain("FADD"),
        ),
        Variant(
            name="fma",
            mechanism=Mechanism.REGISTER,
            summary="the next slot computed by a single-precision fused multiply-add (`FFMA`)",
            kernel="memory_ladder_multiply_add<{T}, float>",
            arguments=("start", "end", "step", "one", "iterations"),
            per_iteration=one_per_chain("FFMA"),
        ),
        Variant(
            name="dfma",
            mechanism=Mechanism.REGISTER,
            summary="the next slot computed by a double-precision fused multiply-add (`DFMA`)",
            kernel="memory_ladder_multiply_add<{T}, double>",
            arguments=("start", "end", "step", "one", "iterations"),
            per_iteration=one_per_chain("DFMA"),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="the ring distributed over the registers of the lanes",
            arguments=("start", "rings", "end", "iterations"),
            per_iteration=one_per_chain("SHFL"),
        ),
        Variant(
            name="l1",
            mechanism=Mechanism.GLOBAL,
            summary="the ring in global memory, cached in L1",
            arguments=("start", "rings", "end", "iterations"),
            per_iteration=one_per_chain("LDG"),
        ),
        Variant(
            name="l2",
            mechanism=Mechanism.GLOBAL,
            summary="the ring in global memory, cached in L2 only (`__ldcg`)",
            waits_for_memory=True,
            arguments=("start", "rings", "end", "iterations"),
            per_iteration=one_per_chain("LDG"),
        ),
        Variant(
            name="dram",
            mechanism=Mechanism.GLOBAL,
            summary="a different 128-byte line of global memory in each iteration, not cached in L1 (`__ldcg`)",
            waits_for_memory=True,
            arguments=("start", "far", "end", "iterations"),
            per_iteration=one_per_chain("LDG"),
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> tuple[Integers, Integers, Integers]:
    """Draw the slot at which each lane starts, and link the slots of `rings` and of `far`."""
    slots = np.arange(WARP, dtype="i4")
    start = rng.permuted(np.tile(slots, (at.warps, 1)), axis=1)
    rings = np.arange(at.warps * chains(at), dtype="i4")[:, None] * WARP + (slots + STEP) % WARP
    lines = at.whole("lines")
    jump = round(lines * 0.618) | 1  # odd: a chain visits every line; near the golden ratio: no two lines in a row
    next_line = (np.arange(lines, dtype="i4") + jump) % lines
    base = np.arange(at.warps, dtype="i4")[:, None, None] * (lines * WARP)
    far = base + next_line[:, None] * WARP + (slots + STEP) % WARP
    return start, rings.ravel(), far.ravel()


def reference(start: Integers, _rings: Integers, _far: Integers, iterations: int, chains: str, **_: str) -> Integers:
    """Take steps of 11 around 32 slots from `start` (shape [warps, 32]); chain k starts k slots further on.

    All rings are equal, so none is read.
    """
    ends = [(start + chain + STEP * iterations) % WARP << 5 * chain for chain in range(int(chains))]
    return np.asarray(sum(ends), "i4")
