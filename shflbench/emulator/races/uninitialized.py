"""Find reads of uninitialized memory; plain shared memory has its own rule.

Whether the values have an effect is not known before the end: `undefined_values.py` finds out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shflbench.emulator.link.program import Op, Program, Slot
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.opcodes.memory_access import UPDATES
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import HazardKind, HazardLog
from shflbench.emulator.races.rule import Rule


class UninitializedReads(Rule):
    """Tracks which bytes are written."""

    def __init__(
        self, state: State, clocks: Clocks, log: HazardLog, spaces: Sequence[str] = ("global", "local")
    ) -> None:
        """Treat the initial contents of buffers as written."""
        super().__init__(state, clocks, log)
        self._initializing = state.program.kept(_exchanges_without_result)
        self._in_part: set[str] = set()  # places of reads of local memory that is initialized
        self._written = {name: np.zeros(state.spaces[name].bytes.shape, np.uint8) for name in spaces}
        for name, flags in self._written.items():
            for start, end in state.spaces[name].filled:
                flags[start:end] = 1

    def unwritten(self, space: str) -> Values:
        """Return which bytes of a memory space nothing has written."""
        unwritten: Values = self._written[space] == 0
        return unwritten

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Mark the bytes of a store; report loads and atomics of other bytes."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name not in self._written:
            return
        size = np.dtype(form.type).itemsize
        flags = self._written[space.name].view(f"u{size}")  # one byte of an element per byte of memory
        every = int.from_bytes(b"\1" * size, "little")
        if form.kind == "st" or id(op) in self._initializing:
            for part in range(form.vector):
                flags[index + part] = every
            return
        if space.name == "local" and self._may_be_padding(op, [flags[index + part] for part in range(form.vector)]):
            self._in_part.add(op.instruction.where)
        unwritten = np.logical_or.reduce([flags[index + part] != every for part in range(form.vector)])
        if unwritten.any():
            place = (space.name, int(index[np.argmax(unwritten)]) * size, size * form.vector)
            count = int(np.count_nonzero(unwritten))
            self.report(HazardKind.UNINITIALIZED_UNUSED, op, members.threads[unwritten][:1], count, place=place)
        if form.atomic:
            for part in range(form.vector):
                flags[index + part] = every

    def start_copy(self, copy: BulkCopy) -> None:
        """Report a bulk copy of bytes that nothing has written."""
        flags = self._written.get(copy.source.space) if copy.source is not None else None
        if copy.source is None or flags is None:
            return
        unwritten = np.flatnonzero(flags[copy.source.start : copy.source.end] == 0)
        if unwritten.size:
            first, last = int(unwritten[0]), int(unwritten[-1])
            place = (copy.source.space, copy.source.start + first, last - first + 1)
            self.report(HazardKind.UNINITIALIZED_UNUSED, copy.op, np.array([copy.thread]), place=place)

    def complete_copy(self, copy: BulkCopy) -> None:
        """Mark the bytes that a bulk copy has written."""
        flags = self._written.get(copy.target.space)
        if flags is not None:
            flags[copy.target.start : copy.target.end] = 1

    def finish(self) -> None:
        """Mark the reads that may be of the padding of a structure, beside those of its members."""
        for key, hazard in self.log.hazards.items():
            if hazard.space == "local" and hazard.instruction.where in self._in_part:
                self.log.hazards[key] = replace(hazard, in_part=True)

    @staticmethod
    def _may_be_padding(op: Op, flags: Sequence[Values]) -> bool:
        """Whether a read is of initialized memory, or of a single byte, as a structure without members has it."""
        form: Access = op.form  # type: ignore[assignment]
        single = form.vector == 1 and np.dtype(form.type).itemsize == 1
        return single or any(part.any() for part in flags)


def _exchanges_without_result(program: Program) -> set[int]:
    """Return the ids of atomic exchanges whose old value no instruction reads: these only write."""
    ops = [op for block in program.blocks.values() for op in (*block.ops, block.last) if op is not None]
    read = {
        slot.number
        for op in ops
        for slot in (*op.sources, op.guard, op.place and op.place.base)
        if isinstance(slot, Slot)
    }
    exchanges = [op for op in ops if isinstance(op.form, Access) and op.form.update is UPDATES["exch"]]
    return {id(op) for op in exchanges if all(slot is None or slot.number not in read for slot in op.results)}
