"""Predict the time of a launch: a simulation of one SM for a timed loop, rates of memory for a kernel of one pass.

A prediction is no bound: it may be too high or too low. It has constants of one GPU (`constants.py`). Where it would
be a guess, there is none, and a reason.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from shflbench.analysis.limits.constants import DEFAULTS
from shflbench.analysis.limits.loop_steps import refusal, steps_of
from shflbench.analysis.limits.simulation import PARTS, Simulation, StepKind, occupancy_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.analysis.limits.simulation import Step
    from shflbench.core.model import KernelRequests, TimedCode

WARP = 32
WARM_UP, PASSES = 2, 4  # passes to start with, and passes to measure
SIMULATED_WAVES, LATER_PASSES = 2, 3  # of more waves, and passes to measure in these
LONG = 600  # instructions of a pass: one of a longer loop is enough
L1_BYTES = 100_000  # that local memory may take: `lane-array` and `private-array` are slower from 131 KB on


@dataclass(frozen=True, slots=True)
class PredictedLaunch:
    """A launch, and how many of its blocks an SM executes at a time."""

    grid: int
    block: int
    sms: int
    resident_blocks: int
    clock_mhz: float
    iterations: int = 1
    local_bytes: int = 0  # local memory per thread
    is_repeated: bool = False  # whether a sample consists of several launches, one after another

    @property
    def warps_per_block(self) -> int:
        """The warps of a block."""
        return math.ceil(self.block / WARP)

    @property
    def blocks(self) -> int:
        """The blocks that the busiest SM executes."""
        return math.ceil(self.grid / self.sms)

    @property
    def warps(self) -> int:
        """The warps that the busiest SM executes at a time."""
        return min(self.blocks, self.resident_blocks) * self.warps_per_block

    @property
    def waves(self) -> int:
        """How many times the busiest SM starts a set of blocks, one after another."""
        return math.ceil(self.blocks / self.resident_blocks)


class PredictionKind(StrEnum):
    """How a time is predicted."""

    LOOP = "loop"  # simulated: a timed loop that every warp passes through alike
    BRANCHES = "branches"  # simulated: one with branches or inner loops
    PRICES = "prices"  # of a timed loop: the prices of its instructions
    MEMORY = "memory"  # of one pass: the rates of memory
    LAUNCH = "launch"  # of one pass: the prices of its instructions
    SEQUENCE = "sequence"  # likewise, of several kernels


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted time; None where there is none, of which `reason` says why."""

    us: float | None
    cycles: float | None = None  # per iteration of a timed loop, over all waves
    reason: str = ""
    kind: PredictionKind = PredictionKind.LOOP


def predict(
    code: TimedCode,
    launch: PredictedLaunch,
    requests: KernelRequests | None = None,
    constants: PredictionConstants = DEFAULTS,
) -> Prediction:
    """Return the predicted time of a launch of a kernel with a timed loop.

    `requests` of the loop to memory, which the emulator counts, replace the passes of accesses without conflicts.
    """
    if reason := refusal(code, requests) or overflow(code, launch):
        return Prediction(None, reason=reason)
    warps = min(launch.blocks, launch.resident_blocks) * launch.warps_per_block
    steps = steps_of(code, warps, requests, constants)
    if launch.waves == 1:
        clocks = _clocks_of_wave(steps, launch.warps_per_block, launch.blocks, constants)
    else:
        clocks = _clocks_of_waves(steps, launch.warps_per_block, launch.blocks, launch.resident_blocks, constants)
    cycles = clocks / code.unroll
    return Prediction(cycles * launch.iterations / launch.clock_mhz + overhead_us(launch, constants), cycles)


def overhead_us(launch: PredictedLaunch, constants: PredictionConstants) -> float:
    """Return the time of a launch that no iteration takes, in µs."""
    spread = constants.many_blocks_us * min(1.0, launch.grid / launch.sms)
    starts = launch.warps * constants.warp_us + (launch.waves - 1) * constants.wave_us
    saved = constants.one_pass_us - constants.repeated_us if launch.is_repeated else 0.0
    return constants.launch_us + spread + starts - saved


def overflow(code: TimedCode, launch: PredictedLaunch) -> str:
    """Return a reason where the local memory of all resident threads does not fit in L1."""
    threads = min(launch.blocks, launch.resident_blocks) * launch.block
    uses_local = any(item.instruction.base in {"LDL", "STL"} for item in code.instructions)
    return "L1 does not hold its local memory" if uses_local and threads * launch.local_bytes > L1_BYTES else ""


@lru_cache(maxsize=1024)
def _clocks_of_wave(
    steps: tuple[Step, ...], warps_per_block: int, blocks: int, constants: PredictionConstants
) -> float:
    """Return the clocks per pass of blocks that all start at once."""
    return max(
        _slopes(steps, warps_per_block, blocks, constants)[-1], *_demands(steps, warps_per_block, blocks, constants)
    )


@lru_cache(maxsize=1024)
def _clocks_of_waves(
    steps: tuple[Step, ...], warps_per_block: int, blocks: int, resident: int, constants: PredictionConstants
) -> float:
    """Return the clocks per pass of more blocks than an SM executes at a time; one starts where another one ends."""
    waves, rest = divmod(blocks, resident)
    simulated = min(waves, SIMULATED_WAVES)
    clocks = _slopes(steps, warps_per_block, resident, constants, (simulated - 1) * resident + rest)[-1]
    if waves > simulated:
        whole = _slopes(steps, warps_per_block, resident, constants, (simulated - 1) * resident)[-1]
        clocks += (waves - simulated) * whole / simulated
    return max(clocks, *_demands(steps, warps_per_block, blocks, constants))


def _slopes(
    steps: tuple[Step, ...], warps_per_block: int, resident: int, constants: PredictionConstants, later: int = 0
) -> list[float]:
    """Return the clocks per pass until each block ended, in this order."""
    passes = 1 if len(steps) > LONG else PASSES if not later else LATER_PASSES
    ends = []
    for count in (WARM_UP, WARM_UP + passes):
        simulation = Simulation(steps, warps_per_block, resident, constants, later)
        simulation.run(count)
        ends.append(simulation.ends)
    return [(end - start) / passes for start, end in zip(*ends, strict=True)]


def _demands(
    steps: Sequence[Step], warps_per_block: int, blocks: int, constants: PredictionConstants
) -> Iterator[float]:
    warps = warps_per_block * blocks
    sent = (
        occupancy_of(step, place, warps_per_block)
        for step in steps
        for place in range(warps_per_block)
        if step.kind is StepKind.REQUEST
    )
    per_part = math.ceil(warps / PARTS)
    yield per_part * float(len(steps))
    yield blocks * sum(sent)
    yield warps * constants.barrier_per_warp * sum(step.kind is StepKind.BARRIER for step in steps)
    for unit in {step.unit for step in steps if step.unit}:
        yield per_part * sum(step.occupancy for step in steps if step.unit == unit)
