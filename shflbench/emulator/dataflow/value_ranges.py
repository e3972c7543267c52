"""Bounds on integers that the code itself limits, whatever memory holds: `x & 7`, `x % 10`, a byte, and sums of these.

Intervals and operations on them: Cousot and Cousot, "Static Determination of Dynamic Properties of Programs", 1976.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.emulator.dataflow.index_values import to_signed
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Pure
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source
    from shflbench.emulator.opcodes.forms import Values

_LARGEST = 1 << 30  # numbers of 32 bits below do not overflow where two of them are added
_SAMPLES = 1 << 14  # dividends with which a remainder is recognized, besides those near multiples of the divisor
_MOST_OPS = 24  # from a dividend to its remainder; the compiler needs at most 8


@dataclass(frozen=True, slots=True)
class ValueRange:
    """What a register can hold: integers from `low` to `high`, at most `count` of them."""

    low: int
    high: int
    count: int
    by_type: bool = False  # only the type of loaded memory limits it, such as that of a byte


class AddressRange(NamedTuple):
    """An address: the pointer of a parameter, by its first byte, or a constant, and a limited distance from it."""

    pointer: int | None  # None: the address is the range itself
    offset: ValueRange


class ValueRanges:
    """The ranges of the registers of one program."""

    def __init__(self, slicer: Slicer) -> None:
        """Start without ranges; each is computed when it is needed."""
        self._slicer = slicer
        self._known: dict[int, ValueRange | None] = {}

    def address(self, op: Op) -> AddressRange | None:
        """Return where an access can lie; None if the code does not limit it, or if it is the same for all values."""
        place = op.place
        if place is None or place.base is None:
            return None
        pointer, register = None, place.base
        writer = self._writer(register)
        if writer is not None and _is_sum(writer):
            for one, other in (writer.sources, writer.sources[::-1]):
                if isinstance(other, Slot) and (start := self._pointer(one)) is not None:
                    pointer, register = start, other
        offset = self.of(register)
        if offset is None or offset.count == 1:
            return None
        return AddressRange(pointer, _shifted(offset, place.offset))

    def of(self, source: Source) -> ValueRange | None:
        """Return the range of an operand, None if the code does not limit it."""
        if not isinstance(source, Slot):
            return ValueRange(to_signed(source), to_signed(source), 1)
        if source.number not in self._known:
            self._known[source.number] = None  # of a loop's variable
            writer = self._writer(source)
            value = self._result(writer) if writer is not None else None
            fits = value is not None and -_LARGEST < value.low <= value.high < _LARGEST
            self._known[source.number] = value if fits else None
        return self._known[source.number]

    def _writer(self, source: Source) -> Op | None:
        """Return the only op that writes a register."""
        writers = self._slicer.writers(source.number) if isinstance(source, Slot) else []
        return writers[0] if len(writers) == 1 and writers[0].guard is None else None

    def _pointer(self, source: Source) -> int | None:
        """Return the first byte of the parameter that a register is a copy of."""
        writer = self._writer(source)
        while writer is not None and _is_copied(writer):
            writer = self._writer(writer.sources[0])
        return parameter_byte(writer) if writer is not None else None

    def _result(self, op: Op) -> ValueRange | None:
        if isinstance(op.form, Access):
            return _loaded(op.form)
        if not isinstance(op.form, Pure) or not op.sources or not has_role(op.instruction, OpcodeRole.RANGE):
            return None
        opcode = op.instruction.opcode
        if opcode in _LIMITS:
            return _LIMITS[opcode](op)
        if opcode == "sub" and (remainder := self._remainder(op)) is not None:
            return remainder
        operands = [self.of(source) for source in op.sources]
        known = [operand for operand in operands if operand is not None]
        return _combined(op, known) if opcode in _ARITHMETIC and len(known) == len(operands) else None

    def _remainder(self, op: Op) -> ValueRange | None:
        """Return the range of `a - a / c * c`, as compilers write a % c: recognized by its values for many a."""
        dividend, multiple = op.sources
        writer = self._writer(multiple)
        constants = [to_signed(item) for item in writer.sources if not isinstance(item, Slot)] if writer else []
        if not isinstance(dividend, Slot) or writer is None or len(constants) != 1:
            return None
        divisor = {"and": -constants[0], "mul": constants[0]}.get(writer.instruction.opcode, 0)
        steps = self._steps(op, dividend.number)
        if not 1 < divisor < _LARGEST or not steps:
            return None
        samples = _dividends(divisor)
        results = _evaluated(steps, dividend.number, samples)[op.results[0].number]  # type: ignore[union-attr]
        if np.array_equal(results.view(np.uint32), samples % divisor):
            return ValueRange(0, divisor - 1, divisor)
        if np.array_equal(results.view(np.int32), np.fmod(samples.view(np.int32), np.int32(divisor))):
            return ValueRange(1 - divisor, divisor - 1, 2 * divisor - 1)
        return None

    def _steps(self, op: Op, dividend: int) -> list[Op]:
        """Return the ops that compute a result from one register of 32 bits, in order; empty if there are others."""
        steps: dict[int, Op] = {}
        waiting = [op]
        while waiting:
            step = waiting.pop()
            steps.pop(id(step), None)
            steps[id(step)] = step
            sources = [item for item in step.sources if isinstance(item, Slot) and item.number != dividend]
            writers = [self._writer(item) for item in sources]
            known = [item for item in writers if item is not None and isinstance(item.form, Pure)]
            if len(known) < len(writers) or len(steps) > _MOST_OPS or len(step.results) != 1 or step.results[0] is None:
                return []
            waiting += known
        return list(steps.values())[::-1]


def _loaded(form: Access) -> ValueRange | None:
    """Return the range of a byte or a number of 16 bits in memory."""
    dtype = np.dtype(form.type)
    if form.kind != "ld" or form.vector > 1 or dtype.kind not in "iu" or dtype.itemsize > 2:  # noqa: PLR2004  (16 bits)
        return None
    info = np.iinfo(dtype)
    return ValueRange(int(info.min), int(info.max), 1 << 8 * dtype.itemsize, by_type=True)


def _masked(op: Op) -> ValueRange | None:
    masks = [to_signed(source) for source in op.sources if not isinstance(source, Slot)]
    if len(masks) != 1 or masks[0] < 0:
        return None
    return ValueRange(0, masks[0], 1 << masks[0].bit_count())


def _modulo(op: Op) -> ValueRange | None:
    divisor = op.sources[1]
    if isinstance(divisor, Slot) or to_signed(divisor) < 1:
        return None
    if op.instruction.modifiers[0].startswith("u"):
        return ValueRange(0, divisor - 1, divisor)
    return ValueRange(1 - divisor, divisor - 1, 2 * divisor - 1)


def _field(op: Op) -> ValueRange | None:
    length = op.sources[2]
    if isinstance(length, Slot) or not op.instruction.modifiers[0].startswith("u"):
        return None
    return ValueRange(0, (1 << length) - 1, 1 << length)


def _counted(op: Op) -> ValueRange:
    bits = int(op.instruction.modifiers[0].lstrip("bus"))
    return ValueRange(0, bits, bits + 1)


def _is_sum(op: Op) -> bool:
    match op.instruction.opcode:
        case "add":
            return True
    return False


def _is_copied(op: Op) -> bool:
    match op.instruction.opcode:
        case "cvta" | "mov":
            return True
    return False


_LIMITS: Mapping[str, Callable[[Op], ValueRange | None]] = {
    "and": _masked,
    "rem": _modulo,
    "bfe": _field,
    "popc": _counted,
}
_ARITHMETIC = {"mov", "cvt", "add", "sub", "mul", "mad", "shl", "shr"}


def _combined(op: Op, operands: Sequence[ValueRange]) -> ValueRange | None:
    """Return the range of a sum, product or copy; overflow is excluded by the bounds of all ranges."""
    name, first = op.instruction.opcode, operands[0]
    if name in {"mov", "cvt"}:
        types = [word for word in op.instruction.modifiers if word[0] in "sub" and word[1:].isdigit()]
        fits = len(types) == len(op.instruction.modifiers) and all(_holds(word, first) for word in types)
        return first if fits else None
    if name in {"shl", "shr"}:
        return _moved(first, operands[1], increases=name == "shl")
    if name in {"mul", "mad"} and op.instruction.modifiers[0] in {"lo", "wide"}:
        result = _product(first, operands[1])
        return _sum(result, operands[2]) if name == "mad" else result
    if name in {"add", "sub"} and len(op.instruction.modifiers) == 1:
        second = operands[1]
        return _sum(first, second if name == "add" else _product(second, ValueRange(-1, -1, 1)))
    return None


def _moved(value: ValueRange, bits: ValueRange, *, increases: bool) -> ValueRange | None:
    if bits.count > 1 or not 0 <= bits.low < 32 or value.low < 0:  # noqa: PLR2004  (bits of a number)
        return None
    if increases:
        return _product(value, ValueRange(1 << bits.low, 1 << bits.low, 1))
    return replace(value, low=value.low >> bits.low, high=value.high >> bits.low)


def _holds(type_: str, value: ValueRange) -> bool:
    """Whether a type holds all values of a range; bits without a sign hold those of either."""
    bits = int(type_[1:])
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type_[0] == "s" else (0, (1 << bits) - 1)
    return type_[0] == "b" or least <= value.low <= value.high <= most


def _shifted(value: ValueRange, distance: int) -> ValueRange:
    return replace(value, low=value.low + distance, high=value.high + distance)


def _sum(a: ValueRange, b: ValueRange) -> ValueRange:
    return ValueRange(a.low + b.low, a.high + b.high, a.count * b.count, a.by_type or b.by_type)


def _product(a: ValueRange, b: ValueRange) -> ValueRange:
    ends = [x * y for x, y in product((a.low, a.high), (b.low, b.high))]
    return ValueRange(min(ends), max(ends), a.count * b.count, a.by_type or b.by_type)


def _dividends(divisor: int) -> Values:
    """Return numbers of 32 bits: both ends, those near multiples of the divisor, and random ones."""
    random = np.random.default_rng(divisor).integers(0, 1 << 32, _SAMPLES, dtype=np.uint64)
    multiples = random // np.uint64(divisor) * np.uint64(divisor)
    ends = np.arange(1 << 10, dtype=np.uint64)
    every = np.concatenate(
        [random, multiples, multiples - np.uint64(1), ends, -ends, ends + np.uint64((1 << 31) - 512)]
    )
    samples: Values = (every & np.uint64(0xFFFF_FFFF)).astype(np.uint32)
    return samples


def _evaluated(steps: Sequence[Op], number: int, values: Values) -> dict[int, Values]:
    """Return the values of the registers that ops write, given those of the register `number`."""
    registers = {number: values}
    for op in steps:
        form: Pure = op.form  # type: ignore[assignment]
        operands = [
            registers[source.number].view(type_)
            if isinstance(source, Slot) and registers[source.number].itemsize == np.dtype(type_).itemsize
            else registers[source.number].astype(type_)
            if isinstance(source, Slot)
            else np.full(values.shape, to_signed(source)).astype(type_)
            for source, type_ in zip(op.sources, form.operands, strict=True)
        ]
        out = np.empty(values.shape, form.results[0])
        form.apply(*operands, out)
        registers[op.results[0].number] = out  # type: ignore[union-attr]
    return registers
