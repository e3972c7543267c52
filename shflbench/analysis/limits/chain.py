"""The time of one warp alone: what stall counts and scoreboard barriers make it wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.model import TimedCode

WARM_UP, PASSES = 2, 6  # passes through the loop; the first ones fill the pipeline


def cycles_per_pass(code: TimedCode, latencies: Mapping[str, int]) -> float:
    """Return the least number of clocks that a warp needs for one pass through the loop.

    `latencies` are the clocks from the issue of an opcode to its result, rounded down; another one that the code waits
    for takes one clock. For BAR, they are those from the arrival of the last warp until the block continues. Only what
    every pass executes counts.
    """
    now, first = 0, 0
    ready: dict[int, int] = {}  # scoreboard barrier → clock at which it is released
    for past in range(PASSES):
        for item in code.instructions:
            if not item.always:
                continue
            control, opcode = item.control, item.instruction.base
            issued = max([now, *(ready.get(number, 0) for number in control.waits)])
            if control.write_barrier is not None:
                done = issued + latencies.get(opcode, 1)
                ready[control.write_barrier] = max(ready.get(control.write_barrier, 0), done)
            if control.read_barrier is not None:
                ready[control.read_barrier] = max(ready.get(control.read_barrier, 0), issued + 1)
            now = issued + max(1, control.stall)
            if opcode == "BAR":
                now = max(now, issued + latencies.get("BAR", 1))
        if past + 1 == WARM_UP:
            first = now
    return (now - first) / (PASSES - WARM_UP)
