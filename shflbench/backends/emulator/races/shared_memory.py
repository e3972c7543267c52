"""Find accesses to shared memory that no barrier orders, and reads of what nobody wrote.

For each unit of memory: who wrote it last, and when each thread last read it, on the clocks of `clocks.py`. Two
accesses race if one of them writes and neither thread knows of the other's. This does not depend on the order in
which they happened to run; what it does depend on is the data, which decides the addresses and the branches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.races.clocks import check_size
from shflbench.backends.emulator.races.hazards import HazardKind
from shflbench.backends.emulator.races.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.emulator.link.program import Op
    from shflbench.backends.emulator.machine.memory import MemorySpace
    from shflbench.backends.emulator.machine.state import State
    from shflbench.backends.emulator.machine.threads import ThreadSet
    from shflbench.backends.emulator.opcodes.forms import Access, Values
    from shflbench.backends.emulator.races.clocks import Clocks
    from shflbench.backends.emulator.races.hazards import HazardLog

NOBODY = -1


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """One instruction's accesses to one unit of memory each, a thread an element."""

    op: int
    block: Values
    thread: Values  # of the block
    unit: Values
    now: Values  # own counts of the threads
    stored: tuple[Values, ...]  # what a store writes; empty for loads and atomics
    same: Values | None  # whether a store writes what is there already


class SharedMemoryRaces(Rule):
    """Keeps account of the last accesses to shared memory."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Start with untouched memory; EmulatorError if the launch is too large to be checked."""
        super().__init__(state, clocks, log)
        shape, space = state.shape, state.spaces["shared"]
        self.granule = state.program.shared_granule
        self.threads = shape.lanes_per_block
        units = max(space.bytes.size // self.granule, 1)
        check_size(state, units + shape.lanes)
        self.writer = np.full(units, NOBODY, np.int32)  # thread of the block
        self.written_at = np.zeros(units, np.int32)
        self.written_by = np.zeros(units, np.int32)  # op, an index into `ops`
        self.atomic = np.zeros(units, np.bool_)  # whether the last write was one
        self.read_at = np.zeros((units, self.threads), np.int32)
        self.read_by = np.zeros((units, self.threads), np.int32)
        self.ops: list[Op] = []
        self._numbers: dict[int, int] = {}

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Compare an access with the earlier ones to the same places."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name != "shared":
            return
        block, thread = members.threads // self.threads, members.threads % self.threads
        now = self.clocks.own(block, thread)
        stored: tuple[Values, ...] = ()
        same = None
        if form.kind == "st":
            stored = tuple(np.broadcast_to(value.reshape(-1), index.shape) for value in values)
            data = space.view(form.type)
            same = np.logical_and.reduce([data[index + part] == value for part, value in enumerate(stored)])
        element = np.dtype(form.type).itemsize
        first = index * element // self.granule
        for part in range(max(element * form.vector // self.granule, 1)):
            batch = SharedAccess(self._number(op), block, thread, first + part if part else first, now, stored, same)
            if form.kind == "ld":
                self._read(batch)
            else:
                self._write(batch)

    def _number(self, op: Op) -> int:
        number = self._numbers.get(id(op))
        if number is None:
            number = self._numbers[id(op)] = len(self.ops)
            self.ops.append(op)
        return number

    def _read(self, batch: SharedAccess) -> None:
        writer = self.writer[batch.unit]
        self._uninitialised(batch, writer)
        racing = self._unordered_write(batch, writer)
        if racing.any():
            self._race(HazardKind.RAW, batch, racing, writer, self.written_by[batch.unit])
        self.read_at[batch.unit, batch.thread] = batch.now
        self.read_by[batch.unit, batch.thread] = batch.op

    def _write(self, batch: SharedAccess) -> None:
        unit, is_atomic = batch.unit, batch.same is None
        writer = self.writer[unit]
        racing = self._unordered_write(batch, writer)
        if is_atomic:
            racing &= ~self.atomic[unit]
            self._uninitialised(batch, writer)
        self._by_value(batch, racing, batch.same, writer, self.written_by[unit])
        self._against_reads(batch)
        if not is_atomic:
            self._against_each_other(batch)
        self.writer[unit], self.written_at[unit], self.written_by[unit] = batch.thread, batch.now, batch.op
        self.atomic[unit] = is_atomic
        self.read_at[unit] = 0

    def _unordered_write(self, batch: SharedAccess, writer: Values) -> Values:
        known = self.clocks.knows[batch.block, batch.thread, writer]
        unordered: Values = (self.written_at[batch.unit] > known) & (writer != batch.thread) & (writer != NOBODY)
        return unordered

    def _against_reads(self, batch: SharedAccess) -> None:
        late: Values = self.read_at[batch.unit] > self.clocks.knows[batch.block, batch.thread]
        late[np.arange(batch.thread.size), batch.thread] = False
        racing: Values = np.any(late, axis=1)
        if racing.any():
            reader = late.argmax(axis=1)
            self._race(HazardKind.WAR, batch, racing, reader, self.read_by[batch.unit, reader])

    def _against_each_other(self, batch: SharedAccess) -> None:
        """Find threads that write one place by the same instruction."""
        order = np.argsort(batch.unit, kind="stable")
        one, next_ = order[:-1], order[1:]
        again = np.zeros(batch.unit.shape, np.bool_)
        again[next_] = batch.unit[next_] == batch.unit[one]
        if again.any():
            same, before = np.ones(batch.unit.shape, np.bool_), np.zeros(batch.unit.shape, np.int64)
            for value in batch.stored:
                same[next_] &= value[next_] == value[one]
            before[next_] = batch.thread[one]
            self._by_value(batch, again, same, before, np.full(batch.unit.shape, batch.op))

    def _by_value(self, batch: SharedAccess, racing: Values, same: Values | None, others: Values, ops: Values) -> None:
        """Report writes, and apart from them those of a value that is there already, which harm nobody today."""
        different: Values = racing if same is None else racing & ~same
        if different.any():
            self._race(HazardKind.WAW, batch, different, others, ops)
        equal: Values = racing ^ different
        if equal.any():
            self._race(HazardKind.SAME_VALUE, batch, equal, others, ops)

    def _uninitialised(self, batch: SharedAccess, writer: Values) -> None:
        nobody = writer == NOBODY
        if nobody.any():
            first = int(np.argmax(nobody))
            reader = np.array([batch.block[first] * self.threads + batch.thread[first]])
            self.report(HazardKind.UNINITIALISED, self.ops[batch.op], reader, int(np.count_nonzero(nobody)))

    def _race(self, kind: HazardKind, batch: SharedAccess, where: Values, others: Values, ops: Values) -> None:
        """Report a race with each earlier instruction that is involved."""
        for earlier in np.unique(ops[where]).tolist():
            these = where & (ops == earlier)
            first = int(np.argmax(these))
            other = batch.block[first] * self.threads + others[first]
            pair = np.array([batch.block[first] * self.threads + batch.thread[first], other])
            self.report(kind, self.ops[batch.op], pair, int(np.count_nonzero(these)), self.ops[earlier])
