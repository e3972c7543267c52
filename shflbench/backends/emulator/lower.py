"""Lower one flat instruction: registers become slots, symbols addresses, the opcode a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Access, Branch, Exit
from shflbench.backends.emulator.opcodes.carry import CONSUMERS, sets_carry
from shflbench.backends.emulator.opcodes.table import decode
from shflbench.backends.emulator.program import Op, Place, Slot
from shflbench.backends.emulator.ptx import Address, Immediate, Pair, Register, Symbol, Vector
from shflbench.backends.emulator.registers import CARRY
from shflbench.errors import EmulatorError
from shflbench.model import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.backends.emulator.link import Flat, Linker
    from shflbench.backends.emulator.program import Source
    from shflbench.backends.emulator.ptx import Instruction, Operand


def lower(linker: Linker, number: int, flat: Flat, parameters: dict[str, int]) -> Op:
    """Return the op for one flat instruction; EmulatorError names what it cannot mean."""
    try:
        return _Lowering(linker, flat, parameters).op(number)
    except EmulatorError as error:
        if flat.instruction.text in error.message:
            raise
        raise EmulatorError(
            f"{error.message} in `{flat.instruction.text}` ({flat.instruction.where})", error.advice
        ) from error


class _Lowering:
    def __init__(self, linker: Linker, flat: Flat, parameters: dict[str, int]) -> None:
        self.linker, self.flat, self.frame, self.parameters = linker, flat, flat.frame, parameters
        self.instruction: Instruction = flat.instruction

    def op(self, number: int) -> Op:
        instruction = self.instruction
        form = decode(instruction)
        guard = self._register(instruction.guard, "?") if instruction.guard else None
        target = number
        if isinstance(form, Branch):
            target = self._label()
        elif isinstance(form, Exit):
            if form.returns and self.flat.returns_to:
                form, target = Branch(), self.linker.labels[self.flat.returns_to]
        else:
            results, sources, place = self._operands(form)
            return Op(form, results, sources, guard, place, target, instruction)
        return Op(form, (), (), guard, None, target, instruction)

    def _label(self) -> int:
        operand = self.instruction.operands[0] if len(self.instruction.operands) == 1 else None
        name = operand.name if isinstance(operand, Symbol) else ""
        for candidate in (self.frame.prefix + name, name):
            if candidate in self.linker.labels:
                return self.linker.labels[candidate]
        raise EmulatorError(f"no label `{name}`")

    def _operands(self, form: object) -> tuple[tuple[Slot | None, ...], tuple[Source, ...], Place | None]:
        result_types: tuple[str, ...] = getattr(form, "results", ())
        operands = list(self.instruction.operands)
        targets = list(_flat(operands.pop(0))) if result_types and operands else []
        place = None
        if isinstance(form, Access):
            address = operands.pop(0) if operands else None
            if not isinstance(address, Address):
                raise EmulatorError("an address is missing")
            place = self._place(form, address)
        sources = [item for operand in operands for item in _flat(operand)]
        if self.instruction.opcode in CONSUMERS:
            sources.append(Register(CARRY))
        if sets_carry(self.instruction):
            targets.append(Register(CARRY))
        types: tuple[str, ...] = getattr(form, "operands", ())
        if len(targets) != len(result_types) or len(sources) != len(types):
            if not types and not result_types and place is None:
                return (), (), None  # fences and hints: whatever they name does not matter
            raise EmulatorError("the number of operands does not fit")
        return (
            tuple(self._result(item, type_) for item, type_ in zip(targets, result_types, strict=True)),
            tuple(self._source(item, type_) for item, type_ in zip(sources, types, strict=True)),
            place,
        )

    def _result(self, item: Operand, type_: str) -> Slot | None:
        if isinstance(item, Register) and not item.negated:
            return None if item.name == "_" else self._register(item, type_)
        raise EmulatorError("a result must be a register")

    def _source(self, item: Operand, type_: str) -> Source:
        match item:
            case Register():
                return self._register(item, type_)
            case Immediate():
                return _bits(item, type_)
            case Symbol(name="WARP_SZ"):
                return WARP
            case Symbol():
                _, address = self._variable(item.name)
                return (address + item.offset) % (1 << (8 * np.dtype(type_).itemsize))
            case _:
                raise EmulatorError("an operand is neither a register nor a constant")

    def _register(self, item: Register, type_: str) -> Slot:
        number = self.linker.numbering.number(
            item.name if item.name[0] == "%" and not self._declared(item.name) else self.frame.prefix + item.name
        )
        stored = self.linker.numbering.types[number]
        if (stored == "?") != (type_ == "?") or (
            stored != "?" and np.dtype(type_).itemsize > np.dtype(stored).itemsize
        ):
            raise EmulatorError(f"the register `{item.name}` does not fit its use")
        if item.negated and type_ != "?":
            raise EmulatorError(f"`!{item.name}` is no predicate")
        return Slot(number, type_, item.negated)

    def _declared(self, name: str) -> bool:
        return self.frame.prefix + name in self.linker.numbering.numbers

    def _variable(self, name: str) -> tuple[str, int]:
        places = self.linker.layout.places
        for candidate in (self.frame.name(name), name):
            if candidate in places:
                return places[candidate]
        raise EmulatorError(f"unknown name `{name}`")

    def _place(self, form: Access, address: Address) -> Place:
        match address.base:
            case Register() as base:
                number = self._register(base, "u4")
                type_ = self.linker.numbering.types[number.number]
                return Place(Slot(number.number, type_), address.offset, form.space)
            case Immediate(value=value):
                return Place(None, value + address.offset, form.space)
            case Symbol(name=name, offset=offset):
                if form.space == "param" and not self.frame.prefix and name in self.parameters:
                    return Place(None, self.parameters[name] + offset + address.offset, "param")
                space, start = self._variable(name)
                return Place(None, start + offset + address.offset, space)


def _flat(item: Operand) -> Iterator[Operand]:
    match item:
        case Vector(items=items):
            for part in items:
                yield from _flat(part)
        case Pair(value=value, predicate=predicate):
            yield value
            yield predicate
        case _:
            yield item


def _bits(item: Immediate, type_: str) -> int:
    """Return the bits of a constant in the operand's type."""
    dtype = np.dtype(type_)
    if type_ == "?":
        return int(bool(item.value))
    if dtype.kind == "f" and item.float_size != dtype.itemsize:
        message = "a floating-point constant has another size than the instruction"
        if item.float_size or type_ != "f2":  # halves are written as integers
            raise EmulatorError(message)
    return item.value % (1 << (8 * dtype.itemsize))
