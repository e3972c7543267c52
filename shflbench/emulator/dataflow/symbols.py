"""Values of registers as expressions over those at a start, each with a number: equal numbers are equal values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.emulator.link.program import Slot
from shflbench.emulator.machine.collective import constant
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Hashable

    from shflbench.emulator.link.program import Op, Source
    from shflbench.emulator.opcodes.forms import Pure

Registers = dict[int, int]  # the numbers of the values of those that differ from the start


class Expressions:
    """Numbers of expressions, and the bits of those that are constants."""

    def __init__(self) -> None:
        """Start without expressions."""
        self._numbers: dict[Hashable, int] = {}
        self._bits: dict[int, int] = {}

    def number(self, *expression: Hashable) -> int:
        """Return the number of an expression."""
        return self._numbers.setdefault(expression, len(self._numbers))

    def constant(self, bits: int) -> int:
        """Return the number of a constant."""
        number = self.number("constant", bits)
        self._bits[number] = bits
        return number

    def of(self, registers: Registers, register: int) -> int:
        """Return the number of a register's value: that at the start if nothing has written it."""
        number = registers.get(register)
        return self.number("register", register) if number is None else number

    def operand(self, registers: Registers, source: Source) -> int:
        """Return the number of the value of an operand."""
        if not isinstance(source, Slot):
            return self.constant(source)
        number = self.of(registers, source.number)
        bits = self._bits.get(number)
        if bits is None:
            return self.number("as", number, source.type, source.negated)
        if source.type == "?":
            return self.constant(int(bool(bits) != source.negated))
        return self.constant(bits % (1 << 8 * np.dtype(source.type).itemsize))

    def holds(self, registers: Registers, guard: Slot) -> bool | None:
        """Return whether a predicate holds; None if it is no constant."""
        bits = self._bits.get(self.operand(registers, guard))
        return None if bits is None else bool(bits)

    def execute(self, registers: Registers, op: Op) -> None:
        """Write the results of an instruction of one thread."""
        holds = True if op.guard is None else self.holds(registers, op.guard)
        if holds is False:
            return
        results = self._results(registers, op)
        for slot, result in zip(op.results, results, strict=True):
            if slot is None:
                continue
            old, value = self.of(registers, slot.number), result
            if holds is None and op.guard is not None:
                value = self.number("either", self.operand(registers, op.guard), result, old)
            registers[slot.number] = value

    def _results(self, registers: Registers, op: Op) -> list[int]:
        operands = [self.operand(registers, source) for source in op.sources]
        bits = [self._bits[number] for number in operands if number in self._bits]
        if len(bits) == len(operands):
            return [self.constant(result) for result in _computed(op, bits)]
        words = op.instruction.opcode, op.instruction.modifiers
        if has_role(op.instruction, OpcodeRole.COPY) and len(operands) == len(op.results) == 1:
            return operands
        return [self.number(*words, place, *operands) for place in range(len(op.results))]


def _computed(op: Op, bits: list[int]) -> list[int]:
    """Return the bits of the results of an instruction of constants."""
    form: Pure = op.form  # type: ignore[assignment]
    operands = [np.array([constant(item, type_)]) for item, type_ in zip(bits, form.operands, strict=True)]
    results = [np.zeros(1, type_) for type_ in form.results]
    with np.errstate(all="ignore"):
        form.apply(*operands, *results)
    return [int(result.view(f"u{result.dtype.itemsize}")[0]) for result in results]
