"""The states that threads go through: a block of code, with the values of the registers that decide on accesses.

Registers that a loop increases by a constant are followed up to a number of iterations, the period, after which the
states repeat: `k` is 0, and then 1, 2, … plus a multiple of the period. A register with too many values has an
unknown one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shflbench.emulator.dataflow.code_loops import CodeLoops
from shflbench.emulator.dataflow.liveness import live_registers
from shflbench.emulator.dataflow.symbolic_numbers import LOOP, TURN, ThreadValue
from shflbench.emulator.dataflow.uniform_control import UniformControl
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from shflbench.emulator.dataflow.code_loops import CodeLoop
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.dataflow.state_values import Registers, StateValues
    from shflbench.emulator.link.program import Op
    from shflbench.emulator.opcodes.forms import Values

MOST_STATES = 2_000  # of one kernel; a double buffer has a few per block of code
MOST_VALUES = 48  # of a register at the start of a loop that multiplies or divides by two
MOST_ATTEMPTS = 6  # to follow fewer registers

StateKey: TypeAlias = "tuple[int, tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]"


@dataclass(slots=True)
class StateAccess:
    """Where the threads in a state access memory by one instruction."""

    op: Op
    address: ThreadValue
    threads: Values  # flags of those that may execute it


@dataclass(slots=True, eq=False)
class PathState:
    """A block of code, the values of registers at its start, and the iteration of each loop around it."""

    block: int
    registers: Registers
    iterations: dict[int, int]  # header of the loop → number: 0, or that in a turn of the period, from 1
    threads: Values  # flags of those that may be there
    after: list[PathState] = field(default_factory=list)
    before: list[PathState] = field(default_factory=list)
    accesses: list[StateAccess] = field(default_factory=list)
    edges: list[tuple[Values, StateKey]] | None = None


class _TooManyError(Exception):
    """A register has too many values at the start of a loop."""


class StateGraph:
    """The states of one program for the threads of a block of one shape."""

    def __init__(self, slicer: Slicer, values: StateValues, ops: Collection[Op], period: int) -> None:
        """Go through all states in which the followed registers of `values` differ, and keep where `ops` access memory.

        `is_whole` says whether there are few enough.
        """
        self._slicer, self._period = slicer, period
        self._ops = {id(op) for op in ops}
        self._loops, self.control = slicer.kept(CodeLoops), slicer.kept(UniformControl)
        self._live = slicer.program.kept(live_registers)
        self._values = values
        self._unknown: dict[int, set[int]] = {}  # registers at the starts of loops
        self._states: dict[StateKey, PathState] = {}
        self.is_whole = self._loops.is_reducible and self._explore()
        self._unlike = self._unlike_registers()

    def at(self, block: int) -> list[list[PathState]]:
        """Return the states at a block of code; threads that are there at the same time are in one of a group."""
        groups: dict[object, list[PathState]] = {}
        for state in self._states.values():
            if state.block == block:
                alike = frozenset(item for item in state.registers.items() if item[0] not in self._unlike)
                turns = frozenset(item for item in state.iterations.items() if self.control.is_alike(item[0]))
                groups.setdefault((alike, turns), []).append(state)
        return list(groups.values())

    def _unlike_registers(self) -> set[int]:
        """Return the registers that threads may change differently on their ways to a barrier."""
        unlike: set[int] = set()
        changed = True
        while changed:
            before = len(unlike)
            for register in self._values.followed - unlike:
                for op in self._slicer.writers(register):
                    slots = (*op.sources, op.guard)
                    if not self.control.is_alike(self._slicer.block_of(op)) or any(
                        getattr(slot, "number", None) in unlike for slot in slots
                    ):
                        unlike.add(register)
            changed = len(unlike) > before
        return unlike

    def _explore(self) -> bool:
        for _ in range(MOST_ATTEMPTS):
            self._states = {}
            try:
                self._walk()
            except _TooManyError:
                continue
            return True
        return False

    def _walk(self) -> None:
        start = min(self._slicer.program.blocks)
        values: dict[tuple[int, int], set[int]] = {}  # of registers at the starts of loops
        waiting = [self._state((start, (), ()), {}, {}, np.ones(self._values.threads, np.bool_))]
        while waiting:
            state = waiting.pop()
            if state.edges is None:
                state.edges = list(self._edges(state, values))
            for may_go, key in state.edges:
                threads = state.threads & may_go
                after = self._states[key]
                if not threads.any():
                    continue
                if after not in state.after:
                    state.after.append(after)
                    after.before.append(state)
                if after.edges is None or (threads & ~after.threads).any():
                    after.threads = after.threads | threads
                    waiting.append(after)
        for state in self._states.values():
            for access in state.accesses:
                access.threads = access.threads & state.threads

    def _state(self, key: StateKey, registers: Registers, iterations: dict[int, int], threads: Values) -> PathState:
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = PathState(key[0], registers, iterations, threads)
        return state

    def _edges(self, state: PathState, values: dict[tuple[int, int], set[int]]) -> Iterator[tuple[Values, StateKey]]:
        """Execute the block of a state; yield the states that may follow, and the threads that may go there."""
        self._values.begin(state.registers)
        ops = self._slicer.ops_in(state.block)
        for op in ops:
            if isinstance(op.form, Access) and id(op) in self._ops:
                state.accesses.append(StateAccess(op, self._values.address(op), self._values.truth(op)[0]))
            self._values.execute(op)
        ends = self._slicer.successors(state.block)
        last = ops[-1] if ops else None
        everybody = np.ones(self._values.threads, np.bool_)
        flags = self._values.truth(last) if last is not None and len(ends) > 1 else (everybody,) * len(ends)
        following = [
            (may_go, end, self._values.end(self._live[end]))
            for end, may_go in zip(ends, flags, strict=True)
            if end in self._slicer.program.blocks
        ]
        for may_go, end, registers in following:
            if (may_go & state.threads).any() or may_go.any():
                iterations = self._enter(state, end, registers, values)
                key = end, tuple(sorted(registers.items())), tuple(sorted(iterations.items()))
                self._state(key, registers, iterations, np.zeros_like(everybody))
                if len(self._states) > MOST_STATES:
                    self._forget(values)
                yield may_go, key

    def _enter(
        self, state: PathState, end: int, registers: Registers, values: dict[tuple[int, int], set[int]]
    ) -> dict[int, int]:
        """Return the iterations of the loops around a block that follows a state, and change the registers there."""
        iterations = {loop.header: state.iterations.get(loop.header, 0) for loop in self._loops.around(end)}
        loop = self._loops.at(end)
        if loop is None:
            return iterations
        if state.block in loop.blocks:
            iterations[end] += 1
            if iterations[end] == 1:
                self._begin_turns(loop, registers)
            elif iterations[end] > self._period:
                iterations[end] = 1
                self._change(registers, _next_turn(f"{TURN}{end}"))
        else:
            iterations[end] = 0
            self._change(registers, _renamed(f"{TURN}{end}", f"{LOOP}{end} before"))
        for register in self._unknown.get(end, ()):
            registers.pop(register, None)
        counters = self._loops.steps(loop, registers)
        for register, number in registers.items():
            if register in counters:
                continue
            known = values.setdefault((end, register), set())
            known.add(number)
            if len(known) > MOST_VALUES:
                self._unknown.setdefault(end, set()).add(register)
                raise _TooManyError
        return iterations

    def _forget(self, values: Mapping[tuple[int, int], set[int]]) -> None:
        """Follow one register less at the start of a loop: that with the most values."""
        (header, register) = max(values, key=lambda key: len(values[key]), default=(-1, -1))
        self._unknown.setdefault(header, set()).add(register)
        raise _TooManyError

    def _begin_turns(self, loop: CodeLoop, registers: Registers) -> None:
        """Express the counters of a loop by its number of turns, which is 0 now and any number later."""
        turn = f"{TURN}{loop.header}"
        for register, step in self._loops.steps(loop, registers).items():
            value = self._values.value(registers[register]) if register in registers else None
            if isinstance(value, ThreadValue) and step:
                multiples = {**value.multiples, turn: np.full_like(value.number, step * self._period)}
                registers[register] = self._values.number(ThreadValue(value.number, multiples))

    def _change(self, registers: Registers, change: Callable[[ThreadValue], ThreadValue]) -> None:
        for register, number in registers.items():
            value = self._values.value(number)
            if isinstance(value, ThreadValue) and value.multiples:
                registers[register] = self._values.number(change(value))


def _next_turn(turn: str) -> Callable[[ThreadValue], ThreadValue]:
    """Return the change of values when a turn ends: the number of turns is one more."""

    def change(value: ThreadValue) -> ThreadValue:
        multiples = value.multiples.get(turn)
        return value if multiples is None else ThreadValue(value.number - multiples, value.multiples)

    return change


def _renamed(symbol: str, name: str) -> Callable[[ThreadValue], ThreadValue]:
    """Return the change of values by which a symbol gets another name."""

    def change(value: ThreadValue) -> ThreadValue:
        multiples = dict(value.multiples)
        if symbol not in multiples:
            return value
        renamed = multiples.pop(symbol)
        return ThreadValue(value.number, {**multiples, name: np.gcd(renamed, multiples.get(name, 0))})

    return change


def states_before(groups: Sequence[PathState], passes: Callable[[int], bool]) -> list[PathState]:
    """Return the states from which threads come to one of a group, without states that they cannot pass."""
    return _follow(groups, lambda state: state.before, passes)


def states_behind(groups: Sequence[PathState], passes: Callable[[int], bool]) -> list[PathState]:
    """Return the states that threads come to from one of a group, up to those that they cannot pass."""
    return _follow(groups, lambda state: state.after, passes)


def _follow(
    start: Sequence[PathState], follow: Callable[[PathState], list[PathState]], passes: Callable[[int], bool]
) -> list[PathState]:
    seen: dict[int, PathState] = {}
    waiting = list(start)
    while waiting:
        for state in follow(waiting.pop()):
            if id(state) not in seen and passes(state.block):
                seen[id(state)] = state
                waiting.append(state)
    return list(seen.values())
