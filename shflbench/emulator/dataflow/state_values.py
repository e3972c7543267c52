"""Values of registers while code is followed step by step: each is computed when its instruction writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.dataflow.symbolic_numbers import TURN, ThreadValue
from shflbench.emulator.dataflow.thread_values import KnownParameter, ThreadValues
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Pure, Values

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from shflbench.core.dimensions import Dims
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source

# Comparisons of a number with a smaller one: whether they hold; and those that say the same of both in the other order.
_OF_LARGER = {"eq": False, "ne": True, "lt": False, "le": False, "gt": True, "ge": True}
_OF_LARGER |= {"lo": False, "ls": False, "hi": True, "hs": True}
_REVERSED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "lo": "hi", "ls": "hs", "hi": "lo", "hs": "ls"}
_SIGN = 31  # the bit of a number of 32 bits


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether a predicate may hold, and whether it may not, for each thread."""

    may: Values
    may_not: Values


@dataclass(frozen=True, slots=True)
class _HighProduct:
    """The upper bits of a product by a constant: `factor * constant >> shift`."""

    factor: ThreadValue
    constant: int
    shift: int
    is_signed: bool


RegisterValue = ThreadValue | Truth
Registers = dict[int, int]  # the numbers of the values of registers; nothing is known of others


def followed_registers(slicer: Slicer, ops: Iterable[Op]) -> frozenset[int]:
    """Return the registers that decide on accesses, and that have not one value throughout."""
    waiting = [slot.number for op in ops for slot in _deciding(op)]
    relevant: set[int] = set()
    readers: dict[int, set[int]] = {}
    while waiting:
        register = waiting.pop()
        if register in relevant:
            continue
        relevant.add(register)
        for op in slicer.writers(register):
            if isinstance(op.form, Pure):
                for source in (*op.sources, op.guard):
                    if isinstance(source, Slot):
                        readers.setdefault(source.number, set()).add(register)
                        waiting.append(source.number)
    followed: set[int] = set()
    waiting = [register for register in relevant if len(slicer.writers(register)) > 1]
    while waiting:
        register = waiting.pop()
        if register not in followed:
            followed.add(register)
            waiting += readers.get(register, ())
    return frozenset(followed)


def _dependent_registers(slicer: Slicer, followed: Collection[int]) -> set[int]:
    """Return the registers that are not followed, and whose values were computed from those of followed ones."""
    readers: dict[int, set[int]] = {}
    for op in slicer.ops:
        results = [slot.number for slot in op.results if slot is not None]
        for slot in (*op.sources, op.guard) if isinstance(op.form, Pure) else ():
            if isinstance(slot, Slot):
                readers.setdefault(slot.number, set()).update(results)
    dependent: set[int] = set()
    waiting = list(followed)
    while waiting:
        further = readers.get(waiting.pop(), set()) - dependent - set(followed)
        dependent |= further
        waiting += further
    return dependent


def _deciding(op: Op) -> Iterator[Slot]:
    for slot in (op.guard, op.place.base if op.place is not None else None):
        if slot is not None:
            yield slot


