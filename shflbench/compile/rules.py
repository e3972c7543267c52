"""Check a kernel's machine code against what its pattern declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.model import Mechanism
from shflbench.patterns.declare import EXCHANGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.model import Dtype, Instruction, Loop
    from shflbench.patterns.declare import Pattern, Variant

_OTHER_NAMES = {"VOTEU": "VOTE", "ATOMSG": "ATOMS", "BARRIER": "BAR", "REDG": "RED", "ATOM": "ATOMG"}
_OTHER_NAMES |= {"LD": "LDG", "ST": "STG"}  # a generic access

# Each inner list: one of these must be in the code, or the mechanism is not there.
NEEDED: Mapping[Mechanism, tuple[tuple[str, ...], ...]] = {
    Mechanism.SHFL: (("SHFL",),),
    Mechanism.SMEM: (("STS",), ("LDS",)),
    Mechanism.SMEM_UNSAFE: (("STS",), ("LDS",)),
    Mechanism.COLLECTIVE: (("VOTE", "REDUX", "CREDUX", "MATCH"),),
    Mechanism.LOCAL: (("LDL",),),
}
# What must not be in the code.
FORBIDDEN: Mapping[Mechanism, tuple[str, ...]] = {Mechanism.REGISTER: ("LDL", "STL")}


@dataclass(frozen=True, slots=True)
class ExpectedCode:
    """What is expected of the machine code of one kernel."""

    mechanism: Mechanism
    may_fold: bool  # whether the compiler may do without the mechanism
    unroll: int | None  # iterations in one pass through the timed loop; None: there is no timed loop
    counts: Mapping[str, int] | None  # exchange instructions per iteration; None: not declared

    @classmethod
    def of(cls, pattern: Pattern, variant: Variant, dtype: Dtype, options: Mapping[str, str]) -> ExpectedCode:
        """Return what the declaration of a kernel says of its machine code."""
        unroll = None if pattern.one_pass else pattern.unroll
        return cls(variant.mechanism, variant.folds(options), unroll, variant.expected_counts(dtype, options))


def exchanges(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the exchange instructions among `counts`, under one name for each kind; zeros left out."""
    exchanged: dict[str, int] = {}
    for opcode, count in counts.items():
        name = _OTHER_NAMES.get(opcode, opcode)
        if name in EXCHANGES and count:
            exchanged[name] = exchanged.get(name, 0) + count
    return {name: exchanged[name] for name in EXCHANGES if name in exchanged}


def timed_loop(loops: Sequence[Loop]) -> Loop | None:
    """Return the loop with the largest step: the unrolled one, and not that for the remaining trips."""
    return max(loops, key=lambda loop: (loop.trips, -loop.start), default=None)


def violations(expected: ExpectedCode, sass: Sequence[Instruction], loops: Sequence[Loop]) -> Iterator[str]:
    """Yield one sentence for each expectation that the machine code does not meet."""
    mechanism = expected.mechanism
    present = {_OTHER_NAMES.get(instruction.base, instruction.base) for instruction in sass}
    for choice in () if expected.may_fold else NEEDED.get(mechanism, ()):
        if not present & set(choice):
            yield f"the machine code has no {' or '.join(choice)}: the {mechanism} mechanism was optimised away"
    for opcode in FORBIDDEN.get(mechanism, ()):
        if opcode in present:
            yield f"the machine code has {opcode}, which the {mechanism} mechanism does without"
    if expected.unroll is not None:
        yield from _of_loop(expected.unroll, expected.counts, loops)


def _of_loop(unroll: int, counts: Mapping[str, int] | None, loops: Sequence[Loop]) -> Iterator[str]:
    timed = timed_loop(loops)
    if timed is None:
        yield "the machine code has no loop: the compiler folded or unrolled it away"
        return
    if timed.trips != unroll:
        steps = ", ".join(str(loop.trips) for loop in loops)
        yield f"the loop is unrolled by {timed.trips}, not by the declared {unroll} (steps found: {steps})"
        return
    if counts is None:
        return
    totals = {**timed.counts, **dict.fromkeys(EXCHANGES, 0), **exchanges(timed.counts)}
    for opcode in dict.fromkeys((*EXCHANGES, *counts)):
        expected = counts.get(opcode, 0)
        if totals.get(opcode, 0) != expected * timed.trips:
            yield f"the loop has {totals.get(opcode, 0) / timed.trips:g} {opcode} a trip, not the declared {expected}"
