"""Decide whether threads learn nothing from barriers in memory but that a phase is complete.

A test of a phase may return false at any time, and how often it does so depends on the order of the threads. That has
no effect if false leads to another test of the same phase, with nothing between them but instructions of one thread,
and if after a test that returns true all registers that are still read are the same, however many tests came before. As
the registers before the first test are arbitrary here, what holds for one repetition holds for all.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.liveness import live_registers
from shflbench.emulator.dataflow.symbols import Expressions
from shflbench.emulator.link.barrier_loops import successors
from shflbench.emulator.link.phase_tests import is_read, phase_tests
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Branch, Pure
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.dataflow.symbols import Registers
    from shflbench.emulator.link.program import Op, Program

Position = tuple[int, int]  # a block, and the number of an op in it
_Entries = dict[int, "Registers"]  # the registers at the starts of blocks, in the order of the code that was followed


def only_waits_for_phases(program: Program) -> bool:
    """Return whether every test of a phase is repeated until it returns true, and no token has another use."""
    tests = phase_tests(program)
    reads = [
        (start, number) for start, block in program.blocks.items() for number, op in enumerate(block.ops) if is_read(op)
    ]
    waits = _Waits(program, tests)
    return _tokens_are_only_tested(program) and all(waits.is_repeated(read) for read in reads)


def _tokens_are_only_tested(program: Program) -> bool:
    """Return whether the states that arrivals return are moved between registers and tested only."""
    arrivals = [op for op in program.ops() if isinstance(op.form, Access) and op.form.is_barrier and op.form.atomic]
    waiting = [slot.number for op in arrivals for slot in op.results if slot is not None]
    tokens = set(waiting)
    readers: dict[int, list[Op]] = defaultdict(list)
    for op in program.ops() if waiting else ():
        for slot in (*op.sources, op.guard, op.place.base if op.place is not None else None):
            if isinstance(slot, Slot):
                readers[slot.number].append(op)
    while waiting:
        for op in readers[waiting.pop()]:
            if has_role(op.instruction, OpcodeRole.TOKEN_TEST):
                continue
            if not has_role(op.instruction, OpcodeRole.COPY):
                return False
            moved = {slot.number for slot in op.results if slot is not None} - tokens
            tokens |= moved
            waiting += moved
    return True


class _Waits:
    """The loops around the tests of one program."""

    def __init__(self, program: Program, tests: Mapping[int, Op]) -> None:
        self._program, self._tests = program, tests
        self._expressions = Expressions()

    @cached_property
    def _live(self) -> Mapping[int, int]:
        return live_registers(self._program)

    @cached_property
    def _before(self) -> Mapping[int, list[int]]:
        """The blocks before each block."""
        before: dict[int, list[int]] = defaultdict(list)
        for start, block in self._program.blocks.items():
            for after in set(successors(block)):
                before[after].append(start)
        return before

    def is_repeated(self, read: Position) -> bool:
        """Return whether a test that returns false leads to one of the same phase, and has no other effect."""
        if not self._is_plain(read):
            return False
        registers: Registers = {}
        for op in self._leading_to(read):
            self._expressions.execute(registers, op)
        phase = self._phase(read, registers)
        passed, failed = dict(registers), dict(registers)
        entries, _ = self._follow(passed, read, passes=True)
        _, second = self._follow(failed, read, passes=False)
        if second is None or not self._is_plain(second) or self._phase(second, failed) != phase:
            return False
        later, _ = self._follow(failed, second, passes=True)
        meeting = next((block for block in later if block in entries), None)
        return meeting is not None and self._agree(meeting, entries[meeting], later[meeting])

    def _is_plain(self, read: Position) -> bool:
        """Return whether a comparison follows a read, and both are executed whatever predicates say."""
        op = self._program.blocks[read[0]].ops[read[1]]
        test = self._tests.get(id(op))
        return test is not None and test.guard is None and op.guard is None

    def _leading_to(self, read: Position) -> list[Op]:
        """Return the instructions of one thread that are always executed right before a read, in their order."""
        block, number = read
        ops: list[Op] = []
        seen = {block}
        while True:
            for op in reversed(self._program.blocks[block].ops[:number]):
                if not isinstance(op.form, Pure):
                    return ops[::-1]
                ops.append(op)
            before = self._before[block]
            if len(before) != 1 or before[0] in seen:
                return ops[::-1]
            block = before[0]
            last = self._program.blocks[block].last
            if last is not None and not isinstance(last.form, Branch):
                return ops[::-1]
            seen.add(block)
            number = len(self._program.blocks[block].ops)

    def _phase(self, read: Position, registers: Registers) -> tuple[object, ...]:
        """Return what names the barrier and the phase of a test."""
        op = self._program.blocks[read[0]].ops[read[1]]
        test, place = self._tests[id(op)], op.place
        base = (
            self._expressions.operand(registers, place.base) if place is not None and place.base is not None else None
        )
        awaited = self._expressions.operand(registers, test.sources[1])
        return op.form, base, place.offset if place is not None else 0, test.instruction.opcode, awaited

    def _follow(self, registers: Registers, read: Position, *, passes: bool) -> tuple[_Entries, Position | None]:
        """Execute instructions of one thread from a test on, given its result.

        Return the registers at the start of each block, and the next test if nothing else comes before it.
        """
        block, number = read
        state, test = self._program.blocks[block].ops[number : number + 2]
        for slot in (*state.results, *test.results):
            if slot is not None:
                registers[slot.number] = self._expressions.number("state")
        for slot in test.results:
            if slot is not None:
                registers[slot.number] = self._expressions.constant(int(passes))
        entries: _Entries = {}
        number += 2
        while True:
            for place, op in enumerate(self._program.blocks[block].ops[number:], number):
                if not isinstance(op.form, Pure):
                    return entries, (block, place) if is_read(op) else None
                self._expressions.execute(registers, op)
            following = self._after(block, registers)
            if following is None or following in entries:
                return entries, None
            block, number = following, 0
            entries[block] = dict(registers)

    def _after(self, block: int, registers: Registers) -> int | None:
        """Return the block that follows one; None if that is unknown, or threads wait or end there."""
        item = self._program.blocks[block]
        if item.last is None:
            return item.next if item.next != block else None
        if not isinstance(item.last.form, Branch):
            return None
        holds = True if item.last.guard is None else self._expressions.holds(registers, item.last.guard)
        return None if holds is None else item.last.target if holds else item.next

    def _agree(self, block: int, one: Registers, other: Registers) -> bool:
        """Return whether all registers that are live at the start of a block have equal values."""
        live, of = self._live[block], self._expressions.of
        return all(
            of(one, register) == of(other, register) for register in one.keys() | other.keys() if live >> register & 1
        )
