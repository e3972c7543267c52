"""Plain reads of what other blocks wrote: a fence after a strong read orders them, and a barrier alone does not.

An acquire pattern is a strong read followed by a fence (PTX ISA 9.0, 8.8), by the thread that reads or, here, by one of
its block that a barrier orders after it: the counterpart of `fenced_accesses.py`. `Synchronization` lets a barrier of
the block complete the pattern, as the CUDA C++ Programming Guide does in "Memory Fence Functions", whose last block
reads by a volatile pointer. A weak read may return what the L1 cache of the SM has kept until a fence, unless its cache
operator passes L1 by.
"""

from collections.abc import Iterator

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import OF_ALL, Fence, Values
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import HazardKind
from shflbench.emulator.races.synchronization import Synchronization, joined_rows

# Cache operators of loads that take the value from L2 (PTX ISA 9.0, 9.7.9.1): `__ldcg`, `__ldcv`. "Performance hints
# only" for the memory model, which makes the order a weak one, and not a race.
_PAST_L1 = {"cg", "cv"}

Levels = dict[int, Values]  # clocks by the level of the scope at which they were observed


class FencedSynchronization(Synchronization):
    """Lets threads learn what a relaxed read observes only by a fence: at a barrier, its block observes it, too."""

    def __init__(self, state: State, clocks: Clocks) -> None:
        """Start without observations."""
        super().__init__(state, clocks)
        self._of_blocks: dict[int, Levels] = {}  # what the threads of a block observed before its last barrier
        self._of_meetings: dict[int, Levels] = {}  # and those that have arrived at one for a part of the block
        # How often that of a block has changed; and of each thread, how often until its last fence of each level.
        self._changes = np.zeros(state.shape.grid, np.int32)
        self._acquired = {level: np.zeros(state.shape.lanes, np.int32) for level in self._scopes.levels}

    def fence(self, op: Op, threads: Values) -> None:
        """Let threads learn what their blocks have observed, too."""
        form: Fence = op.form  # type: ignore[assignment]
        if form.order != "release" and self._of_blocks:
            top = self._scopes.level(form)
            blocks = self._shape.block_of(threads)
            pending = self._acquired[top][threads] < self._changes[blocks]
            for block in np.unique(blocks[pending]).tolist():
                self._learn_of_block(block, threads[pending & (blocks == block)], top)
        super().fence(op, threads)

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Let blocks observe what their threads have observed."""
        of_threads, self._observed = self._observed, {}
        for thread, rows in of_threads.items():
            block = thread // self._shape.lanes_per_block
            if block in blocks:
                self._seen.pop(thread, None)
                self._changes[block] += _add(self._of_blocks.setdefault(block, {}), rows)
            else:
                self._observed[thread] = rows
        kept, self._observed = self._observed, {}
        super().synchronize_blocks(blocks, op)
        self._observed = kept

    def release_to_barrier(self, threads: Values, meeting: int) -> None:
        """Keep what threads have observed that arrive at a barrier of a part of a block."""
        for thread in threads.tolist() if self._observed else ():
            if (rows := self._observed.get(thread)) is not None:
                _add(self._of_meetings.setdefault(meeting, {}), rows)

    def acquire_from_barrier(self, threads: Values, meeting: int) -> None:
        """Let threads observe what those have observed that arrived at a barrier."""
        if rows := self._of_meetings.pop(meeting, None):
            for thread in threads.tolist():
                _add(self._observed.setdefault(thread, {}), rows)

    def is_fenced(self, block: int) -> bool:
        """Return whether all threads of a block had executed a fence for all blocks before its last barrier."""
        lanes = self._shape.lanes_per_block
        every = np.flatnonzero(self._existing[block * lanes : (block + 1) * lanes]) + block * lanes
        return bool(self._fences[OF_ALL].at_barrier[every].all())

    def _learn_of_block(self, block: int, threads: Values, top: int) -> None:
        """Let threads of a block learn what this has observed at levels up to `top`."""
        for row in (row for level, row in self._of_blocks[block].items() if level <= top):
            # A row per thread takes memory: where this is too little, all threads of the block learn at once.
            if threads.size == self._clocks.living(block) or not self._clocks.has_room(threads.size):
                self._clocks.learn_block(block, row)
            else:
                self._clocks.learn_all(threads, row)
        self._acquired[top][threads] = self._changes[block]


class FencedReads:
    """Tells apart the writes that weak reads know of by a barrier only."""

    def __init__(self, clocks: Clocks, fenced: Clocks, synchronization: FencedSynchronization) -> None:
        """Compare what threads know, `clocks`, with what they know by fences."""
        self._clocks, self._fenced, self._synchronization = clocks, fenced, synchronization

    def lack(self, threads: Values, others: Values, numbers: Values) -> Values:
        """Return which accesses of others the threads know of by a barrier, and by no fence."""
        by_barrier: Values = numbers > self._fenced.knows(threads, others)
        by_barrier[by_barrier] = numbers[by_barrier] <= self._clocks.knows(threads[by_barrier], others[by_barrier])
        return by_barrier

    def kinds(self, op: Op, blocks: Values) -> Iterator[tuple[HazardKind, Values]]:
        """Yield what such reads of an op by threads of these blocks are, and which.

        In NVIDIA's sample threadFenceReduction, all threads of the block execute a fence before the atomic, and none
        after it before they read plainly. That is no acquire pattern: pytorch/pytorch 128455 adds the fence.
        """
        past_l1 = not _PAST_L1.isdisjoint(op.instruction.modifiers)
        numbers = np.unique(blocks).tolist()
        fenced = np.isin(blocks, [one for one in numbers if past_l1 or self._synchronization.is_fenced(one)])
        for kind, where in ((HazardKind.RAW, ~fenced), (HazardKind.WEAK_READ, fenced)):
            if where.any():
                yield kind, where


def _add(rows: Levels, more: Levels) -> bool:
    """Add clocks to those at the same levels; return whether that changed them."""
    changed = False
    for level, row in more.items():
        before = rows.get(level)
        after = joined_rows(before, row)
        changed |= before is None or (after is not before and bool((after != before).any()))
        rows[level] = after
    return changed
