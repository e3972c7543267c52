"""Find accesses to shared memory that no barrier orders, and reads of what nobody wrote.

For each unit of memory: who wrote it last, and when each thread last read it, on the clocks of `clocks.py`. Two
accesses race if one of them writes and neither thread knows of the other's. This does not depend on the order in
which they happened to run; what it does depend on is the data, which decides the addresses and the branches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.clocks import Clocks
from shflbench.backends.emulator.findings import Kind
from shflbench.backends.emulator.forms import Access
from shflbench.errors import EmulatorError
from shflbench.model import WARP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.program import Op
    from shflbench.backends.emulator.state import State

NOBODY = -1
MOST_BYTES = 1 << 30  # of bookkeeping


@dataclass(frozen=True, slots=True)
class Batch:
    """One instruction's accesses to one unit of memory each, a thread an element."""

    op: int
    block: Values
    thread: Values  # of the block
    unit: Values
    now: Values  # own counts of the threads
    stored: tuple[Values, ...]  # what a store writes; empty for loads and atomics
    same: Values | None  # whether a store writes what is there already


class Tracker:
    """Watches the shared memory of one launch."""

    def __init__(self, state: State) -> None:
        """Watch from now on; EmulatorError if the launch is too large to be watched."""
        shape, space = state.shape, state.spaces["shared"]
        self.state = state
        self.granule = state.program.shared_granule
        self.threads = shape.warps_a_block * WARP
        units = max(space.bytes.size // self.granule, 1)
        if (units + shape.lanes) * self.threads * 8 > MOST_BYTES:
            raise EmulatorError(
                f"{state.program.name} cannot be checked for races at {shape.grid}x{shape.block}",
                "Check fewer or smaller blocks; two of 128 threads show the same races.",
            )
        self.clocks = Clocks(shape)
        self.writer = np.full(units, NOBODY, np.int32)  # thread of the block
        self.written_at = np.zeros(units, np.int32)
        self.written_by = np.zeros(units, np.int32)  # op, an index into `ops`
        self.atomic = np.zeros(units, np.bool_)  # whether the last write was one
        self.read_at = np.zeros((units, self.threads), np.int32)
        self.read_by = np.zeros((units, self.threads), np.int32)
        self.ops: list[Op] = []
        self._numbers: dict[int, int] = {}

    def access(self, op: Op, threads: Values, index: Values, values: Sequence[Values]) -> None:
        """Look at an access before it is carried out; `index` counts elements of the access's type."""
        form = op.form
        if not isinstance(form, Access):
            return
        block, thread = threads // self.threads, threads % self.threads
        now = self.clocks.own(block, thread)
        stored: tuple[Values, ...] = ()
        same = None
        if form.kind == "st":
            stored = tuple(np.broadcast_to(value.reshape(-1), index.shape) for value in values)
            data = self.state.spaces["shared"].view(form.type)
            same = np.logical_and.reduce([data[index + part] == value for part, value in enumerate(stored)])
        element = np.dtype(form.type).itemsize
        first = index * element // self.granule
        for part in range(max(element * form.vector // self.granule, 1)):
            batch = Batch(self._number(op), block, thread, first + part if part else first, now, stored, same)
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

    def _read(self, batch: Batch) -> None:
        writer = self.writer[batch.unit]
        self._uninitialised(batch, writer)
        racing = self._unordered_write(batch, writer)
        if racing.any():
            self._race(Kind.RAW, batch, racing, writer, self.written_by[batch.unit])
        self.read_at[batch.unit, batch.thread] = batch.now
        self.read_by[batch.unit, batch.thread] = batch.op

    def _write(self, batch: Batch) -> None:
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

    def _unordered_write(self, batch: Batch, writer: Values) -> Values:
        known = self.clocks.knows[batch.block, batch.thread, writer]
        unordered: Values = (self.written_at[batch.unit] > known) & (writer != batch.thread) & (writer != NOBODY)
        return unordered

    def _against_reads(self, batch: Batch) -> None:
        late: Values = self.read_at[batch.unit] > self.clocks.knows[batch.block, batch.thread]
        late[np.arange(batch.thread.size), batch.thread] = False
        racing: Values = np.any(late, axis=1)
        if racing.any():
            reader = late.argmax(axis=1)
            self._race(Kind.WAR, batch, racing, reader, self.read_by[batch.unit, reader])

    def _against_each_other(self, batch: Batch) -> None:
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

    def _by_value(self, batch: Batch, racing: Values, same: Values | None, others: Values, ops: Values) -> None:
        """Report writes, and apart from them those of a value that is there already, which harm nobody today."""
        different: Values = racing if same is None else racing & ~same
        if different.any():
            self._race(Kind.WAW, batch, different, others, ops)
        equal: Values = racing ^ different
        if equal.any():
            self._race(Kind.SAME_VALUE, batch, equal, others, ops)

    def _uninitialised(self, batch: Batch, writer: Values) -> None:
        nobody = writer == NOBODY
        if nobody.any():
            first = int(np.argmax(nobody))
            who = ((int(batch.block[first]), int(batch.thread[first])),)
            instruction = self.ops[batch.op].instruction
            self.state.findings.add(Kind.UNINITIALISED, instruction, who, int(np.count_nonzero(nobody)))

    def _race(self, kind: Kind, batch: Batch, where: Values, others: Values, ops: Values) -> None:
        """Report a race with each earlier instruction that is involved."""
        for earlier in np.unique(ops[where]).tolist():
            these = where & (ops == earlier)
            first = int(np.argmax(these))
            block = int(batch.block[first])
            pair = ((block, int(batch.thread[first])), (block, int(others[first])))
            count = int(np.count_nonzero(these))
            self.state.findings.add(kind, self.ops[batch.op].instruction, pair, count, self.ops[earlier].instruction)

    def join_lanes(self, threads: Values, masks: Values) -> None:
        """Note a barrier of the lanes that each thread's mask names."""
        warps = threads // WARP
        for warp in np.unique(warps).tolist():
            here = warps == warp
            for mask in np.unique(masks[here]).tolist():
                members = threads[here & (masks == mask)] % self.threads
                self.clocks.join(warp * WARP // self.threads, members)
