"""Record which thread wrote the values that each load from shared memory reads, and what each barrier orders."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.machine.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.emulator.link.program import Op
    from shflbench.emulator.machine.memory import MemorySpace
    from shflbench.emulator.machine.state import State
    from shflbench.emulator.machine.threads import ThreadSet
    from shflbench.emulator.opcodes.forms import Access, Values
    from shflbench.emulator.ptx.syntax import Location

NOBODY = -1
SEVERAL = -2  # threads, of different warps
ATOMIC = -2  # instead of the number of a store: the cell was changed by an atomic operation


class LaneRelation(Enum):
    """How the lanes that read in one execution of a load by a warp lie to those that wrote the values."""

    THREAD = 0  # each lane wrote what it reads
    XOR = 1  # the distance is the exclusive or of both lanes, the same for all
    SHIFT = 2  # the writer is so many lanes further, the same for all
    BROADCAST = 3  # one lane wrote all values
    PERMUTATION = 4  # each lane offers one value
    SEVERAL = 5  # a lane offers several values
    ACROSS = 6  # a lane of another warp wrote one of the values
    PARTS = 7  # several lanes wrote parts of one value
    BLOCKS = 8  # a lane of another block of the cluster wrote one of the values


OUTSIDE_OF_THE_WARP = frozenset({LaneRelation.ACROSS, LaneRelation.BLOCKS})
OF_ONE_VALUE = frozenset(  # which one shuffle can give
    {LaneRelation.THREAD, LaneRelation.XOR, LaneRelation.SHIFT, LaneRelation.BROADCAST, LaneRelation.PERMUTATION}
)


@dataclass(slots=True)
class FlowTotals:
    """The values that one load reads from one store, over all warps of a launch."""

    store: Op
    load: Op
    values: int = 0
    # (relation, distance, number of values that a lane offers) → executions by a warp
    executions: Counter[tuple[LaneRelation, int, int]] = field(default_factory=Counter)


@dataclass(slots=True)
class BarrierTotals:
    """What one barrier of the block orders in shared memory that no other barrier orders."""

    op: Op
    warps: bool = False  # accesses of different warps


class ExchangeRecorder(Observer):
    """Follows the cells of shared memory of a launch."""

    def __init__(self, state: State) -> None:
        """Start with memory that nobody wrote."""
        shape = state.shape
        self._granule = state.program.shared_granule
        self._block_lanes = shape.lanes_per_block
        cells = max(state.spaces["shared"].bytes.size // self._granule, 1)
        self._writer = np.full(cells, NOBODY, np.int64)
        self._store = np.full(cells, NOBODY, np.int64)  # number of the op
        self._written = np.zeros(cells, np.int64)  # number of barriers of the block before
        self._reader = np.full(cells, NOBODY, np.int64)  # since the last barrier of which a thread read it
        self._read = np.zeros(cells, np.int64)
        self._epoch = np.zeros(shape.grid, np.int64)
        self._barrier = np.full(shape.grid, NOBODY, np.int64)  # number of the op of the last one
        self._ops: list[Op] = []
        self._numbers: dict[object, int] = {}
        self._relations: dict[tuple[bytes, bytes, bytes], tuple[LaneRelation, int, int]] = {}  # by lanes and cells
        self.flows: dict[tuple[int, int], FlowTotals] = {}  # by the numbers of store and load
        self.barriers: dict[int, BarrierTotals] = {}  # by the number of the op
        self.executed: set[int] = set()  # ids of the ops that accessed shared memory

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Follow the values of an access to shared memory."""
        del values
        if space.name != "shared":
            return
        self.executed.add(id(op))
        form: Access = op.form  # type: ignore[assignment]
        scale = np.dtype(form.type).itemsize // self._granule
        first = index.astype(np.int64) * scale
        starts = (first + scale * np.arange(form.vector)[:, None]).ravel()  # of each element, in cells
        threads = np.tile(members.threads.astype(np.int64), form.vector)
        elements = starts + np.arange(scale)[:, None]
        cells = elements.ravel()
        users = np.tile(threads, scale)
        self._order(cells, users, self._writer, self._written)
        if form.kind == "ld":
            for element in range(form.vector):  # each of which takes a shuffle of its own
                part = slice(element * members.count, (element + 1) * members.count)
                self._flow(self._number(op), elements[:, part], threads[part])
            self._note_readers(cells, users)
            return
        self._order(cells, users, self._reader, self._read)
        self._writer[cells] = users
        # Of a line, all copies of an unrolled loop are one store: together they decide what a lane offers.
        self._store[cells] = ATOMIC if form.atomic else self._number(op, op.instruction.location)
        self._written[cells] = self._epoch[users // self._block_lanes]
        self._reader[cells] = NOBODY

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Count a barrier of blocks."""
        self._epoch[blocks] += 1
        number = NOBODY if op is None else self._number(op)
        self._barrier[blocks] = number
        if op is not None:
            self.barriers.setdefault(number, BarrierTotals(op))

    def _number(self, op: Op, place: Location | None = None) -> int:
        """Return the number of an op, or of the first one at its place."""
        number = self._numbers.setdefault(id(op) if place is None else place, len(self._ops))
        if number == len(self._ops):
            self._ops.append(op)
        return number

    def _order(self, cells: Values, users: Values, others: Values, epochs: Values) -> None:
        """Record what the last barrier alone orders: accesses of other threads since the barrier before it."""
        blocks = users // self._block_lanes
        other = others[cells]
        alone = (other != NOBODY) & (other != users) & (self._epoch[blocks] - epochs[cells] == 1)
        alone &= (other < 0) | (other // self._block_lanes == blocks)  # of other blocks it orders nothing
        if not alone.any():
            return
        barriers, other, mine = self._barrier[blocks[alone]], other[alone], users[alone]
        apart = (other == SEVERAL) | (other // WARP != mine // WARP)
        for number in np.unique(barriers).tolist():
            if number != NOBODY:
                self.barriers[number].warps |= bool(apart[barriers == number].any())

    def _note_readers(self, cells: Values, users: Values) -> None:
        now = self._epoch[users // self._block_lanes]
        again = (self._reader[cells] != NOBODY) & (self._read[cells] == now)
        before = self._reader[cells]
        differs = again & (before != users) & ((before == SEVERAL) | (before // WARP != users // WARP))
        self._reader[cells] = np.where(differs, SEVERAL, users)
        self._read[cells] = now
        repeated = np.flatnonzero(self._reader[cells] != np.where(differs, SEVERAL, users))
        if repeated.size:  # several lanes of this access read one cell
            apart = self._reader[cells[repeated]] // WARP != users[repeated] // WARP
            self._reader[cells[repeated[apart]]] = SEVERAL

    def _flow(self, load: int, cells: Values, readers: Values) -> None:
        """Add what one execution of a load reads to the totals; `cells` has a column for each element."""
        stores, writers = self._store[cells[0]], self._writer[cells]
        known = stores >= 0
        if not known.any():
            return
        stores, writers, readers, cells = stores[known], writers[:, known], readers[known], cells[0, known]
        order = np.lexsort((cells, writers[0], readers // WARP, stores))
        stores, writers, readers, cells = stores[order], writers[:, order], readers[order], cells[order]
        warps = readers // WARP
        starts = np.flatnonzero(np.r_[True, (stores[1:] != stores[:-1]) | (warps[1:] != warps[:-1])])
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), readers.size], strict=True):
            part = slice(start, end)
            store = int(stores[start])
            totals = self.flows.get((store, load))
            if totals is None:
                totals = self.flows[store, load] = FlowTotals(self._ops[store], self._ops[load])
            totals.values += end - start
            totals.executions[self._relation(readers[part], writers[:, part], cells[part])] += 1

    def _relation(self, readers: Values, writers: Values, cells: Values) -> tuple[LaneRelation, int, int]:
        """Return the relation of an execution by a warp: loops and other warps repeat those that are known."""
        block = self._block_lanes
        if (readers[0] // block != writers // block).any():
            return LaneRelation.BLOCKS, 0, 0
        first = readers[0] // WARP * WARP
        key = (readers - first).tobytes(), (writers - first).tobytes(), (cells - cells[0]).tobytes()
        known = self._relations.get(key)
        if known is None:
            known = self._relations[key] = _relation(readers, writers, cells)
        return known


def _relation(readers: Values, writers: Values, cells: Values) -> tuple[LaneRelation, int, int]:
    """Return the relation of an execution by a warp in its block; the entries are sorted by writer and cell.

    `writers` has a row for each part of the values.
    """
    if (readers // WARP != writers // WARP).any():
        return LaneRelation.ACROSS, 0, 0
    if (writers[1:] != writers[0]).any():
        return LaneRelation.PARTS, 0, int((np.diff(np.sort(writers, axis=0), axis=0) != 0).sum(axis=0).max()) + 1
    return _relation_of_whole(readers, writers[0], cells)


def _relation_of_whole(readers: Values, writers: Values, cells: Values) -> tuple[LaneRelation, int, int]:
    """Return the relation where one lane of the warp wrote each value."""
    pairs = np.flatnonzero(np.r_[True, (writers[1:] != writers[:-1]) | (cells[1:] != cells[:-1])])
    offered = int(np.unique(writers[pairs], return_counts=True)[1].max())
    distances = readers ^ writers
    if not distances.any():
        return LaneRelation.THREAD, 0, offered
    if offered > 1 or np.unique(readers).size < readers.size:
        return LaneRelation.SEVERAL, 0, offered
    if shift := _shift(readers, writers):
        return LaneRelation.SHIFT, shift, offered
    for relation, values, distance in (
        (LaneRelation.BROADCAST, writers, writers[0] % WARP),
        (LaneRelation.XOR, distances, distances[0]),
    ):
        if (values == values[0]).all():
            return relation, int(distance), offered
    return LaneRelation.PERMUTATION, 0, offered


def _shift(readers: Values, writers: Values) -> int:
    """Return by how many lanes all values move, 0 if there is no such number; at the edge lanes may keep their own.

    `__shfl_up_sync` and `__shfl_down_sync` leave a lane its own value if the warp has no lane at the distance.
    """
    shifts, lanes = writers - readers, readers % WARP
    moved = shifts != 0
    shift = int(shifts[moved][0])
    has_source = (lanes + shift >= 0) & (lanes + shift < WARP)
    return shift if (shifts[moved] == shift).all() and not has_source[~moved].any() else 0
