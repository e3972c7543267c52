"""Conditions of threads that follow from their coordinates, the launch and its parameters, whatever memory holds."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from shflbench.emulator.link.program import Op, Slot, Source
from shflbench.emulator.link.value_uses import ValueUses
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.bit_patterns import as_type
from shflbench.emulator.opcodes.forms import Access, Pure, Values
from shflbench.model import WARP

DEEPEST = 100  # instructions between coordinates and a predicate; a condition has a few
MOST_UNKNOWN = 4  # predicates of one instruction that are followed as both true and false

_CONSTANT = ("%tid", "%ntid", "%ctaid", "%nctaid", "%warpid", "%nwarpid", "%laneid", "%lanemask")


@dataclass(frozen=True, slots=True)
class ThreadCondition:
    """Whether a predicate can be true, and whether it can be false, for each thread."""

    true: Values
    false: Values

    @property
    def known(self) -> Values:
        """Whether it is known for each thread, and the threads differ in it.

        A condition that is the same for all threads is one on the launch: another one may do otherwise.
        """
        exists = self.true | self.false
        return (self.true & ~self.false & self.false.any()) | (self.false & ~self.true & self.true.any()) & exists


class ThreadConditions:
    """The predicates of a program for all threads of a launch."""

    def __init__(self, state: State, uses: ValueUses) -> None:
        """Compute predicates when they are needed."""
        self._state, self._uses = state, uses
        self._special = {number for name, number in state.program.special.items() if name.startswith(_CONSTANT)}
        self._values: dict[int, Values | None] = {}
        self._conditions: dict[int, ThreadCondition] = {}

    def of(self, register: int) -> ThreadCondition:
        """Return a predicate."""
        with np.errstate(all="ignore"):
            return self._condition(register, 0)

    def _condition(self, register: int, depth: int) -> ThreadCondition:
        kept = self._conditions.get(register)
        if kept is None:
            kept = self._conditions[register] = self._anything()  # of a register that depends on itself
            op = self._only_writer(register)
            if op is not None and depth < DEEPEST:
                kept = self._conditions[register] = self._computed(op, register, depth + 1)
        return kept

    def _anything(self) -> ThreadCondition:
        return ThreadCondition(self._state.existing.reshape(-1), self._state.existing.reshape(-1))

    def _computed(self, op: Op, register: int, depth: int) -> ThreadCondition:
        """Return a predicate that an instruction computes, whatever the predicates are that it depends on."""
        form, exists = op.form, self._state.existing.reshape(-1)
        if not isinstance(form, Pure):
            return self._anything()
        choices: list[list[tuple[Values, Values]]] = []  # by operand: values, and which threads can have them
        for source, type_ in zip(op.sources, form.operands, strict=True):
            choice = self._choices(source, type_, depth)
            if choice is None:
                return self._anything()
            choices.append(choice)
        if sum(len(choice) > 1 for choice in choices) > MOST_UNKNOWN:
            return self._anything()
        result = ThreadCondition(np.zeros_like(exists), np.zeros_like(exists))
        for operands in product(*choices):
            value = self._apply(op, form, register, [values for values, _ in operands]).astype(np.bool_)
            possible = exists.copy()
            for _, can_have in operands:
                possible &= can_have
            result = ThreadCondition(result.true | (possible & value), result.false | (possible & ~value))
        return result

    def _choices(self, source: Source, type_: str, depth: int) -> list[tuple[Values, Values]] | None:
        """Return the values that an operand can have, None if they are not known; a predicate has two."""
        exists = self._state.existing.reshape(-1)
        if isinstance(source, Slot) and type_ == "?":
            condition = self._condition(source.number, depth)
            options = [(True, condition.true), (False, condition.false)]
            return [
                (np.full(exists.size, value is not source.negated), threads)
                for value, threads in options
                if threads.any()
            ]
        values = self._read(source, type_, depth)
        return None if values is None else [(values, exists)]

    def _read(self, source: Source, type_: str, depth: int) -> Values | None:
        """Return the values of an operand that is no predicate, None if they are not known."""
        if not isinstance(source, Slot):
            bits = np.array([source & ((1 << 64) - 1)], np.uint64)
            return np.resize(as_type(bits, type_), self._state.shape.lanes)
        values = self._register(source.number, depth)
        return None if values is None else as_type(as_type(values, source.type), type_)

    def _register(self, register: int, depth: int) -> Values | None:
        if register in self._special:
            return self._state.registers[register].reshape(-1)
        if register not in self._values:
            self._values[register] = None  # of a register that depends on itself
            op = self._only_writer(register)
            if op is not None and depth < DEEPEST:
                self._values[register] = self._result(op, register, depth + 1)
        return self._values[register]

    def _only_writer(self, register: int) -> Op | None:
        writers = self._uses.writers(register)
        return writers[0] if len(writers) == 1 and writers[0].guard is None else None

    def _result(self, op: Op, register: int, depth: int) -> Values | None:
        form = op.form
        if isinstance(form, Access):
            return self._parameter(op, form, register)
        if not isinstance(form, Pure) or "?" in form.operands:
            return None
        operands = [self._read(*item, depth) for item in zip(op.sources, form.operands, strict=True)]
        if any(item is None for item in operands):
            return None
        return self._stored(register, self._apply(op, form, register, operands))

    def _apply(self, op: Op, form: Pure, register: int, operands: "list[Values] | list[Values | None]") -> Values:
        """Return what an instruction writes to a register; its function gets [warps, 32] as in a launch."""
        shape = (self._state.shape.warps, WARP)
        results = [np.zeros(shape, type_) for type_ in form.results]
        apply: Callable[..., object] = form.apply
        apply(*(item.reshape(shape) for item in operands if item is not None), *results)
        return results[_place(op, register)].reshape(-1)

    def _parameter(self, op: Op, form: Access, register: int) -> Values | None:
        """Return a parameter of the kernel, None for other memory."""
        place = op.place
        if form.kind != "ld" or place is None or place.space != "param" or place.base is not None:
            return None
        size = np.dtype(form.type).itemsize
        start = place.offset + size * _place(op, register)
        value = self._state.spaces["param"].bytes[start : start + size]
        if value.size < size:
            return None
        return self._stored(register, np.resize(value.view(form.type), self._state.shape.lanes))

    def _stored(self, register: int, values: Values) -> Values | None:
        """Return values as a register holds them, None if they are narrower: how they extend depends on their type."""
        stored = np.dtype(self._state.program.registers[register])
        return as_type(values, stored.str) if values.dtype.itemsize == stored.itemsize else None


def _place(op: Op, register: int) -> int:
    return next(at for at, slot in enumerate(op.results) if slot is not None and slot.number == register)
