"""Find accesses to shared memory that no barrier orders, and reads of uninitialized shared memory.

For each cell of memory: which thread wrote it last, and when each thread last read it, by the numbers of `clocks.py`.
Two accesses race if one of them writes and neither thread knows of the other's. This does not depend on the schedule,
but on the data, which decides addresses and branches.

The general rule (`conflicts.py`, and `tracked.py` in a second run) finds the same, and keeps more for each access.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Barrier, Values
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import HazardKind, HazardLog
from shflbench.emulator.races.rule import Rule
from shflbench.errors import EmulatorError

NO_THREAD = -1
NEVER = np.iinfo(np.int32).max  # later than any barrier, so that reads of uninitialized memory are compared
MOST_READS_BYTES = 1 << 30  # of the table of last reads
SEVERAL = -1  # instead of the number of a warp


# Possible hazards: their kind, flags, the other threads of the block, and the numbers of their accesses
Suspects = tuple[HazardKind, Values, Values, Values]


@dataclass(slots=True, eq=False)  # not frozen, which takes longer to make than some comparisons
class SharedAccess:
    """One instruction's access: an element per cell, beginning with the first cell of each thread."""

    op: Op
    kind: str  # ld, st, atom or red
    parts: int  # cells per thread
    block: Values
    thread: Values  # of the block
    warp: Values
    cell: Values
    index: Values  # of elements, one per thread
    values: Sequence[Values]  # what a store writes, or the operands of an atomic
    known: Values  # the last access of its block that all threads of the block know of

    @property
    def stored(self) -> list[Values]:
        """What a store writes: a value per thread for each element of a vector."""
        return [np.broadcast_to(value.reshape(-1), self.index.shape) for value in self.values]


