"""Count what an iteration of a timed loop asks of each unit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.passes import passes
from shflbench.analysis.limits.units import ExecutionUnit, unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.core.model import KernelRequests, TimedCode


@dataclass(frozen=True, slots=True)
class Counts:
    """What one warp does in one iteration, on average over the iterations of a pass through the loop."""

    instructions: float  # issue slots
    units: Mapping[ExecutionUnit, float]  # instructions per unit, without zeros, in the order of `ExecutionUnit`
    passes: float  # through the banks of shared memory and the shuffle network, at least
    certain: Mapping[ExecutionUnit, float]  # likewise, but only what every pass executes in full warps
    certain_instructions: float
    unknown: tuple[str, ...]  # opcodes that no unit is known for


def count(code: TimedCode, requests: KernelRequests | None = None) -> Counts:
    """Return the counts of a timed loop; `requests` of its kernel, if known, give the passes through the banks."""
    units, certain = Counter[ExecutionUnit](), Counter[ExecutionUnit]()
    unknown = set()
    for item in code.instructions:
        unit = unit_of(item.instruction)
        if unit is None:
            unknown.add(item.instruction.base)
            continue
        units[unit] += 1
        if item.always and not item.instruction.predicate:
            certain[unit] += 1
    issued = sum(item.always for item in code.instructions)
    return Counts(
        instructions=len(code.instructions) / code.unroll,
        units=_per_iteration(units, code.unroll),
        passes=passes(code, requests),
        certain=_per_iteration(certain, code.unroll),
        certain_instructions=issued / code.unroll,
        unknown=tuple(sorted(unknown)),
    )


def _per_iteration(counts: Mapping[ExecutionUnit, int], unroll: int) -> dict[ExecutionUnit, float]:
    return {unit: counts[unit] / unroll for unit in ExecutionUnit if counts.get(unit)}
