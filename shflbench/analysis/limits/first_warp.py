"""The time of the first warp of a kernel of one pass, which nothing hides: what it waits for, one wait after another.

The code is followed once, in the order of its addresses, without branches: kernels whose loops load have no prediction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.core.model import OnePassCode

SCOREBOARDS = 7  # by the three bits that name one
LOADS = {"LDG", "LD", "LDGSTS"}
OPERANDS_READ = 15.0  # clocks until a source register may be written
OTHER = 20.0  # of special functions and other results that code waits for by a scoreboard


def first_warp_clocks(code: OnePassCode, load_latency: float, constants: PredictionConstants) -> float:
    """Return the clocks from the first instruction of a warp to its end; `load_latency` is of L2 or DRAM."""
    latencies = {"SHFL": constants.shfl_latency, "LDS": constants.lds_latency, **dict.fromkeys(LOADS, load_latency)}
    released, now = [0.0] * SCOREBOARDS, 0.0
    copies: list[float] = []  # clock at which each group of asynchronous copies is there
    for item in code.every.instructions:
        one, control = item.instruction, item.control
        now = max(now, *(released[number] for number in control.waits), 0.0)
        if one.base == "EXIT" and not one.predicate:
            break
        if (number := control.write_barrier) is not None:
            released[number] = max(released[number], now + latencies.get(one.base, OTHER))
        if (number := control.read_barrier) is not None:
            released[number] = max(released[number], now + OPERANDS_READ)
        if one.base == "LDGDEPBAR":
            copies.append(now + load_latency)
        elif one.opcode == "DEPBAR.LE" and (awaited := copies[: len(copies) - int(one.operands[1], 0)]):
            now = max(now, awaited[-1])
        now += max(1, control.stall) + (constants.barrier_release if one.base == "BAR" else 0.0)
    return now
