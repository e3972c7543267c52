"""The variables in shared memory that an access can reach: those that its address is computed from.

An index beyond the end of an array is a fault of its own, so that an address based on one array never means another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from shflbench.emulator.link.program import Op, Source

DYNAMIC = "dynamic"  # the name of all variables in the dynamic part


@dataclass(slots=True)
class _Base:
    """What a register holds: addresses of these variables, or something else as well."""

    names: frozenset[str] = frozenset()  # in the PTX
    is_other: bool = False


class SharedBases:
    """The variables that the registers of a program point to."""

    def __init__(self, ops: Sequence[Op], unwritten: Collection[int], static: Collection[str]) -> None:
        """Follow addresses from the instructions that name a variable, until no register changes.

        `unwritten` registers hold numbers, as those of the thread do. All variables that are not `static` are names
        of the dynamic part of shared memory.
        """
        self._static = frozenset(static)
        self._bases = {register: _Base(is_other=True) for register in unwritten}
        changed = True
        while changed:
            changed = sum(self._execute(op) for op in ops) > 0

    def of(self, op: Op) -> frozenset[str]:
        """Return the variables that the address of an access is based on; empty if it may be any."""
        if op.place is None or op.place.space != "shared":
            return frozenset()
        if op.place.base is None:
            return self._memory(op.variables)
        base = self._bases.get(op.place.base.number)
        return frozenset() if base is None or base.is_other else self._memory(base.names)

    def _memory(self, names: frozenset[str]) -> frozenset[str]:
        return names if names <= self._static else (names & self._static) | {DYNAMIC}

    def _execute(self, op: Op) -> bool:
        """Add what an instruction writes to its results; return whether that is new."""
        value = self._value(op)
        changed = False
        for slot in op.results:
            if slot is None or value is None:
                continue
            base = self._bases.setdefault(slot.number, _Base())
            changed |= not value.names <= base.names or value.is_other > base.is_other
            base.names |= value.names
            base.is_other |= value.is_other
        return changed

    def _value(self, op: Op) -> _Base | None:
        """Return what the result holds; None while that of an operand is unknown."""
        if not has_role(op.instruction, OpcodeRole.POINTER):
            return _Base(is_other=True)
        operands = [self._operand(source) for source in op.sources if not _is_predicate(source)]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        names = op.variables.union(*(operand.names for operand in known))
        is_choice = has_role(op.instruction, OpcodeRole.CHOICE)
        return _Base(names, not names or any(item.is_other and (is_choice or item.names) for item in known))

    def _operand(self, source: Source) -> _Base | None:
        return self._bases.get(source.number) if isinstance(source, Slot) else _Base(is_other=True)


def _is_predicate(source: Source) -> bool:
    return isinstance(source, Slot) and source.type == "?"
