"""The accesses that threads may publish after a fence: those that happened before it.

A release pattern is a fence followed by a strong write, and affects what happened before the fence (PTX ISA 9.0, 8.8).
If other threads of the block have fenced their accesses, too, and a barrier follows, then a write of one of them
publishes the accesses of all: the threads of "last block done" counters commonly do this.
"""

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.races.clocks import Clocks

_MOST_KEPT = 256  # rows that are computed once for several writes


class FenceClocks:
    """The last fence of each thread, of at least some scope, and what the thread knew then."""

    def __init__(self, state: State, clocks: Clocks) -> None:
        """Start without fences."""
        self._shape, self._clocks = state.shape, clocks
        self.at = np.zeros(state.shape.lanes, np.int32)  # number of the last access before the fence
        self.at_barrier = np.zeros(state.shape.lanes, np.int32)  # the same at the last barrier of the block
        self._block_knew = np.zeros(state.shape.lanes, np.int32)
        self._warp_knew = np.zeros(state.shape.lanes, np.int32)
        self._changed = np.zeros(state.shape.lanes, np.int64)
        self._rows: dict[int, Values] = {}  # what a thread knew, unless barriers of blocks and warps tell
        self._kept: dict[int, tuple[tuple[int, ...], Values | None]] = {}

    def fence(self, threads: Values) -> None:
        """Keep what these threads know."""
        clocks, shape = self._clocks, self._shape
        self.at[threads] = clocks.now
        self._block_knew[threads] = clocks.block_knows[shape.block_of(threads)]
        self._warp_knew[threads] = clocks.warp_knows[threads // WARP]
        self._changed[threads] = clocks.changed[threads]
        shared: dict[int, Values] = {}
        for thread in threads.tolist() if clocks.has_rows else ():
            if clocks.learned_alone(thread):
                self._rows[thread] = clocks.joined(np.array([thread]))
            else:
                block = thread // shape.lanes_per_block
                if block not in shared:
                    shared[block] = clocks.block_row(block)
                self._rows[thread] = shared[block]

    def synchronize_blocks(self, blocks: Values) -> None:
        """Keep which fences lie before the last barrier of each block."""
        rows = self.at_barrier.reshape(self._shape.grid, -1)
        rows[blocks] = self.at.reshape(self._shape.grid, -1)[blocks]

    def row(self, thread: int) -> Values | None:
        """Return the accesses that a strong write of `thread` publishes; None if it has executed no fence."""
        at = int(self.at[thread])
        clocks, block, warp = self._clocks, thread // self._shape.lanes_per_block, thread // WARP
        now = (int(clocks.block_knows[block]), int(clocks.warp_knows[warp]), int(clocks.changed[thread]))
        then = (int(self._block_knew[thread]), int(self._warp_knew[thread]), int(self._changed[thread]))
        kept = self._kept.get(thread)
        if kept is not None and kept[0] == (at, *now):
            return kept[1]
        if not at and now == then:
            return None
        row = self._rows[thread].copy() if thread in self._rows else np.zeros(self._shape.lanes, np.int32)
        lanes = self._shape.lanes_per_block
        for start, length, knew in ((block * lanes, lanes, then[0]), (warp * WARP, WARP, then[1])):
            part = row[start : start + length]
            np.maximum(part, knew, out=part)
        row[thread] = at
        if now != then:  # it knows more since: of that, what others have fenced
            known = clocks.joined(np.array([thread]))
            before = np.where(self.at_barrier <= known, self.at_barrier, 0)
            np.maximum(row, np.where(self.at <= known, self.at, before), out=row)
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        result = row if row.any() else None
        self._kept[thread] = ((at, *now), result)
        return result
