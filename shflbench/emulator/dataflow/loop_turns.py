"""How often loops jump back whose conditions compare counters of the threads with constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.emulator.dataflow.code_loops import CodeLoops
from shflbench.emulator.opcodes.forms import Pure
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.emulator.dataflow.code_loops import CodeLoop
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.dataflow.symbolic_numbers import ThreadValue
    from shflbench.emulator.link.program import Op, Source
    from shflbench.emulator.opcodes.forms import Values

MOST_TURNS = 64  # that are counted
NUMBERS = {np.dtype("i4"), np.dtype("u4")}  # types of counters


class LoopTurns:
    """The loops of one program, with how often a thread jumps back in them."""

    def __init__(
        self, slicer: Slicer, read: Callable[[Source, Op], ThreadValue], counted: Mapping[str, tuple[Op, Op]]
    ) -> None:
        """Count nothing yet; `read` returns the value of an operand.

        Its symbols that are `counted` stand for how often the second of two ops has run since the first one.
        """
        self._slicer, self._read, self._counters = slicer, read, counted
        self._loops = slicer.kept(CodeLoops)
        self._known: dict[int, Values | None] = {}  # by the header of a loop, per thread

    def most(self, start: Op, step: Op, reader: Op) -> Values | None:
        """Return how often `step` may have run per thread when `reader` runs, since `start` did; None if unknown.

        `start` gives a register its first value, and `step` advances it in a loop.
        """
        loop = self._counting(start, step)
        if loop is None:
            return None
        if loop.header not in self._known:
            self._known[loop.header] = None  # meanwhile
            self._known[loop.header] = self._counted(loop)
        turns = self._known[loop.header]
        # Behind a step that not all turns execute, a reader sees those of its own turn, too.
        is_before = self._slicer.block_of(reader) in loop.blocks and self._loops.runs_once(loop, step)
        return None if turns is None else turns + (not is_before)

    def _counting(self, start: Op, step: Op) -> CodeLoop | None:
        """Return the loop in which a step counts, if each entry of the loop comes from the start of the count."""
        around = sorted(self._loops.around(self._slicer.block_of(step)), key=lambda loop: len(loop.blocks))
        begins = self._slicer.block_of(start)
        if not self._loops.is_reducible or not around or not self._loops.dominates(begins, around[0].header):
            return None
        loop, *outer = around
        return None if begins in loop.blocks or any(begins not in other.blocks for other in outer) else loop

    def _counted(self, loop: CodeLoop) -> Values | None:
        """Return how often each thread jumps back at most."""
        if len(loop.latches) != 1:
            return None
        (latch,) = loop.latches
        jump = self._slicer.program.blocks[latch].last
        ends = self._slicer.successors(latch)
        if jump is None or jump.guard is None or len(ends) != 2:  # noqa: PLR2004  (back, or out of the loop)
            return None
        writers = [op for op in self._slicer.writers(jump.guard.number) if self._slicer.block_of(op) in loop.blocks]
        if len(writers) != 1 or self._slicer.block_of(writers[0]) != latch:
            return None
        (compare,) = writers
        is_plain = compare.guard is None and len(compare.results) == 1 and len(compare.sources) == len(ends)
        if not (is_plain and has_role(compare.instruction, OpcodeRole.COMPARISON)):
            return None
        goes_back = ends[0] == loop.header  # where the guard holds
        return self._turns(loop, compare, holds=goes_back != jump.guard.negated)

    def _turns(self, loop: CodeLoop, compare: Op, *, holds: bool) -> Values | None:
        """Return how often in a row a comparison holds, of numbers that each turn of the loop advances once."""
        form = compare.form
        # A number of 64 bits may stand for one of 32 bits without a sign.
        if not isinstance(form, Pure) or any(np.dtype(type_) not in NUMBERS for type_ in form.operands):
            return None
        operands = [self._read(source, compare) for source in compare.sources]
        symbols = {symbol for value in operands for symbol in value.multiples}
        counted = [self._counters[symbol] for symbol in symbols if symbol in self._counters]
        is_counted = all(self._counting(*ends) is loop and self._loops.runs_once(loop, ends[1]) for ends in counted)
        if len(counted) < len(symbols) or not is_counted:
            return None
        goes_on = np.ones(operands[0].number.size, np.bool_)
        turns = np.zeros(goes_on.size, np.int64)
        for turn in range(MOST_TURNS + 1):
            numbers = [value.number + turn * sum(value.multiples.values()) for value in operands]
            result = np.empty(goes_on.size, np.bool_)
            form.apply(*(number.astype(type_) for number, type_ in zip(numbers, form.operands, strict=True)), result)
            goes_on &= result == holds
            turns += goes_on
            if not goes_on.any():
                return turns
        return None
