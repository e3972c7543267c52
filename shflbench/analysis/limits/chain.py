"""The time of one warp alone: what stall counts and scoreboard barriers make it wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.limits.units import waits_for_l2

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from shflbench.model import Instruction, TimedCode

WARM_UP, PASSES = 2, 6  # passes through the loop; the first ones fill the pipeline
L2 = "L2"  # in place of the opcode of an instruction whose result L1 cannot hold
BARRIER = "BAR"
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
    ready: dict[int, int] = {}  # scoreboard barrier → clock at which it is released
    steps = [
        (item.control, item.instruction.base, _latency(item.instruction, latencies))
        for item in code.instructions
        if item.always
    ]
    for past in range(PASSES):
        for control, opcode, latency in steps:
            issued = max([now, *(ready.get(number, 0) for number in control.waits)])
            if opcode in HELD_BACK:
                issued = max(issued, released)
            if control.write_barrier is not None:
                ready[control.write_barrier] = max(ready.get(control.write_barrier, 0), issued + latency)
            if control.read_barrier is not None:
                ready[control.read_barrier] = max(ready.get(control.read_barrier, 0), issued + 1)
            now = issued + max(1, control.stall)
            if opcode == BARRIER:
                released = issued + latency
        if past + 1 == WARM_UP:
            first = now
    return (now - first) / (PASSES - WARM_UP)


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
