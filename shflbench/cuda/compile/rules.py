"""Check a kernel's machine code against what its pattern declares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.core.model import Mechanism
from shflbench.patterns.declare import EXCHANGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import Dtype, Instruction, Loop
    from shflbench.patterns.declare import LaterKernel, Pattern, Variant

_OTHER_NAMES = {"VOTEU": "VOTE", "ATOMSG": "ATOMS", "BARRIER": "BAR", "REDG": "RED", "ATOM": "ATOMG"}
_OTHER_NAMES |= {"LD": "LDG", "ST": "STG"}  # a generic access
_DECLARED_AS = {"CREDUX": "REDUX"}  # minimum and maximum on sm_100; rows keep the name: it is another unit

# Products of matrices: of a warp, of four warps (sm_90), of an SM (sm_100).
_PRODUCTS = (
    *("HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA"),
    *("HGMMA", "IGMMA", "QGMMA", "BGMMA", "UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA"),
)

_STORES, _LOADS = ("STS", "STSM"), ("LDS", "LDSM")  # to and from shared memory; STSM and LDSM: by a warp, as a matrix
_COLLECTIVES = ("VOTE", "REDUX", "CREDUX", "MATCH")

# Of each inner tuple, one opcode must be in the code; otherwise the mechanism is missing.
NEEDED: Mapping[Mechanism, tuple[tuple[str, ...], ...]] = {
    Mechanism.SHFL: (("SHFL",),),
    Mechanism.HYBRID: (_STORES, _LOADS, ("SHFL", *_COLLECTIVES, *_PRODUCTS, "MOVM")),
    Mechanism.SMEM: (_STORES, _LOADS),
    Mechanism.SMEM_UNSAFE: (_STORES, _LOADS),
    Mechanism.COLLECTIVE: (_COLLECTIVES,),
    Mechanism.LOCAL: (("LDL",),),
    Mechanism.ASYNC: (("LDGSTS", "UBLKCP", "UTMALDG"),),
    Mechanism.CLUSTER: (("UCGABAR_ARV",),),
    Mechanism.MATRIX: ((*_PRODUCTS, "MOVM", "LDSM", "STSM"),),
}
# Opcodes that must not be in the code.
FORBIDDEN: Mapping[Mechanism, tuple[str, ...]] = {Mechanism.REGISTER: ("LDL", "STL")}


@dataclass(frozen=True, slots=True)
class ExpectedCode:
    """The machine code that the declaration of a kernel expects."""

    mechanism: Mechanism
    may_fold: bool  # whether the compiler may remove the mechanism
    unroll: int | None  # iterations per pass through the timed loop; None: there is no timed loop
    counts: Mapping[str, int] | None  # exchange instructions per iteration; None: not declared
    opcodes: tuple[str, ...] = ()  # each must be in the code, whatever the mechanism needs

    @classmethod
    def of(cls, pattern: Pattern, variant: Variant, dtype: Dtype, options: Mapping[str, str]) -> ExpectedCode:
        """Return the machine code that a declaration expects."""
        unroll = None if pattern.one_pass else pattern.unroll
        may_fold = variant.folds(options) or pattern.fixed_sizes  # of a file: the mechanism is what the PTX shows
        return cls(variant.mechanism, may_fold, unroll, variant.expected_counts(dtype, options), variant.opcodes)

    def of_later(self, kernel: LaterKernel) -> ExpectedCode:
        """Return the machine code that is expected of a kernel that follows the first one of the variant."""
        return replace(self, opcodes=kernel.opcodes)


def exchanges(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the exchange instructions among `counts`, with one name per kind and without zeros."""
    exchanged: dict[str, int] = {}
    for opcode, count in counts.items():
        name = _OTHER_NAMES.get(opcode, opcode)
        if name in EXCHANGES and count:
            exchanged[name] = exchanged.get(name, 0) + count
    return {name: exchanged[name] for name in EXCHANGES if name in exchanged}


def timed_loop(loops: Sequence[Loop]) -> Loop | None:
    """Return the loop with the largest step: the unrolled loop, not the one for the remaining iterations."""
    return max(loops, key=lambda loop: (loop.unroll, -loop.start), default=None)


def violations(expected: ExpectedCode, sass: Sequence[Instruction], loops: Sequence[Loop]) -> Iterator[str]:
    """Yield one sentence for each expectation that the machine code does not meet."""
    mechanism = expected.mechanism
    present = {_OTHER_NAMES.get(instruction.base, instruction.base) for instruction in sass}
    for choice in () if expected.may_fold else NEEDED.get(mechanism, ()):
        if not present & set(choice):
            yield f"the machine code has no {' or '.join(choice)}: the {mechanism} mechanism was optimized away"
    for opcode in () if expected.may_fold else expected.opcodes:
        if not any(_is(opcode, instruction) for instruction in sass):
            yield f"the machine code has no {opcode}, which the variant must have"
    for opcode in FORBIDDEN.get(mechanism, ()):
        if opcode in present:
            yield f"the machine code has {opcode}, which the {mechanism} mechanism must not use"
    if expected.unroll is not None:
        yield from _of_loop(expected.unroll, expected.counts, loops)


def _is(opcode: str, instruction: Instruction) -> bool:
    """Whether an instruction has an opcode, with all of its modifiers that are named and perhaps more."""
    return f"{instruction.opcode}.".startswith(f"{opcode}.")


def _of_loop(unroll: int, counts: Mapping[str, int] | None, loops: Sequence[Loop]) -> Iterator[str]:
    timed = timed_loop(loops)
    if timed is None:
        yield "the machine code has no loop: the compiler folded or unrolled it away"
        return
    if timed.unroll != unroll:
        steps = ", ".join(str(loop.unroll) for loop in loops)
        yield f"the loop is unrolled by {timed.unroll}, not by the declared {unroll} (steps of all loops: {steps})"
        return
    if counts is None:
        return
    totals = _as_declared({**timed.counts, **dict.fromkeys(EXCHANGES, 0), **exchanges(timed.counts)})
    declared = _as_declared(counts)
    for opcode in dict.fromkeys((*EXCHANGES, *declared)):
        expected = declared.get(opcode, 0)
        if totals.get(opcode, 0) != expected * unroll:
            yield f"the loop has {totals.get(opcode, 0) / unroll:g} {opcode} per iteration, not the declared {expected}"


def _as_declared(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts with one name for instructions that a declaration does not distinguish."""
    merged: dict[str, int] = {}
    for opcode, count in counts.items():
        name = _DECLARED_AS.get(opcode, opcode)
        merged[name] = merged.get(name, 0) + count
    return merged