class SharedMemoryRaces(Rule):
    """Tracks the last accesses to each cell of shared memory."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Start with uninitialized memory; EmulatorError if the launch is too large to be checked."""
        super().__init__(state, clocks, log)
        shape, space = state.shape, state.spaces["shared"]
        self.granule = state.program.shared_granule
        self.threads = shape.lanes_per_block
        cells = max(space.bytes.size // self.granule, 1)
        if cells * self.threads * 4 > MOST_READS_BYTES:
            raise EmulatorError(
                f"{state.program.name} cannot be checked for races at {shape.grid}x{shape.block}",
                "Check fewer or smaller blocks; two of 128 threads show the same races.",
            )
        self.writer = np.full(cells, NO_THREAD, np.int32)  # thread of the block
        self.written_at = np.full(cells, NEVER, np.int32)
        self.read_at = np.zeros((cells, self.threads), np.int32)
        self.accessed_at = np.zeros(cells, np.int32)  # by any thread
        # The only warp that accessed a cell since the last barrier of its block.
        self.accessed_by = np.full(cells, SEVERAL, np.int32)
        self._last = np.zeros(cells, np.int64)  # of the threads of one store, the last that writes each cell
        self._ops: list[Op] = []  # in the order of their first access
        self._numbers: dict[int, int] = {}
        self._op_at = np.zeros(1024, np.int32)  # by the number of the access, an index into `_ops`
        last = (block.last for block in state.program.blocks.values())
        self._warps_meet = any(
            op is not None and isinstance(op.form, Barrier) and not op.form.whole_block for op in last
        )

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Compare an access with earlier ones to the same cells."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name != "shared":
            return
        scale = np.dtype(form.type).itemsize // self.granule
        parts = scale * form.vector
        block, thread, warp = self._places(members, parts)
        cell = index * scale if scale > 1 else index
        if parts > 1:
            cell = (cell + np.arange(parts)[:, None]).ravel()
        self._number(op)
        known = self.clocks.block_knows.take(block)
        batch = SharedAccess(op, form.kind, parts, block, thread, warp, cell, index, values, known)
        if form.kind == "ld" and not self._warps_meet:
            self._read(batch)
        else:
            by_block = self.accessed_at.take(cell) <= known
            if form.kind == "ld":
                self._read(batch)
            else:
                self._write(batch, by_block)
            if self._warps_meet:
                self._record_warps(batch, by_block)
        self.accessed_at[cell] = self.clocks.now

    def _read(self, batch: SharedAccess) -> None:
        if not self._is_ordered_read(batch):
            self._compare(batch)
        self.read_at[batch.cell, batch.thread] = self.clocks.now

    def _write(self, batch: SharedAccess, by_block: Values) -> None:
        """Compare a store or an atomic; `by_block`: barriers of whole blocks follow all earlier accesses to a cell."""
        cell, is_store = batch.cell, batch.kind == "st"
        known_to_all = _all(by_block)
        ordered = known_to_all or self._is_ordered_write(batch, by_block)
        if not ordered or (not is_store and (self.writer.take(cell) == NO_THREAD).any()):
            self._compare(batch)
        self.writer[cell], self.written_at[cell] = batch.thread, self.clocks.now
        if not known_to_all:
            self.read_at[cell] = 0
        if ordered and is_store and not _all(self.writer.take(cell) == batch.thread):
            self._compare(batch, with_earlier=False)

    def _is_ordered_read(self, batch: SharedAccess) -> bool:
        """Return whether barriers of whole blocks or warps follow the last writes; if not, barriers of masks may."""
        written_at = self.written_at.take(batch.cell)
        by_block = written_at <= batch.known
        if not self._warps_meet or _all(by_block):
            return _all(by_block)
        by_warp = self.writer.take(batch.cell) // WARP == batch.thread // WARP
        return _all(by_block | (by_warp & (written_at <= self.clocks.warp_knows.take(batch.warp))))

    def _is_ordered_write(self, batch: SharedAccess, by_block: Values) -> bool:
        """Return whether barriers of whole blocks or warps follow all earlier accesses."""
        if not self._warps_meet:
            return False
        by_warp = self.accessed_by.take(batch.cell) == batch.warp
        by_warp &= self.accessed_at.take(batch.cell) <= self.clocks.warp_knows.take(batch.warp)
        return _all(by_block | by_warp)

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
        """Record the op of the current access."""
        number = self._numbers.setdefault(id(op), len(self._ops))
        if number == len(self._ops):
            self._ops.append(op)
        while self.clocks.now >= self._op_at.size:
            self._op_at = np.concatenate([self._op_at, np.zeros_like(self._op_at)])
        self._op_at[self.clocks.now] = number

    def _record_warps(self, batch: SharedAccess, by_block: Values) -> None:
        """Record the cells that only one warp has accessed since the last barrier of its block."""
        alone = by_block | (self.accessed_by.take(batch.cell) == batch.warp)
        self.accessed_by[batch.cell] = batch.warp if _all(alone) else np.where(alone, batch.warp, SEVERAL)
        alone = self.accessed_by.take(batch.cell) == batch.warp  # other warps may access it by this instruction
        if not _all(alone):
            self.accessed_by[batch.cell[~alone]] = SEVERAL

    def _compare(self, batch: SharedAccess, *, with_earlier: bool = True) -> None:
        """Report races of an access with earlier ones and within itself, the first cells of all threads first."""
        self.state.comparisons += 1
        suspects = [*(self._with_earlier(batch) if with_earlier else ()), *self._within(batch)]
        reports = []
        for rank, (kind, where, others, numbers) in enumerate(suspects):
            if not where.any():
                continue
            # A large number has no meaning: no thread wrote the cell.
            ops = (
                np.zeros_like(others)
                if kind is HazardKind.UNINITIALIZED_UNUSED
                else self._op_at.take(numbers, mode="clip")
            )
            for earlier in np.unique(ops[where]).tolist():
                these = where & (ops == earlier)
                first = int(np.argmax(these))
                order = (first // batch.index.size, rank, earlier)
                pair = int(others[first]), int(numbers[first])
                reports.append((order, kind, first, pair, int(np.count_nonzero(these))))
        for (_, _, earlier), kind, first, (other, at), count in sorted(reports):
            start, byte = int(batch.block[first]) * self.threads, int(batch.cell[first]) * self.granule
            thread = start + int(batch.thread[first])
            if kind is HazardKind.UNINITIALIZED_UNUSED:
                self.report(kind, batch.op, np.array([thread]), count, place=("shared", byte, self.granule))
            else:
                ops = (batch.op, self._ops[earlier])
                named = kind if all(_kind(op) in {"ld", "st"} for op in ops) else HazardKind.ATOMIC_RACE
                self.report_race(named, ops, (thread, start + other), at, count, ("shared", byte))

    def _with_earlier(self, batch: SharedAccess) -> Iterator[Suspects]:
        writer, written_at = self.writer[batch.cell], self.written_at[batch.cell]
        racing = written_at > self.clocks.known(batch.block, batch.thread, writer)
        racing &= (writer != batch.thread) & (writer != NO_THREAD)
        if batch.kind != "st":
            yield HazardKind.UNINITIALIZED_UNUSED, writer == NO_THREAD, writer, writer
        if batch.kind == "ld":
            yield HazardKind.RAW, racing, writer, written_at
            return
        if batch.kind != "st":
            stores = np.array([_kind(op) == "st" for op in self._ops])
            racing &= stores[self._op_at.take(written_at, mode="clip")]
            yield HazardKind.WAW, racing, writer, written_at
        else:
            stored = batch.stored
            data = self.state.spaces["shared"].bytes.view(stored[0].dtype)
            same = np.logical_and.reduce([data[batch.index + part] == value for part, value in enumerate(stored)])
            yield from _by_value(racing, np.tile(same, batch.parts), writer, written_at)
        # One row per thread of the access, one column per thread that may have read the overwritten value.
        row, reader = np.nonzero(self.read_at[batch.cell] > batch.known[:, None])
        late = self.read_at[batch.cell[row], reader] > self.clocks.known(batch.block[row], batch.thread[row], reader)
        late &= reader != batch.thread[row]
        if late.any():
            row, reader = row[late][::-1], reader[late][::-1]
            racing, first = np.zeros(batch.cell.shape, np.bool_), np.zeros(batch.cell.shape, np.int64)
            racing[row], first[row] = True, reader
            yield HazardKind.WAR, racing, first, self.read_at[batch.cell, first]

    def _within(self, batch: SharedAccess) -> Iterator[Suspects]:
        """Find threads that write one cell by the same store."""
        positions = np.arange(batch.cell.size)
        self._last[batch.cell] = positions
        if batch.kind == "st" and (self._last.take(batch.cell) != positions).any():
            order = np.argsort(batch.cell, kind="stable")
            one, next_ = order[:-1], order[1:]
            again = np.zeros(batch.cell.shape, np.bool_)
            again[next_] = batch.cell[next_] == batch.cell[one]
            same, before = np.ones(batch.cell.shape, np.bool_), np.zeros(batch.cell.shape, np.int64)
            for value in batch.stored:
                values = np.tile(value, batch.parts)
                same[next_] &= values[next_] == values[one]
            before[next_] = batch.thread[one]
            yield from _by_value(again, same, before, np.full(batch.cell.shape, self.clocks.now))


def _by_value(racing: Values, same: Values, others: Values, numbers: Values) -> Iterator[Suspects]:
    """Yield races of different values, and separately those of equal values, which are harmless today."""
    yield HazardKind.WAW, racing & ~same, others, numbers
    yield HazardKind.SAME_VALUE, racing & same, others, numbers


def _all(flags: Values) -> bool:
    """Return whether all flags are set; `flags.all()` takes three times as long for a few hundred."""
    return bool(np.count_nonzero(flags) == flags.size)


def _kind(op: Op) -> str:
    form: Access = op.form  # type: ignore[assignment]
    return form.kind