class StateValues(ThreadValues):
    """The values of a program's registers in one state, which instructions change one by one."""

    def __init__(
        self, slicer: Slicer, block: Dims, parameters: Mapping[int, KnownParameter], followed: Collection[int]
    ) -> None:
        """Start without values of the `followed` registers; those of others are the same in all states."""
        super().__init__(slicer, block, parameters)
        self.followed = frozenset(followed)
        self._dependent = _dependent_registers(slicer, self.followed)
        self._registers: Registers = {}
        self._products: dict[int, _HighProduct] = {}
        self._values: list[RegisterValue] = []
        self._numbers: dict[tuple[object, ...], int] = {}

    def begin(self, registers: Registers) -> None:
        """Go to the state with these values."""
        self._registers, self._products = dict(registers), {}

    def end(self, live: int) -> Registers:
        """Return the values of the registers of a set of bits."""
        return {register: value for register, value in self._registers.items() if live >> register & 1}

    def value(self, number: int) -> RegisterValue:
        """Return a value by its number."""
        return self._values[number]

    def number(self, value: RegisterValue) -> int:
        """Return the number of a value: equal values have equal numbers."""
        key: tuple[object, ...]
        if isinstance(value, Truth):
            key = value.may.tobytes(), value.may_not.tobytes()
        else:
            multiples = sorted((name, item.tobytes()) for name, item in value.multiples.items())
            key = value.number.tobytes(), tuple(multiples)
        number = self._numbers.setdefault(key, len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return number

    def execute(self, op: Op) -> None:
        """Write what an instruction writes to the followed registers."""
        for slot in op.results:
            if slot is None or slot.number not in self.followed:
                continue
            self._products.pop(slot.number, None)
            value = self._guarded(op, slot.number)
            if value is None:
                self._registers.pop(slot.number, None)
            else:
                self._registers[slot.number] = self.number(value)

    def _guarded(self, op: Op, register: int) -> RegisterValue | None:
        """Return what a register holds behind an instruction, for the threads for which its guard holds, and others."""
        may, may_not = self.truth(op)
        old = self._registers.get(register)
        before = None if old is None else self.value(old)
        if not may.any():
            return before
        value = self._written(op, register)
        if not may_not.any() or value is None:
            return value
        if before is None or isinstance(value, Truth) or isinstance(before, Truth) or (may & may_not).any():
            return None
        return _chosen(may, value, before)

    def _written(self, op: Op, register: int) -> RegisterValue | None:
        if len(op.results) == 1 and _is_predicate(op.results[0]):
            return Truth(*self._written_truth(op)) if isinstance(op.form, Pure) else None
        if isinstance(op.form, Access) and parameter_byte(op) is None:
            return None
        return self._result(op, register)

    def _read(self, source: Source, reader: Op) -> ThreadValue:
        if isinstance(source, Slot) and source.number in self.followed:
            number = self._registers.get(source.number)
            value = None if number is None else self.value(number)
            return value if isinstance(value, ThreadValue) else self._symbol(f"register {source.number}")
        if isinstance(source, Slot) and source.number in self._dependent:
            return self._symbol(f"register {source.number}")
        return super()._read(source, reader)

    def _truth(self, source: Source, reader: Op) -> tuple[Values, Values]:
        if isinstance(source, Slot) and source.number in self.followed:
            number = self._registers.get(source.number)
            value = None if number is None else self.value(number)
            may, may_not = (value.may, value.may_not) if isinstance(value, Truth) else self._anything()
            return (may_not, may) if source.negated else (may, may_not)
        if isinstance(source, Slot) and source.number in self._dependent:
            return self._anything()
        return super()._truth(source, reader)

    def _compared(self, op: Op, form: Pure, a: Source, b: Source) -> tuple[Values, Values]:
        """Compare a number of iterations, which may be any larger one, with a number that is smaller."""
        first, second = self._read(a, op), self._read(b, op)
        if any(np.dtype(type_).kind not in "iu" for type_ in form.operands) or not (
            first.multiples or second.multiples
        ):
            return super()._compared(op, form, a, b)
        larger, other = (first, second) if second.is_known else (second, first)
        relation = op.instruction.modifiers[0]
        if not other.is_known or not _is_small(larger) or relation not in _OF_LARGER or (other.number < 0).any():
            return self._anything()
        is_above = larger.number > other.number
        holds = _OF_LARGER[relation] if larger is first else _OF_LARGER[_REVERSED.get(relation, relation)]
        return (np.full_like(is_above, holds) | ~is_above), (np.full_like(is_above, not holds) | ~is_above)

    def _anything(self) -> tuple[Values, Values]:
        return np.ones(self.threads, np.bool_), np.ones(self.threads, np.bool_)

    def _combined(self, op: Op, values: list[ThreadValue]) -> ThreadValue | None:  # type: ignore[override]
        return self._divided(op, values, super()._combined(op, values))

    def _divided(self, op: Op, values: list[ThreadValue], known: ThreadValue | None) -> ThreadValue | None:
        """Return a quotient or a remainder by a constant, which compilers write as the upper bits of a product."""
        name, words = op.instruction.opcode, op.instruction.modifiers
        is_signed = words[-1].startswith("s")
        constant = op.sources[1] if len(op.sources) > 1 else None
        result = known
        match name, values:
            case "mul", [a, b] if isinstance(constant, int):
                if "wide" in words or "hi" in words:
                    self._products[_target(op)] = _HighProduct(a, constant, WARP if "hi" in words else 0, is_signed)
                    quotient = _quotient(self._products[_target(op)])
                    result = quotient if "hi" in words else known
            case _ if known is not None:
                pass
            case "shr", [a, b] if isinstance(constant, int) and isinstance(op.sources[0], Slot):
                product = self._products.get(op.sources[0].number)
                if product is not None:
                    further = _HighProduct(
                        product.factor, product.constant, product.shift + constant, product.is_signed
                    )
                    result = _quotient(further)
                elif constant == _SIGN and words[-1] == "u32" and _is_small(a):
                    result = ThreadValue(np.zeros_like(a.number), {})
                elif 0 <= constant < WARP:
                    result = _over(a, 1 << constant)
            case "div", [a, b] if b.is_known and _is_one(b):
                result = _over(a, int(b.number[0]))
            case "rem", [a, b] if b.is_known and _is_one(b):
                quotient = _over(a, int(b.number[0]))
                result = None if quotient is None else ThreadValue(a.number % int(b.number[0]), {})
        return result


def _target(op: Op) -> int:
    slot = op.results[0]
    return -1 if slot is None else slot.number


def _is_predicate(slot: Slot | None) -> bool:
    return slot is not None and slot.type == "?"


def _is_one(value: ThreadValue) -> bool:
    return bool((value.number == value.number[0]).all() and value.number[0] > 0)


def _is_small(value: ThreadValue) -> bool:
    """Whether a value is a sum of numbers of iterations, which are not negative and have no highest bit."""
    parts = [value.number, *value.multiples.values()]
    return all(name.startswith(TURN) for name in value.multiples) and all((part >= 0).all() for part in parts)


def _over(value: ThreadValue, divisor: int) -> ThreadValue | None:
    """Return a quotient if it is exact for each multiple, None if it is not."""
    if not _is_small(value) or any((item % divisor).any() for item in value.multiples.values()):
        return None
    return ThreadValue(
        value.number // divisor, {name: item // divisor for name, item in value.multiples.items() if item.any()}
    )


def _quotient(product: _HighProduct) -> ThreadValue | None:
    """Return the upper bits of a product if they are a quotient for all numbers of 32 bits.

    Granlund, Montgomery, "Division by Invariant Integers using Multiplication", 1994, theorem 4.2.
    """
    bits = _SIGN if product.is_signed else WARP
    if product.constant <= 0 or product.shift < bits:
        return None
    power = 1 << product.shift
    divisor = -(-power // product.constant)
    excess = product.constant * divisor - power
    is_exact = 0 <= excess <= 1 << (product.shift - bits) and not (product.is_signed and product.constant >> _SIGN)
    return _over(product.factor, divisor) if is_exact and divisor > 1 else None


def _chosen(may: Values, value: ThreadValue, other: ThreadValue) -> ThreadValue:
    zeros = np.zeros_like(value.number)
    names = value.multiples.keys() | other.multiples.keys()
    multiples = {
        name: np.where(may, value.multiples.get(name, zeros), other.multiples.get(name, zeros)) for name in names
    }
    return ThreadValue(np.where(may, value.number, other.number), multiples)
