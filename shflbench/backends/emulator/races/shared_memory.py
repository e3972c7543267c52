"""Find accesses to shared memory that no barrier orders, and reads of what nobody wrote.

For each unit of memory: who wrote it last, and when each thread last read it, by the numbers of `clocks.py`. Two
accesses race if one of them writes and neither thread knows of the other's. This does not depend on the order in
which they happened to run; what it does depend on is the data, which decides the addresses and the branches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.opcodes.forms import Barrier
from shflbench.backends.emulator.races.clocks import check_size
from shflbench.backends.emulator.races.hazards import HazardKind
from shflbench.backends.emulator.races.rule import Rule
from shflbench.model import WARP

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
NEVER = np.iinfo(np.int32).max  # later than any barrier, so that reads of what nobody wrote are looked at
SEVERAL = -1  # instead of the number of a warp


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """One instruction's accesses to one unit of memory each, an element per thread."""

    op: Op
    block: Values
    thread: Values  # of the block
    unit: Values
    stored: tuple[Values, ...] = ()  # what a store writes; empty for loads and atomics
    same: Values | None = None  # whether a store writes what is there already


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
        self.written_at = np.full(units, NEVER, np.int32)
        self.read_at = np.zeros((units, self.threads), np.int32)
        self.touched_at = np.zeros(units, np.int32)  # by anybody
        self.touched_by = np.full(units, SEVERAL, np.int32)  # the one warp that did since the last barrier of its block
        self._ops: list[Op] = []  # in the order in which they first came
        self._numbers: dict[int, int] = {}
        self._op_at = np.zeros(1024, np.int32)  # by the number of the access, an index into `_ops`
        last = (block.last for block in state.program.blocks.values())
        self._warps_meet = any(
            op is not None and isinstance(op.form, Barrier) and not op.form.whole_block for op in last
        )

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Compare an access with the earlier ones to the same places."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name != "shared":
            return
        scale = np.dtype(form.type).itemsize // self.granule
        parts = scale * form.vector
        block, thread, warp = self._places(members, parts)
        unit = index * scale if scale > 1 else index
        if parts > 1:
            unit = (unit + np.arange(parts)[:, None]).ravel()
        self._number(op)
        batch = SharedAccess(op, block, thread, unit)
        if form.kind == "ld":
            if not self._is_ordered_read(batch, warp):
                self._compare(batch, index, values)
            self.read_at[unit, thread] = self.clocks.now
        else:
            known_to_all = self._known_to_all(batch)
            ordered = known_to_all or self._is_ordered_write(batch, warp)
            if not ordered or (form.kind != "st" and (self.writer.take(unit) == NOBODY).any()):
                self._compare(batch, index, values)
            self.writer[unit], self.written_at[unit] = thread, self.clocks.now
            if not known_to_all:
                self.read_at[unit] = 0
            if ordered and form.kind == "st" and (self.writer.take(unit) != thread).any():
                self._compare(batch, index, values, with_earlier=False)
        if self._warps_meet:
            self._note_warps(batch, warp)
        self.touched_at[unit] = self.clocks.now

    def _is_ordered_read(self, batch: SharedAccess, warp: Values) -> bool:
        """Return whether barriers of whole blocks or warps come after the last writes; if not, others may."""
        written = self.written_at.take(batch.unit)
        by_block = written <= self.clocks.block_knows.take(batch.block)
        if by_block.all() or not self._warps_meet:
            return bool(by_block.all())
        by_warp = self.writer.take(batch.unit) // WARP == batch.thread // WARP
        return bool((by_block | (by_warp & (written <= self.clocks.warp_knows.take(warp)))).all())

    def _known_to_all(self, batch: SharedAccess) -> bool:
        """Return whether barriers of whole blocks come after all earlier accesses."""
        return bool((self.touched_at.take(batch.unit) <= self.clocks.block_knows.take(batch.block)).all())

    def _is_ordered_write(self, batch: SharedAccess, warp: Values) -> bool:
        """Return whether barriers of whole blocks or warps come after all earlier accesses."""
        if not self._warps_meet:
            return False
        touched = self.touched_at.take(batch.unit)
        by_block = touched <= self.clocks.block_knows.take(batch.block)
        by_warp = (self.touched_by.take(batch.unit) == warp) & (touched <= self.clocks.warp_knows.take(warp))
        return bool((by_block | by_warp).all())

    def _places(self, members: ThreadSet, parts: int) -> tuple[Values, Values, Values]:
        """Return the block, the index in it, and the warp of each thread, repeated for each part of its access."""
        kept = members.kept.get(("places", parts))
        if kept is None:
            threads = np.tile(members.threads, parts)
            places = (threads // self.threads, threads % self.threads, threads // WARP)
            kept = members.kept["places", parts] = (0, places)
        located: tuple[Values, Values, Values] = kept[1]
        return located

    def _number(self, op: Op) -> None:
        """Note which op makes the access that is being made."""
        number = self._numbers.setdefault(id(op), len(self._ops))
        if number == len(self._ops):
            self._ops.append(op)
        if self.clocks.now >= self._op_at.size:
            self._op_at = np.concatenate([self._op_at, np.zeros_like(self._op_at)])
        self._op_at[self.clocks.now] = number

    def _note_warps(self, batch: SharedAccess, warp: Values) -> None:
        """Note which units one warp alone has touched since the last barrier of its block."""
        alone = self.touched_at.take(batch.unit) <= self.clocks.block_knows.take(batch.block)
        alone |= self.touched_by.take(batch.unit) == warp
        self.touched_by[batch.unit] = np.where(alone, warp, SEVERAL)
        shared = self.touched_by.take(batch.unit) != warp  # also with a warp that touches it by this instruction
        if shared.any():
            self.touched_by[batch.unit[shared]] = SEVERAL

    def _compare(
        self, whole: SharedAccess, index: Values, values: Sequence[Values], *, with_earlier: bool = True
    ) -> None:
        """Look for races of the units of an access one after the other, with earlier accesses or within a store."""
        form: Access = whole.op.form  # type: ignore[assignment]
        stored: tuple[Values, ...] = ()
        same = None
        if form.kind == "st":
            stored = tuple(np.broadcast_to(value.reshape(-1), index.shape) for value in values)
            data = self.state.spaces["shared"].view(form.type)
            same = np.logical_and.reduce([data[index + part] == value for part, value in enumerate(stored)])
        parts = (item.reshape(-1, index.size) for item in (whole.block, whole.thread, whole.unit))
        for block, thread, unit in zip(*parts, strict=True):
            batch = SharedAccess(whole.op, block, thread, unit, stored, same)
            if form.kind == "ld":
                self._read(batch)
            else:
                self._write(batch, with_earlier=with_earlier)

    def _read(self, batch: SharedAccess) -> None:
        writer = self.writer[batch.unit]
        self._uninitialised(batch, writer)
        racing = self._unordered_write(batch, writer)
        if racing.any():
            self._race(HazardKind.RAW, batch, racing, writer, self._written_by(batch))

    def _write(self, batch: SharedAccess, *, with_earlier: bool) -> None:
        if with_earlier:
            writer, written_by = self.writer[batch.unit], self._written_by(batch)
            racing = self._unordered_write(batch, writer)
            if batch.same is None:
                racing &= np.array([op.form.kind == "st" for op in self._ops])[written_by]  # type: ignore[union-attr]
                self._uninitialised(batch, writer)
            self._by_value(batch, racing, batch.same, writer, written_by)
            self._against_reads(batch)
        if batch.same is not None:
            self._against_each_other(batch)

    def _unordered_write(self, batch: SharedAccess, writer: Values) -> Values:
        known = self.clocks.known(batch.block, batch.thread, writer)
        unordered: Values = (self.written_at[batch.unit] > known) & (writer != batch.thread) & (writer != NOBODY)
        return unordered

    def _written_by(self, batch: SharedAccess) -> Values:
        """Return the index of the op that wrote each unit last; meaningless where nobody did."""
        return self._op_at.take(self.written_at[batch.unit], mode="clip")

    def _against_reads(self, batch: SharedAccess) -> None:
        # One row per thread of the access, one column per thread that may have read what it overwrites.
        row, reader = np.nonzero(self.read_at[batch.unit] > self.clocks.block_knows[batch.block][:, None])
        late = self.read_at[batch.unit[row], reader] > self.clocks.known(batch.block[row], batch.thread[row], reader)
        late &= reader != batch.thread[row]
        if late.any():
            racing, first = np.zeros(batch.unit.shape, np.bool_), np.zeros(batch.unit.shape, np.int64)
            racing[row[late]] = True
            first[row[late][::-1]] = reader[late][::-1]
            self._race(HazardKind.WAR, batch, racing, first, self._op_at[self.read_at[batch.unit, first]])

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
            self._by_value(batch, again, same, before, np.full(batch.unit.shape, self._numbers[id(batch.op)]))

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
            reader = batch.block[first : first + 1] * self.threads + batch.thread[first]
            self.report(HazardKind.UNINITIALISED, batch.op, reader, int(np.count_nonzero(nobody)))

    def _race(self, kind: HazardKind, batch: SharedAccess, where: Values, others: Values, ops: Values) -> None:
        """Report a race with each earlier instruction that is involved."""
        for earlier in np.unique(ops[where]).tolist():
            these = where & (ops == earlier)
            first = int(np.argmax(these))
            pair = batch.block[first] * self.threads + np.array([batch.thread[first], others[first]])
            self.report(kind, batch.op, pair, int(np.count_nonzero(these)), self._ops[earlier])
