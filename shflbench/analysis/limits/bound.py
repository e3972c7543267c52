"""The least number of clocks per iteration that the hardware allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.chain import cycles_per_pass
from shflbench.analysis.limits.counts import count
from shflbench.analysis.limits.units import ExecutionUnit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.analysis.limits.counts import Counts
    from shflbench.arch import Architecture, Figure
    from shflbench.model import TimedCode

ISSUE, LATENCY = "issue", "latency"  # limits that are no unit's
WARP = 32


@dataclass(frozen=True, slots=True)
class Residency:
    """The warps that the busiest SM executes."""

    warps_per_block: int
    warps: int  # in total, over all waves
    waves: int = 1  # one after another, at least

    @classmethod
    def of(cls, grid: int, block: int, sms: int, resident_blocks: int | None = None) -> Residency:
        """Return the warps of a launch; `resident_blocks` are those of one SM at a time, None if unknown."""
        per_block = math.ceil(block / WARP)
        blocks = math.ceil(grid / sms)
        return cls(per_block, blocks * per_block, math.ceil(blocks / resident_blocks) if resident_blocks else 1)


@dataclass(frozen=True, slots=True)
class Limit:
    """A lower bound for the clocks per iteration."""

    cycles: float
    by: str  # what sets it: a unit, `issue` or `latency`
    parts: Mapping[str, float]  # the bound of each
    omitted: tuple[str, ...]  # what no figure of the architecture is known for, so that it does not count


def limit(code: TimedCode, arch: Architecture, residency: Residency) -> Limit | None:
    """Return the limit of a timed loop; None if it contains an opcode that no unit is known for."""
    counts = count(code)
    if counts.unknown:
        return None
    parts = {name: residency.warps * cycles for name, cycles in _throughput(counts, arch)}
    parts[LATENCY] = residency.waves * cycles_per_pass(code, _latencies(arch)) / code.unroll
    by = max(parts, key=lambda name: parts[name])
    needed = (ISSUE, *(unit for unit in counts.certain if unit is not ExecutionUnit.OTHER))
    omitted = tuple(name for name in needed if name not in parts)
    return Limit(parts[by], by, parts, omitted)


def _throughput(counts: Counts, arch: Architecture) -> Iterator[tuple[str, float]]:
    """Yield the clocks per warp and iteration that each unit needs."""
    if arch.issue and arch.sub_partitions:
        yield ISSUE, counts.certain_instructions / (arch.issue.value * arch.sub_partitions.value)
    rates: dict[ExecutionUnit, Figure[float] | None] = {
        ExecutionUnit.BARRIER: arch.barrier,
        ExecutionUnit.VOTE: arch.vote,
        ExecutionUnit.REDUX: arch.redux,
        ExecutionUnit.FP32: arch.fp32,
        ExecutionUnit.FP64: arch.fp64,
        ExecutionUnit.HALF2: arch.half2,
        ExecutionUnit.INTEGER: _faster(arch.int32_add, arch.int32_logic),
        ExecutionUnit.SPECIAL: arch.special,
        ExecutionUnit.CONVERSION: arch.conversion,
    }
    for unit, rate in rates.items():
        if rate and unit in counts.certain:
            yield unit, counts.certain[unit] / rate.value
    if ExecutionUnit.EXCHANGE in counts.certain and (path := arch.exchange or arch.shared_memory):
        yield ExecutionUnit.EXCHANGE, counts.passes / path.value


def _faster(one: Figure[float] | None, other: Figure[float] | None) -> Figure[float] | None:
    """Return the higher of two rates; None if one is unknown."""
    return max(one, other, key=lambda figure: figure.value) if one and other else None


def _latencies(arch: Architecture) -> dict[str, int]:
    known = {"SHFL": arch.shfl_latency, "LDS": arch.lds_latency, "BAR": arch.barrier_constant}
    return {opcode: figure.value for opcode, figure in known.items() if figure}
