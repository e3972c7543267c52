"""The load/store unit and L1: what a limit knows of requests to memory, and what it assumes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.analysis.limits.units import ExecutionUnit, waits_for_l2
from shflbench.core.model import AccessSpace

if TYPE_CHECKING:
    from shflbench.analysis.limits.counts import Counts
    from shflbench.core.arch import Architecture
    from shflbench.core.model import KernelRequests, TimedCode

RESULTS = {"SHFL": 2, "LDS": 1}  # the operands in front of those that are read
REGISTER = re.compile(r"(?<!U)R\d")  # not RZ, which has no value to read, and no uniform register
CONFLICTING = {"LDS", "STS", "LDSM", "STSM", "ATOMS"}  # whose lanes may access one bank
SPACES = {ExecutionUnit.GLOBAL: AccessSpace.GLOBAL, ExecutionUnit.LOCAL: AccessSpace.LOCAL}


def load_store_clocks(counts: Counts, arch: Architecture, requests: KernelRequests | None) -> float:
    """Return the least clocks per warp and iteration of the load/store unit; 0 if its rate is unknown.

    Each request occupies the unit for a clock. One to global or local memory that touches many lines occupies L1's tags
    for longer. Where nothing accesses these memories, 0: then the rate of the exchange path decides.
    """
    if arch.load_store is None or not SPACES.keys() & counts.certain.keys():
        return 0.0
    clocks = counts.certain.get(ExecutionUnit.EXCHANGE, 0.0) / arch.load_store.value
    for unit, space in SPACES.items():
        if unit in counts.certain:
            lookups = least_lines(requests, space) / arch.l1_tags.value if arch.l1_tags else 0.0
            clocks += counts.certain[unit] * max(1 / arch.load_store.value, lookups)
    return clocks


def register_requests(code: TimedCode) -> float:
    """Return the shuffles and shared-memory loads per iteration that read an operand from a register, at least."""
    certain = (item.instruction for item in code.instructions if item.always and not item.instruction.predicate)
    reading = [item for item in certain if any(map(REGISTER.search, item.operands[RESULTS.get(item.base, 0) :]))]
    return sum(item.base in RESULTS for item in reading) / code.unroll


def least_lines(requests: KernelRequests | None, space: AccessSpace) -> float:
    """Return the lines of 128 bytes that a request to `space` touches, at least; the code alone shows one.

    The source line with the fewest counts, because the compiler may have moved the others out of the loop.
    """
    accesses = requests.accesses if requests and requests.per_iteration else ()
    return max(1.0, min((access.lines or 1.0 for access in accesses if access.space is space), default=1.0))


def match_values(code: TimedCode, requests: KernelRequests | None) -> float:
    """Return the values per iteration that MATCH instructions compare, at least; MATCH.ALL compares one."""
    matches = requests.matches if requests and requests.per_iteration else ()
    distinct = max(1.0, min((match.distinct for match in matches), default=1.0))
    certain = (item.instruction for item in code.instructions if item.always and not item.instruction.predicate)
    values = (distinct if ".ANY" in one.opcode else 1.0 for one in certain if one.base == "MATCH")
    return sum(values) / code.unroll


def best_case(code: TimedCode, requests: KernelRequests | None) -> tuple[str, ...]:
    """Return what a limit assumes where the code does not show what happens."""
    certain = [item.instruction for item in code.instructions if item.always]
    bases = {one.base for one in certain}
    assumed = {
        "no bank conflicts": requests is None and bool(CONFLICTING & bases),
        "loads hit L1": any(one.base in {"LDG", "LD", "LDL"} and not waits_for_l2(one) for one in certain),
        "loads hit L2": any(map(waits_for_l2, certain)),
        "one value per MATCH": requests is None and any(one.base == "MATCH" for one in certain),
        "warps do not diverge": any(".DIV" in one.opcode for one in certain),
        "branches take the shortest path": len(certain) < len(code.instructions),
    }
    return tuple(assumption for assumption, applies in assumed.items() if applies)
