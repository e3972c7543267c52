"""Lower flat code: registers become slots, symbols addresses, opcodes forms.

A register that is written once, by `mov` of a constant or by the sum of two, needs no array: the constant replaces its
uses. So addresses of parameters, which kernels with `__grid_constant__` compute, are known.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.code import FlatCode, FlatInstruction
from shflbench.emulator.link.frames import FRAME
from shflbench.emulator.link.program import MemoryOperand, Op, Slot, Source
from shflbench.emulator.link.registers import CARRY
from shflbench.emulator.link.webs import split_webs
from shflbench.emulator.opcodes.carry import CONSUMERS, sets_carry
from shflbench.emulator.opcodes.forms import Access, Branch, Exit, Nothing, Pure
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import (
    Address,
    Immediate,
    Operand,
    Pair,
    PtxInstruction,
    Register,
    Symbol,
    Vector,
    shorten,
)
from shflbench.errors import EmulatorError, UnsupportedError


def lower(code: FlatCode, parameters: Mapping[str, int]) -> list[Op]:
    """Return the ops of flat code; EmulatorError names an instruction that has no meaning.

    `parameters` are the offsets of the kernel's parameters.
    """
    ops = [_lowered(code, number, flat, parameters) for number, flat in enumerate(code.instructions)]
    return _propagate(split_webs(ops, code.numbering))


def _lowered(code: FlatCode, number: int, flat: FlatInstruction, parameters: Mapping[str, int]) -> Op:
    try:
        return _Lowering(code, flat, parameters).op(number)
    except UnsupportedError:
        raise  # its message quotes the instruction
    except EmulatorError as error:
        raise EmulatorError(f"{shorten(error.message, 200)} in {_quote(flat.instruction)}", error.advice) from error


def _quote(instruction: PtxInstruction) -> str:
    return f"`{instruction.shown}` ({instruction.where})"


class _Lowering:
    def __init__(self, code: FlatCode, flat: FlatInstruction, parameters: Mapping[str, int]) -> None:
        self.code, self.flat, self.frame, self.parameters = code, flat, flat.frame, parameters
        self.instruction: PtxInstruction = flat.instruction
        self.variables: set[str] = set()  # in shared memory, which the instruction names

    def op(self, number: int) -> Op:
        instruction = self.instruction
        form = decode(instruction)
        guard = self._register(instruction.guard, "?") if instruction.guard else None
        target = number
        if isinstance(form, Branch):
            target = self._label()
        elif isinstance(form, Exit):
            if form.returns and self.flat.returns_to:
                form, target = Branch(), self.code.labels[self.flat.returns_to]
        else:
            results, sources, place = self._operands(form)
            return Op(form, results, sources, guard, place, target, instruction, frozenset(self.variables))
        return Op(form, (), (), guard, None, target, instruction)

    def _label(self) -> int:
        operand = self.instruction.operands[0] if len(self.instruction.operands) == 1 else None
        name = operand.name if isinstance(operand, Symbol) else ""
        for candidate in (self.frame.prefix + name, name):
            if candidate in self.code.labels:
                return self.code.labels[candidate]
        raise EmulatorError(f"no label `{shorten(name)}`")

    def _operands(self, form: object) -> tuple[tuple[Slot | None, ...], tuple[Source, ...], MemoryOperand | None]:
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
                return (), (), None  # fences and hints: their operands do not matter
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
                space, address = self._variable(item.name)
                if space == "stack":  # relative to the frame, which the instruction adds
                    address += self.code.layout.stack_start
                return (address + item.offset) % (1 << (8 * np.dtype(type_).itemsize))
            case _:
                raise EmulatorError("an operand is neither a register nor a constant")

    def _register(self, item: Register, type_: str) -> Slot:
        number = self.code.numbering.number(
            item.name if item.name[0] == "%" and not self._declared(item.name) else self.frame.prefix + item.name
        )
        stored = self.code.numbering.types[number]
        if (stored == "?") != (type_ == "?") or (
            stored != "?" and np.dtype(type_).itemsize > np.dtype(stored).itemsize
        ):
            raise EmulatorError(f"the register `{item.name}` does not fit its use")
        if item.negated and type_ != "?":
            raise EmulatorError(f"`!{item.name}` is not a predicate")
        return Slot(number, type_, item.negated)

    def _declared(self, name: str) -> bool:
        return self.frame.prefix + name in self.code.numbering.numbers

    def _variable(self, name: str) -> tuple[str, int]:
        places = self.code.layout.places
        for candidate in (self.frame.name(name), name):
            if candidate in places:
                space, start = places[candidate]
                if space == "shared":
                    self.variables.add(candidate)
                return space, start
        if name in self.parameters:
            return "param", self.parameters[name]
        raise EmulatorError(f"unknown name `{shorten(name)}`")

    def _place(self, form: Access, address: Address) -> MemoryOperand:
        match address.base:
            case Register() as base:
                number = self._register(base, "u4")
                type_ = self.code.numbering.types[number.number]
                return MemoryOperand(Slot(number.number, type_), address.offset, form.space)
            case Immediate(value=value):
                return MemoryOperand(None, value + address.offset, form.space)
            case Symbol(name=name, offset=offset):
                if form.space == "param" and not self.frame.prefix and name in self.parameters:
                    return MemoryOperand(None, self.parameters[name] + offset + address.offset, "param")
                space, start = self._variable(name)
                if space == "stack":
                    frame = Slot(self.code.numbering.number(FRAME), "u8")
                    return MemoryOperand(frame, self.code.layout.stack_start + start + offset + address.offset, "local")
                if space == "function":
                    raise EmulatorError(f"`{shorten(name)}` is a function, not a variable")
                return MemoryOperand(None, start + offset + address.offset, space)


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


def _propagate(ops: list[Op]) -> list[Op]:
    """Return the ops with these registers replaced and their `mov` removed.

    Reading a register before its only write is undefined, so any value is right, and so is the constant.
    """
    writes = Counter(slot.number for op in ops for slot in op.results if slot is not None)
    guards = {op.guard.number for op in ops if op.guard is not None}  # which stay registers
    known: dict[int, _Constant] = {}
    defining: set[int] = set()
    for number, op in enumerate(ops):
        constant = _constant(op, known)
        if constant is not None and writes[constant.register] == 1 and constant.register not in guards:
            known[constant.register] = constant
            defining.add(number)
    return [
        replace(op, form=Nothing(), results=(), sources=()) if number in defining else _substitute(op, known)
        for number, op in enumerate(ops)
    ]


@dataclass(frozen=True, slots=True)
class _Constant:
    """What a register always holds."""

    register: int
    bits: int
    variables: frozenset[str]  # of whose addresses it is computed


def _constant(op: Op, known: Mapping[int, _Constant]) -> _Constant | None:
    """Return the result of an unconditional `mov` of a constant, or `add` of two integers."""
    if op.instruction.opcode not in {"mov", "add"} or not isinstance(op.form, Pure) or op.guard is not None:
        return None
    target = op.results[0] if len(op.results) == 1 else None
    sources = [_value(source, type_, known) for source, type_ in zip(op.sources, op.form.operands, strict=True)]
    constants = [source for source in sources if isinstance(source, int)]
    if target is None or not constants or len(constants) < len(sources):
        return None
    if op.instruction.opcode == "mov":
        bits = constants[0] if len(constants) == 1 else None
    else:
        dtype = np.dtype(target.type)
        bits = sum(constants) % (1 << (8 * dtype.itemsize)) if dtype.kind in "iu" else None
    return None if bits is None else _Constant(target.number, bits, _variables(op, known))


def _substitute(op: Op, known: Mapping[int, _Constant]) -> Op:
    place = op.place
    if place is not None and place.base is not None and place.base.number in known:
        place = replace(place, base=None, offset=place.offset + known[place.base.number].bits)
    types = op.form.operands
    sources = tuple(_value(source, type_, known) for source, type_ in zip(op.sources, types, strict=True))
    return replace(op, sources=sources, place=place, variables=_variables(op, known))


def _variables(op: Op, known: Mapping[int, _Constant]) -> frozenset[str]:
    """Return the variables in shared memory whose addresses an instruction has, with those that registers hold."""
    slots = (*op.sources, op.place.base if op.place is not None else None)
    held = (known[slot.number].variables for slot in slots if isinstance(slot, Slot) and slot.number in known)
    return op.variables.union(*held)


def _value(source: Source, type_: str, known: Mapping[int, _Constant]) -> Source:
    if not isinstance(source, Slot) or source.number not in known:
        return source
    bits = known[source.number].bits
    if type_ == "?":
        return int(bool(bits) != source.negated)
    return bits % (1 << (8 * np.dtype(type_).itemsize))
