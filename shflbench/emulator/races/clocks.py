"""Vector clocks: which accesses happened before the next one of each thread.

Accesses are numbered. After a barrier, each of its threads knows of all accesses that any of them made or knew
of. An access by thread `b` happened before one by thread `a` exactly if `a` knows of `b`'s accesses up to that number
(Mattern, "Virtual Time and Global States of Distributed Systems", 1989). Shuffles and votes exchange values but order
no memory accesses, so they do not join clocks (PTX ISA, memory consistency model).

Barriers of whole blocks and warps cost one number. What threads learn otherwise, by acquiring or at barriers of a part
of a block, takes a row of numbers per thread, which the next barrier of the block joins into one row of the block.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError

MOST_CLOCK_BYTES = 1 << 28  # of the rows of threads and blocks: those of 8,192 threads that all learn something


@dataclass(slots=True, eq=False)
class _Meeting:
    """What the threads that have arrived at a barrier of a part of a block know together."""

    block: int
    row: Values
    arrived: int  # threads


class _ThreadRows:
    """What each thread knows of each other one; only threads that have learned something by themselves take memory."""

    def __init__(self, threads: int) -> None:
        """Start with threads that know nothing."""
        self._row_of = np.zeros(threads, np.int64)  # of each thread; the first row, which stays zero, is of all others
        self._rows = np.zeros((1, threads), np.int32)
        self._free: list[int] = []

    @property
    def bytes(self) -> int:
        """The memory that the rows take."""
        return self._rows.nbytes

    def has(self, threads: Values) -> Values:
        """Return which of these threads have learned something."""
        known: Values = self._row_of[threads] > 0
        return known

    def known(self, threads: Values, others: Values) -> Values:
        """Return the last access of each other thread that a thread knows of; arguments broadcast."""
        known: Values = self._rows[self._row_of[threads], others]
        return known

    def joined(self, threads: Values) -> Values:
        """Return what several threads know together."""
        joined: Values = self._rows[self._row_of[threads]].max(axis=0)
        return joined

    def add(self, threads: Values, row: Values) -> None:
        """Let different threads know the accesses of `row`."""
        for thread in threads[~self.has(threads)].tolist():
            if not self._free:
                self._grow()
            self._row_of[thread] = self._free.pop()
        rows = self._row_of[threads]
        self._rows[rows] = np.maximum(self._rows[rows], row)

    def forget(self, threads: Values) -> None:
        """Let threads know nothing."""
        rows = self._row_of[threads]
        self._rows[rows] = 0
        self._free += rows[rows > 0].tolist()
        self._row_of[threads] = 0

    def _grow(self) -> None:
        """Add as many rows as there are."""
        count = len(self._rows)
        self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._free = list(range(2 * count - 1, count - 1, -1))


class Clocks(Observer):
    """What all threads know. Barriers of whole blocks and warps are the most frequent, and cost one number.

    Masks name lanes of one warp, so a lane learns nothing about other warps from them.
    """

    def __init__(self, state: State) -> None:
        """Start without accesses."""
        shape = self._shape = state.shape
        self._state = state
        # Number of the current access. In a launch with clusters, to know nothing of a thread is less than to know that
        # it has started.
        self.now = 1 if shape.has_clusters else 0
        self.block_knows = np.zeros(shape.grid, np.int32)  # all threads of a block know its accesses up to this one
        self.warp_knows = np.zeros(shape.warps, np.int32)  # all lanes of a warp know its accesses up to this one
        self.barriers: list[tuple[int, Values, Op]] = []  # (number of the last access before it, its blocks, op)
        self.changed = np.zeros(shape.lanes, np.int64)  # how often each thread has learned something by itself
        self.practice: Clocks | None = None  # of clusters whose barriers order memory whatever they say
        self.fenced: Clocks | None = None  # that learn from a strong read by a fence only, and by no barrier of a block
        self._warps = shape.warps_per_block
        self._warps_met = False
        self._lanes_know = np.zeros((shape.warps, WARP, WARP), np.int32)  # [warp, a, b]: `a` knows of `b`, by masks
        self._lanes_met = False
        # Of threads, and [block, other], over the whole grid, once any clocks are joined one by one.
        self._rows: _ThreadRows | None = None
        self._block_rows = np.zeros((0, 0), np.int32)
        self._meetings: dict[int, _Meeting] = {}

    def access(self, _op: Op, _members: ThreadSet, _space: MemorySpace, _index: Values, _: Sequence[Values]) -> None:
        """Give this access the next number."""
        self.now += 1

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Join the clocks of all threads of these blocks."""
        self.block_knows[blocks] = self.now
        if op is not None:
            self.barriers.append((self.now, blocks, op))
        if self._rows is not None:
            for block in blocks.tolist():
                self._join_block(block)
        for number, meeting in list(self._meetings.items()):
            if meeting.block in blocks and meeting.arrived >= self.living(meeting.block):
                del self._meetings[number]

    def synchronize_warps(self, warps: Values, op: Op | None = None) -> None:
        """Join the clocks of all lanes of each of these warps."""
        del op
        self.warp_knows[warps] = self.now
        self._warps_met = True
        if self._rows is not None:
            for warp in warps.tolist():
                self._join_rows(np.arange(warp * WARP, (warp + 1) * WARP))

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Join the clocks of the lanes of each warp that pass the same mask."""
        self._lanes_met = True
        warps = threads // WARP
        for warp in np.unique(warps).tolist():
            of_warp, rows = warps == warp, self._lanes_know[warp]
            for mask in np.unique(masks[of_warp]).tolist():
                meeting = threads[of_warp & (masks == mask)]
                lanes = meeting % WARP
                joined = rows[lanes].max(axis=0)
                joined[lanes] = self.now
                rows[lanes] = joined
                if self._rows is not None:
                    self._join_rows(meeting)

    def proxy_fence(self, op: Op, threads: Values) -> None:
        """Count the fence, so that it differs from what came before the access before it."""
        del op, threads
        self.now += 1

    def count(self) -> None:
        """Count an event that is no access, likewise."""
        self.now += 1
        for other in (self.practice, self.fenced):
            if other is not None:
                other.now += 1

    def wait_copies(self, thread: int, copies: Sequence[BulkCopy], *, only_read: bool) -> None:
        """Count the wait likewise."""
        del thread, copies, only_read
        self.now += 1

    def release_to_barrier(self, threads: Values, meeting: int) -> None:
        """Add what threads know to what the threads of a barrier will know."""
        row = self.joined(threads)
        known = self._meetings.get(meeting)
        if known is None:
            block = int(threads[0]) // self._shape.lanes_per_block
            self._meetings[meeting] = _Meeting(block, row, threads.size)
        else:
            known.arrived += threads.size
            np.maximum(known.row, row, out=known.row)

    def acquire_from_barrier(self, threads: Values, meeting: int) -> None:
        """Let threads know what all threads knew that arrived at a barrier."""
        self.learn_all(threads, self._meetings.pop(meeting).row)

    def known(self, block: Values, thread: Values, other: Values) -> Values:
        """Return the last access of `other` that `thread` of the same block knows of; arguments broadcast."""
        known: Values = self.block_knows[block]
        warp = block * self._warps + thread // WARP
        same_warp = thread // WARP == other // WARP
        if self._warps_met:
            known = np.maximum(known, np.where(same_warp, self.warp_knows[warp], 0))
        if self._lanes_met:
            by_masks = self._lanes_know[warp, thread % WARP, other % WARP]
            known = np.maximum(known, np.where(same_warp, by_masks, 0))
        if self._rows is not None:
            first = block * self._shape.lanes_per_block
            known = np.maximum(known, self._block_rows[block, first + other])
            known = np.maximum(known, self._rows.known(first + thread, first + other))
        return known

    def knows(self, threads: Values, others: Values) -> Values:
        """Return the last access of each other thread that a thread knows of, both numbered over the grid."""
        lanes = self._shape.lanes_per_block
        blocks = threads // lanes
        inside = self.known(blocks, threads % lanes, others % lanes)
        outside: Values | int = 0
        if self._rows is not None:
            outside = np.maximum(self._block_rows[blocks, others], self._rows.known(threads, others))
        known: Values = np.where(blocks == others // lanes, inside, outside)
        return known

    def joined(self, threads: Values) -> Values:
        """Return what threads of one block know together: the last known access of every thread of the grid."""
        lanes = self._shape.lanes_per_block
        block = int(threads[0]) // lanes
        row = np.zeros(self._shape.lanes, np.int32) if self._rows is None else self._block_rows[block].copy()
        if self._rows is not None and (having := threads[self._rows.has(threads)]).size:
            np.maximum(row, self._rows.joined(having), out=row)
        inside = row[block * lanes : (block + 1) * lanes]
        np.maximum(inside, self.block_knows[block], out=inside)
        for warp in np.unique(threads // WARP).tolist() if self._warps_met or self._lanes_met else ():
            of_warp = row[warp * WARP : (warp + 1) * WARP]
            np.maximum(of_warp, self.warp_knows[warp], out=of_warp)
            if self._lanes_met:
                known = self._lanes_know[warp, threads[threads // WARP == warp] % WARP].max(axis=0)
                np.maximum(of_warp, known, out=of_warp)
        row[threads] = self.now
        return row

    def learn(self, thread: int, row: Values) -> None:
        """Let a thread know the accesses of `row`."""
        self.learn_all(np.array([thread]), row)

    def learn_all(self, threads: Values, row: Values) -> None:
        """Let different threads know the accesses of `row`."""
        self._learned(threads.size).add(threads, row)
        self.changed[threads] += 1

    def learn_block(self, block: int, row: Values) -> None:
        """Let all threads of a block know the accesses of `row`."""
        self._learned()
        np.maximum(self._block_rows[block], row, out=self._block_rows[block])

    def know_block(self, block: int, number: int) -> None:
        """Let all threads of a block know its accesses up to a number."""
        self.block_knows[block] = max(int(self.block_knows[block]), number)

    def has_room(self, threads: int) -> bool:
        """Return whether so many threads may learn something by themselves."""
        rows = self._learned()
        return rows.bytes + self._block_rows.nbytes + 4 * self._shape.lanes * threads <= MOST_CLOCK_BYTES

    @property
    def has_rows(self) -> bool:
        """Whether threads know more than barriers of whole blocks and warps tell."""
        return self._rows is not None or self._lanes_met

    def learned_alone(self, thread: int) -> bool:
        """Return whether a thread knows more than barriers of its block and its warp tell."""
        return self._lanes_met or (self._rows is not None and bool(self._rows.has(np.array([thread]))[0]))

    def block_row(self, block: int) -> Values:
        """Return what all threads of a block know by its barriers of other blocks."""
        return np.zeros(self._shape.lanes, np.int32) if self._rows is None else self._block_rows[block].copy()

    def add_to_meeting(self, meeting: int, row: Values) -> None:
        """Add accesses that happened before a barrier of a part of a block."""
        known = self._meetings.get(meeting)
        if known is not None:
            np.maximum(known.row, row, out=known.row)

    def _learned(self, more: int = 0) -> _ThreadRows:
        """Return the rows of threads, of which so many more may get one; EmulatorError if they take too much memory."""
        threads = self._shape.lanes
        if self._rows is None:
            self._rows = _ThreadRows(threads)
            self._block_rows = np.zeros((self._shape.grid, threads), np.int32)
        if self._rows.bytes + self._block_rows.nbytes + 4 * threads * more > MOST_CLOCK_BYTES:
            raise EmulatorError(
                f"{self._state.program.name} synchronizes threads one by one, too many of {threads} for the emulator",
                "Check a smaller launch.",
            )
        return self._rows

    def _join_block(self, block: int) -> None:
        """Move what the threads of a block have learned to the block."""
        rows, lanes = self._learned(), self._shape.lanes_per_block
        threads = np.arange(block * lanes, (block + 1) * lanes)
        if (having := threads[rows.has(threads)]).size:
            self.learn_block(block, rows.joined(having))
            rows.forget(having)

    def _join_rows(self, threads: Values) -> None:
        """Let threads of a warp know what any of them has learned."""
        rows = self._learned()
        if (having := threads[rows.has(threads)]).size:
            self.learn_all(threads, rows.joined(having))

    def living(self, block: int) -> int:
        """Return how many threads of a block have not exited."""
        lanes = self._shape.lanes_per_block
        return int(np.count_nonzero(self._state.alive.reshape(-1)[block * lanes : (block + 1) * lanes]))
