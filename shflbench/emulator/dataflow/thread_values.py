"""Integers of a kernel for each thread of a block: a number per thread, and multiples of what nobody knows.

A parameter, the number of the block and what memory holds are symbols, of which each thread has a multiple; all else
that a thread computes from its coordinates is calculated. A symbol that `is_uniform` has one value for all threads of a
block and all times. Any other may have another value in each thread and each time, so that it never cancels: of a sum
of its multiples, only their common divisor is known. A number of turns is between the two: within one value, it
cancels. Numbers have 64 bits here; those of the code may wrap around.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.dataflow.index_values import to_signed
from shflbench.emulator.dataflow.loop_turns import LoopTurns
from shflbench.emulator.dataflow.reaching import ReachingWriters
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.dataflow.symbolic_numbers import (
    BELOW,
    ITSELF,
    LOOP,
    UNIFORM,
    ThreadValue,
    joined,
    product_of,
    scaled,
    sum_of,
)
from shflbench.emulator.dataflow.value_ranges import ValueRanges
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Pure, Values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.core.dimensions import Dims
    from shflbench.emulator.dataflow.reaching import ReachingOps, WrittenRegister
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source

OF_BLOCK = ("%ctaid", "%nctaid")
MOST_SYMBOLS = 8  # of a value; addresses have a few
MOST_CHOICES = 40  # values of a register in a loop that multiplies or divides by two
MOST_IN_RANGE = 255  # above the least of the numbers that a value may be, such as a byte of memory
_DEEPEST = 60  # instructions that one value follows from
_MOST_WORK = 50_000  # values that are computed; those in nested loops are computed several times


@dataclass(frozen=True, slots=True)
class KnownParameter:
    """What is known of a parameter: a number, or how far it is from a symbol, such as the begin of a buffer."""

    symbol: str = ""
    number: int = 0


class ParameterWidths:
    """The types with which a program loads its parameters, by their first bytes."""

    def __init__(self, slicer: Slicer) -> None:
        """Look at all loads."""
        self.of: dict[int, set[str]] = defaultdict(set)
        for op in slicer.ops:
            if (start := parameter_byte(op)) is not None and isinstance(op.form, Access):
                self.of[start].add(f"{np.dtype(op.form.type).itemsize} x {op.form.vector}")


class ThreadValues:
    """The values of the registers of one program for the threads of a block of one shape."""

    def __init__(
        self,
        slicer: Slicer,
        block: Dims,
        parameters: Mapping[int, KnownParameter] | None = None,
        writers: ReachingWriters | None = None,
        assumed: Mapping[WrittenRegister, ThreadValue] | None = None,
    ) -> None:
        """Start without values; each is computed when it is needed.

        `parameters` are known, by their first bytes. Of a register, the `writers` count that reach an instruction: what
        was written before their region has the values that it has anywhere. An `assumed` register has that value
        wherever several instructions may have written it.
        """
        self._slicer, self._block, self._parameters = slicer, block, parameters or {}
        self._assumed = assumed or {}
        self.choices: dict[WrittenRegister, list[ThreadValue]] = {}  # registers of which all values in a loop are known
        self.threads = block[0] * block[1] * block[2]
        self._writers = writers or slicer.kept(ReachingWriters)
        self._known: dict[WrittenRegister, ThreadValue] = {}
        # Registers that loops change, whose value is being computed, with its symbol.
        self._open: dict[int, tuple[WrittenRegister, str]] = {}
        self._counters: dict[str, tuple[Op, Op]] = {}  # symbol of a loop → what begins to count, and what counts
        self._turns: LoopTurns | None = None
        self._anywhere: ThreadValues | None = None
        self._depth = self._work = 0

    def address(self, op: Op) -> ThreadValue:
        """Return the address of an access."""
        assert op.place is not None  # noqa: S101  (an access has one)
        offset = self._constant(op.place.offset)
        return offset if op.place.base is None else sum_of(self._read(op.place.base, op), offset)

    def truth(self, op: Op) -> tuple[Values, Values]:
        """Return for each thread whether the guard of an instruction may hold, and whether it may not."""
        return self._truth(op.guard, op) if op.guard is not None else self._fixed(holds=True)

    def assuming(self, assumed: Mapping[WrittenRegister, ThreadValue]) -> ThreadValues:
        """Return the values where some registers have one of their `choices`."""
        every = {**self._assumed, **assumed}
        values = ThreadValues(self._slicer, self._block, self._parameters, self._writers, every)
        values._turns = self._turns
        return values

    def _read(self, source: Source, reader: Op) -> ThreadValue:
        """Return the value of an integer operand of `reader`."""
        if not isinstance(source, Slot):
            return self._constant(to_signed(source))
        register = source.number
        if name := self._slicer.special(register):
            return self._special(name)
        writers = self._writers.at(register, reader)
        if writers.are_all_before:
            return self._bounded(self._before_region()._of(replace(writers, before=frozenset())), reader)  # noqa: SLF001
        return self._bounded(self._of(writers), reader)

    def _of(self, writers: ReachingOps) -> ThreadValue:
        """Return what a register holds where these instructions may have written it."""
        key = writers.key
        known = self._known.get(key)
        if known is None:
            known = self._computed(writers)
            if not any(itself in symbol for symbol in known.multiples for _, itself in self._open.values()):
                self._known[key] = known
        return known

    def _bounded(self, value: ThreadValue, reader: Op) -> ThreadValue:
        """Return a value with symbols of bounded numbers for those of loops that the code bounds."""
        counters = [symbol for symbol in value.multiples if symbol in self._counters]
        if not counters or self._open:
            return value
        turns = self._loop_turns()
        multiples = dict(value.multiples)
        for symbol in counters:
            most = turns.most(*self._counters[symbol], reader)
            if most is not None:
                multiple = multiples.pop(symbol) * (most > 0)
                multiples |= {f"{BELOW}{most.max()} of {symbol}": multiple} if multiple.any() else {}
        return ThreadValue(value.number, multiples)

    def _where_written(self, op: Op, writers: ReachingOps) -> ThreadValues:
        """Return the values with which one of the writers has executed: those of anywhere before the region."""
        return self._before_region() if id(op) in writers.before else self

    def _before_region(self) -> ThreadValues:
        """Return the values of anywhere, which share what is known with these."""
        if self._anywhere is None:
            self._anywhere = ThreadValues(self._slicer, self._block, self._parameters, None, self._assumed)
            self._anywhere.choices, self._anywhere._turns = self.choices, self._turns  # noqa: SLF001  (of its own kind)
            self._anywhere._counters = self._counters  # noqa: SLF001
        self._anywhere._depth = self._depth  # noqa: SLF001
        return self._anywhere

    def _loop_turns(self) -> LoopTurns:
        """Return how often loops jump back, whatever instructions reach those of this region."""
        if self._turns is None:
            every = ThreadValues(self._slicer, self._block, self._parameters)
            every._turns = self._turns = LoopTurns(self._slicer, every._read, every._counters)
        return self._turns

    def _constant(self, number: int) -> ThreadValue:
        return ThreadValue(np.full(self.threads, number, np.int64), {})

    def _symbol(self, name: str) -> ThreadValue:
        return ThreadValue(np.zeros(self.threads, np.int64), {name: np.ones(self.threads, np.int64)})

    def _computed(self, writers: ReachingOps) -> ThreadValue:
        self._work += 1
        register, ops = writers.register, writers.ops
        if not ops or self._depth > _DEEPEST or self._work > _MOST_WORK:
            return self._symbol(f"register {register}")
        key = writers.key
        if len(ops) > 1 and key in self._assumed:
            return self._assumed[key]
        if len(ops) > 1 and register in self._open:
            same, itself = self._open[register]
            return self._symbol(itself if key == same else f"register {register}")
        self._depth += 1
        try:
            return self._value_by(ops[0], writers) if len(ops) == 1 else self._of_loop(writers)
        finally:
            self._depth -= 1

    def _value_by(self, op: Op, writers: ReachingOps) -> ThreadValue:
        """Return what one of the writers has written."""
        return self._where_written(op, writers)._result(op, writers.register)  # noqa: SLF001  (of its own kind)

    def _of_loop(self, writers: ReachingOps) -> ThreadValue:
        """Return the value of a register that starts with a value, to which some instructions add."""
        register = writers.register
        unknown = self._symbol(f"register {register}")
        itself = f"{ITSELF}{register};"
        self._open[register] = writers.key, itself
        try:
            values = [(op, self._value_by(op, writers)) for op in writers.ops]
        finally:
            del self._open[register]
        starts = [(op, value) for op, value in values if itself not in value.multiples]
        steps = [(op, value) for op, value in values if itself in value.multiples]
        if len(starts) != 1 or any((step.multiples[itself] != 1).any() for _, step in steps):
            self._find_choices(writers)
            return unknown
        ((start, result),) = starts
        for op, step in steps:
            rest = {symbol: value for symbol, value in step.multiples.items() if symbol != itself}
            symbol = f"{LOOP}{register} step {self._slicer.writers(register).index(op)}"
            self._counters[symbol] = start, op
            result = sum_of(result, product_of(ThreadValue(step.number, rest), self._symbol(symbol)))
        return result if len(result.multiples) <= MOST_SYMBOLS else unknown

    def _find_choices(self, writers: ReachingOps) -> None:
        """Add the values of a register to the `choices` if they are few, whatever instruction writes it when."""
        if self._open or self._assumed:
            return
        key = writers.key
        values: dict[bytes, ThreadValue] = {}
        waiting = [value for op in writers.ops if (value := self._value_by(op, writers)).is_known]
        while waiting and len(values) <= MOST_CHOICES:
            value = waiting.pop()
            if value.number.tobytes() not in values:
                values[value.number.tobytes()] = value
                later = self.assuming({key: value})
                later._depth, later._work = self._depth + 1, self._work  # noqa: SLF001  (of its own kind)
                waiting += [later._value_by(op, writers) for op in writers.ops]  # noqa: SLF001
                self._work = later._work  # noqa: SLF001
                if not all(item.is_known for item in waiting):
                    return
        if values and len(values) <= MOST_CHOICES:
            self.choices[key] = list(values.values())

    def _special(self, name: str) -> ThreadValue:
        x, y, _ = self._block
        number = np.arange(self.threads, dtype=np.int64)
        values = {
            "%tid.x": number % x,
            "%tid.y": number // x % y,
            "%tid.z": number // (x * y),
            "%laneid": number % WARP,
            **{f"%ntid.{axis}": np.full(self.threads, size) for axis, size in zip("xyz", self._block, strict=True)},
        }
        if name in values:
            return ThreadValue(values[name], {})
        return self._symbol(f"{UNIFORM if name.startswith(OF_BLOCK) else ''}{name}")

    def _result(self, op: Op, register: int) -> ThreadValue:
        """Return what an instruction writes to a register."""
        start = parameter_byte(op)
        if start is not None and len(op.results) == 1:
            known = self._parameters.get(start, KnownParameter(f"@{start}"))
            if len(self._slicer.kept(ParameterWidths).of[start]) > 1:  # of which each is another number
                known = KnownParameter(f"@{start} {getattr(op.form, 'type', '')}")
            number = self._constant(known.number)
            return sum_of(number, self._symbol(f"{UNIFORM}{known.symbol}")) if known.symbol else number
        unknown = self._of_range(op, register)
        if not isinstance(op.form, Pure) or len(op.results) != 1:
            return unknown
        values = [self._read(source, op) for source in op.sources if not _is_predicate(source)]
        if len(values) == len(op.sources) and all(value.is_known for value in values):
            return self._applied(op, op.form, values)
        result = self._combined(op, values)
        return unknown if result is None or len(result.multiples) > MOST_SYMBOLS else result

    def _of_range(self, op: Op, register: int) -> ThreadValue:
        """Return a value of which only the code limits the range, if it does: `x % 32`, or a byte of memory."""
        (result, *more) = op.results
        known = None if result is None or more else self._slicer.kept(ValueRanges).of(result)
        if known is None or known.high - known.low > MOST_IN_RANGE:
            return self._symbol(f"register {register}")
        symbol = self._symbol(f"{BELOW}{known.high - known.low} of register {register}")
        return sum_of(self._constant(known.low), symbol)

    def _applied(self, op: Op, form: Pure, values: Sequence[ThreadValue]) -> ThreadValue:
        """Return the result of an instruction whose operands are all known."""
        (type_,) = form.results
        if np.dtype(type_).kind == "f" or any(np.dtype(item).kind == "f" for item in form.operands):
            return self._symbol(f"number of line {op.instruction.line}")
        out = np.empty(self.threads, type_)
        operands = [value.number.astype(item) for value, item in zip(values, form.operands, strict=True)]
        with np.errstate(all="ignore"):
            form.apply(*operands, out)
        return ThreadValue(_signed(out), {})

    def _combined(  # noqa: PLR0911  (a return for each kind of instruction)
        self, op: Op, values: Sequence[ThreadValue]
    ) -> ThreadValue | None:
        """Return a sum, a product, a copy or some of the bits; None for anything else."""
        name, words = op.instruction.opcode, op.instruction.modifiers
        if any(word.startswith(_FLOATS) for word in words):
            return None
        match name, values:
            case (("mov" | "cvta" | "cvt"), [a]):
                return a if not any(word in _NARROW for word in words) else None
            case "add", [a, b]:
                return sum_of(a, b)
            case "sub", [a, b]:
                return sum_of(a, scaled(b, -1))
            case "neg", [a]:
                return scaled(a, -1)
            case "mul", [a, b] if {"lo", "wide"} & set(words):
                return product_of(a, b)
            case "mad", [a, b, c] if {"lo", "wide"} & set(words):
                return sum_of(product_of(a, b), c)
            case "shl", [a, b] if b.is_known and ((b.number >= 0) & (b.number < WARP)).all():
                return ThreadValue(a.number << b.number, {name: item << b.number for name, item in a.multiples.items()})
            case "selp", [a, b]:
                return self._selected(op, a, b)
        return self._combined_bits(op, values)

    def _combined_bits(self, op: Op, values: Sequence[ThreadValue]) -> ThreadValue | None:
        match op.instruction.opcode, values:
            case (("and" | "or" | "xor" | "shr"), [a, b]) if b.is_known and (b.number == b.number[0]).all():
                return self._bits(op, a, int(b.number[0]))
            case (("or" | "xor"), [a, b]):
                return joined(a, b) or joined(b, a)
            case "bfi", [a, b, position, length] if position.is_known and length.is_known:
                low = int(position.number[0])
                is_upper = bool((position.number == low).all() and (length.number == WARP - low).all() and low < WARP)
                return joined(scaled(a, 1 << low), b) if is_upper else None
        return None

    def _bits(self, op: Op, a: ThreadValue, constant: int) -> ThreadValue | None:
        """Return the bits of a value whose symbols have no part in its lowest bits, or only multiples of a mask."""
        step = int(np.gcd.reduce(np.concatenate([np.abs(value) for value in a.multiples.values()])))
        low = step & -step  # a power of two
        is_low = bool(((a.number >= 0) & (a.number < low)).all())
        name = op.instruction.opcode
        if name == "shr":
            if not is_low or constant < 0 or low >> constant << constant != low or not low >> constant:
                return None
            return ThreadValue(a.number >> constant, {key: value >> constant for key, value in a.multiples.items()})
        if 0 <= constant < low:
            bits = a.number % low
            if name == "and":
                return ThreadValue(bits & constant, {})
            changed = bits ^ constant if name == "xor" else bits | constant
            return ThreadValue(a.number - bits + changed, a.multiples)
        if name == "and" and constant > 0:  # some multiple of its lowest bit
            symbol = f"{BELOW}{constant // (constant & -constant)} of line {op.instruction.line}"
            return ThreadValue(np.zeros_like(a.number), {symbol: np.full_like(a.number, constant & -constant)})
        return None

    def _selected(self, op: Op, a: ThreadValue, b: ThreadValue) -> ThreadValue | None:
        may, may_not = self._truth(op.sources[2], op)
        if (may & may_not).any():
            return None
        symbols = a.multiples.keys() | b.multiples.keys()
        zeros = np.zeros(self.threads, np.int64)
        multiples = {
            name: np.where(may, a.multiples.get(name, zeros), b.multiples.get(name, zeros)) for name in symbols
        }
        return ThreadValue(np.where(may, a.number, b.number), multiples)

    def _fixed(self, *, holds: bool) -> tuple[Values, Values]:
        return np.full(self.threads, holds), np.full(self.threads, not holds)

    def _truth(self, source: Source, reader: Op) -> tuple[Values, Values]:
        """Return for each thread whether a predicate that `reader` reads may hold, and whether it may not."""
        if not isinstance(source, Slot):
            return self._fixed(holds=bool(source))
        writers = self._writers.at(source.number, reader)
        may = may_not = np.ones(self.threads, np.bool_)
        if len(writers.ops) == 1 and self._depth <= _DEEPEST and writers.ops[0].guard is None:
            self._depth += 1
            try:
                (op,) = writers.ops
                may, may_not = self._where_written(op, writers)._written_truth(op)  # noqa: SLF001  (of its own kind)
            finally:
                self._depth -= 1
        return (may_not, may) if source.negated else (may, may_not)

    def _written_truth(self, op: Op) -> tuple[Values, Values]:
        match op.instruction.opcode, op.sources:
            case "setp", [a, b] if len(op.results) == 1 and isinstance(op.form, Pure):
                return self._compared(op, op.form, a, b)
            case (("and" | "or" | "xor") as name, [a, b]):
                return _combined_truth(name, self._truth(a, op), self._truth(b, op))
            case (("mov" | "not") as name, [a]):
                may, may_not = self._truth(a, op)
                return (may, may_not) if name == "mov" else (may_not, may)
        return np.ones(self.threads, np.bool_), np.ones(self.threads, np.bool_)

    def _compared(self, op: Op, form: Pure, a: Source, b: Source) -> tuple[Values, Values]:
        anything = np.ones(self.threads, np.bool_), np.ones(self.threads, np.bool_)
        if any(np.dtype(type_).kind not in "iu" for type_ in form.operands):
            return anything
        first, second = self._read(a, op), self._read(b, op)
        if not (first.is_known and second.is_known):
            return anything
        out = np.empty(self.threads, np.bool_)
        form.apply(first.number.astype(form.operands[0]), second.number.astype(form.operands[1]), out)
        return out, ~out


def _combined_truth(name: str, a: tuple[Values, Values], b: tuple[Values, Values]) -> tuple[Values, Values]:
    """Return whether a combination of two predicates may hold, and whether it may not."""
    (first, not_first), (second, not_second) = a, b
    match name:
        case "and":
            return first & second, not_first | not_second
        case "or":
            return first | second, not_first & not_second
    return (first & not_second) | (not_first & second), (first & second) | (not_first & not_second)


_FLOATS = ("f16", "f32", "f64", "bf16", "tf32", "e4m3", "e5m2")  # types of operands
_NARROW = {"s8", "u8", "s16", "u16", "b16", "pred"}


def _is_predicate(source: Source) -> bool:
    return isinstance(source, Slot) and source.type == "?"


def _signed(values: Values) -> Values:
    """Return integers of any size as those of 64 bits; 32 bits stand for a number with a sign."""
    return (values.view(np.int32) if values.dtype == np.uint32 else values).astype(np.int64)
