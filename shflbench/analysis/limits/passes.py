"""The passes of a timed loop through the banks of shared memory and the shuffle network, at least.

The machine code shows the requests to shared memory and their width, and the emulator's counts, which are of the PTX,
how many passes each takes. ptxas may have removed, joined or moved requests, so the two are compared by kind and width.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from shflbench.analysis.limits.units import MATRICES, ExecutionUnit, least_passes, matrices, unit_of
from shflbench.core.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import AccessRequests, Instruction, KernelRequests, ScheduledInstruction, TimedCode

_KINDS = {"LDS": AccessKind.LOAD, "STS": AccessKind.STORE}
_KINDS |= {opcode: _KINDS[access] for opcode, access in MATRICES.items()}
_REGISTER = 32  # bits; a request of fewer bits per lane takes as many passes


def passes(code: TimedCode, requests: KernelRequests | None = None) -> float:
    """Return the passes of one warp in one iteration, on average over its warps where `requests` are known.

    The registers of stores move on a path of their own, one register of all lanes per clock, whichever lanes are
    active (`benchmarks/wavefronts.md`); where that takes longer than the banks, its clocks count.
    """
    total, stored = 0.0, 0.0
    groups: dict[tuple[AccessKind, int], list[ScheduledInstruction]] = defaultdict(list)
    for item in code.instructions:
        if requests is not None and item.instruction.base in _KINDS:
            groups[_KINDS[item.instruction.base], _bits(item.instruction)].append(item)
        elif _is_certain(item) and unit_of(item.instruction) is ExecutionUnit.EXCHANGE:
            total += least_passes(item.instruction) / code.unroll
    for (kind, bits), items in groups.items():
        if requests is not None:
            number, taken = _of_group(items, code.unroll, _emulated(requests, kind, bits), requests.warps)
            total += taken
            stored += number * _registers(items) if kind is AccessKind.STORE else 0.0
    return max(total, stored)


def _of_group(
    items: Sequence[ScheduledInstruction], unroll: int, emulated: Sequence[AccessRequests], warps: int
) -> tuple[float, float]:
    """Return the number of all loads, or all stores, of one width, and their passes.

    Where machine code and PTX have equally many, each is the other's. Otherwise each that every pass executes takes
    as many passes as the request of the PTX that takes the fewest.
    """
    if math.isclose(len(items) / unroll, sum(access.most_requests for access in emulated), rel_tol=1e-9):
        number = sum(access.requests for access in emulated) / warps
        return number, sum(access.requests * (access.passes or 0) for access in emulated) / warps
    certain = [item.instruction for item in items if _is_certain(item)]
    number = len(certain) / unroll
    fewest = min((access.fewest_passes or 0 for access in emulated), default=None)
    return number, sum(map(least_passes, certain)) / unroll if fewest is None else number * fewest


def _emulated(requests: KernelRequests, kind: AccessKind, bits: int) -> list[AccessRequests]:
    return [
        access
        for access in requests.accesses
        if (access.space, access.kind, max(access.bits, _REGISTER)) == (AccessSpace.SHARED, kind, bits)
    ]


def _registers(items: Sequence[ScheduledInstruction]) -> float:
    """Return the registers per lane of a request, on average."""
    stores = [item.instruction for item in items]
    numbers = [matrices(one) if one.base in MATRICES else _bits(one) // _REGISTER for one in stores]
    return sum(numbers) / len(numbers)


def _bits(instruction: Instruction) -> int:
    is_wide = ".128" in instruction.opcode or instruction.base in MATRICES
    return 128 if is_wide else 64 if ".64" in instruction.opcode else _REGISTER


def _is_certain(item: ScheduledInstruction) -> bool:
    """Whether each pass through the loop executes an instruction in full warps."""
    return item.always and not item.instruction.predicate
