"""The time of one warp alone: what stall counts and scoreboard barriers make it wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shflbench.analysis.limits.units import waits_for_l2

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from shflbench.core.model import Instruction, ScheduledInstruction, TimedCode

WARM_UP, PASSES = 2, 6  # passes through the loop; the first ones fill the pipeline
BARRIERS = 7  # of the scoreboard of a warp, by the three bits that name one; the eighth value names none
L2 = "L2"  # in place of the opcode of an instruction whose result L1 cannot hold
BARRIER = "BAR"
# Keys of latencies that are no scoreboard's: fences, and the wait for the barrier of a cluster.
FENCE, SYSTEM_FENCE, CLUSTER_WAIT = "fence", "system fence", "cluster wait"
# What cannot issue before the barrier in front of it is complete: accesses to shared memory, and the next barrier.
HELD_BACK = {BARRIER, "LDS", "STS", "LDSM", "STSM", "ATOMS"}


def cycles_per_pass(code: TimedCode, latencies: Mapping[str, int]) -> float:
    """Return the least number of clocks that a warp needs for one pass through the loop.

    `latencies` are the clocks from the issue of an opcode to its result, rounded down; another one that the code waits
    for takes one clock, and so does a predicated one, because all lanes may skip it. For BAR, the latency is that from
    the arrival of the last warp until the block continues, and for `L2`, that of loads and atomics that bypass L1. Only
    what every pass executes counts.

    A BAR stops its warp some clocks after its issue, and the compiler fills these with arithmetic: in the kernels of
    the reference runs, stall counts keep an access to shared memory 6 clocks or more behind a BAR, most of them exactly
    6. So only `HELD_BACK` waits for the barrier here. If all instructions waited, the chain of `broadcast/smem` with
    four values would be 4% longer than its time on an H200.
    """
    now, first, released = 0, 0, 0
    ready = [0] * BARRIERS  # clock at which each scoreboard barrier is released
    certain = [item for item in code.instructions if item.always]
    longer = _stalls(certain, latencies)
    steps = [_Step.of(item, latencies, longer.get(place, 1)) for place, item in enumerate(certain)]
    for past in range(PASSES):
        # Without calls, because this loop takes a third of the time that the limits of a run take.
        for waits, is_held_back, is_barrier, latency, write_barrier, read_barrier, stall in steps:
            issued = now
            for number in waits:
                if ready[number] > issued:  # noqa: PLR1730  (`max` takes twice as long)
                    issued = ready[number]
            if is_held_back and released > issued:
                issued = released
            if write_barrier is not None and issued + latency > ready[write_barrier]:
                ready[write_barrier] = issued + latency
            if read_barrier is not None and issued + 1 > ready[read_barrier]:
                ready[read_barrier] = issued + 1
            now = issued + stall
            if is_barrier:
                released = issued + latency
        if past + 1 == WARM_UP:
            first = now
    return (now - first) / (PASSES - WARM_UP)


class _Step(NamedTuple):
    """What decides when an instruction issues."""

    waits: tuple[int, ...]
    is_held_back: bool
    is_barrier: bool
    latency: int
    write_barrier: int | None
    read_barrier: int | None
    stall: int  # clocks until the next instruction, at least 1

    @classmethod
    def of(cls, item: ScheduledInstruction, latencies: Mapping[str, int], least_stall: int = 1) -> _Step:
        """Return the step of an instruction."""
        control, base = item.control, item.instruction.base
        return cls(
            control.waits,
            base in HELD_BACK,
            base == BARRIER,
            _latency(item.instruction, latencies),
            control.write_barrier,
            control.read_barrier,
            max(least_stall, control.stall),
        )


def _stalls(items: Sequence[ScheduledInstruction], latencies: Mapping[str, int]) -> dict[int, int]:
    """Return the clocks that a warp waits at least for a fence, or for the barrier of its cluster, by place.

    What is issued between the arrival at a barrier and the wait for it is part of the wait.
    """
    stalls: dict[int, int] = {}
    since = 0  # clocks from the last arrival, at least
    for place, item in enumerate(items):
        one = item.instruction
        if one.base == "MEMBAR" and not one.predicate:
            stalls[place] = latencies.get(SYSTEM_FENCE if ".SYS" in one.opcode else FENCE, 1)
            if ".CTA" in one.opcode:
                del stalls[place]
        if one.base == "UCGABAR_WAIT" and not one.predicate:
            stalls[place] = max(1, latencies.get(CLUSTER_WAIT, 1) - since)
        since = 0 if one.base == "UCGABAR_ARV" else since + max(1, item.control.stall, stalls.get(place, 1))
    return stalls


def _latency(instruction: Instruction, latencies: Mapping[str, int]) -> int:
    """Return the clocks until the result of an instruction is there; 1 if unknown, or if all lanes may skip it."""
    arrives_only = ".ARV" in instruction.opcode  # at a barrier, without waiting
    return 1 if instruction.predicate or arrives_only else latencies.get(result_of(instruction), 1)


def results_awaited(code: TimedCode, known: Container[str] = ()) -> tuple[str, ...]:
    """Return whose results a loop waits for, as keys of the latencies of `cycles_per_pass`, sorted, except `known`."""
    waited = {number for item in code.instructions if item.always for number in item.control.waits}
    certain = [item for item in code.instructions if item.always and not item.instruction.predicate]
    results = {
        result_of(item.instruction)
        for item in certain
        if item.control.write_barrier in waited or item.instruction.base == BARRIER
    }
    return tuple(sorted(name for name in results if name not in known))


def result_of(instruction: Instruction) -> str:
    """Return the key of an instruction in the latencies of `cycles_per_pass`: its opcode, or `L2`."""
    return L2 if waits_for_l2(instruction) else instruction.base
