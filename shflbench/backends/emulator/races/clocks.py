"""Vector clocks: what each thread of a block knows of the others' progress.

A barrier makes its threads know all that any of them knew; then each counts one more of its own. An access by
thread `a` at its count `c` happened before one by thread `b` exactly if `b` knows of `a` at least `c`
(Mattern, "Virtual Time and Global States of Distributed Systems", 1989). Shuffles and votes exchange values
but order no memory accesses, so they do not join clocks (PTX ISA, memory consistency model).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.machine.observer import Observer
from shflbench.errors import EmulatorError
from shflbench.model import WARP

if TYPE_CHECKING:
    from shflbench.backends.emulator.machine.state import State
    from shflbench.backends.emulator.opcodes.forms import Values


MOST_BYTES = 1 << 30  # of bookkeeping


class Clocks(Observer):
    """The clocks of all blocks; `knows[block, a, b]` is how far `a` knows that `b` has come."""

    def __init__(self, state: State) -> None:
        """Start every thread at 1; 0 is before everything. EmulatorError if the launch is too large."""
        shape = state.shape
        check_size(state, shape.lanes)
        self.warps = shape.warps_per_block
        self.threads = self.warps * WARP
        self.knows = np.zeros((shape.grid, self.threads, self.threads), np.int32)
        self._own = np.einsum("bii->bi", self.knows)  # a view of the diagonals
        self._own += 1

    def own(self, blocks: Values, threads: Values) -> Values:
        """Return the own count of each thread."""
        counts: Values = self._own[blocks, threads]
        return counts

    def synchronize_blocks(self, blocks: Values) -> None:
        """Let all threads of these blocks meet."""
        self.knows[blocks] = self._own[blocks][:, None, :]
        self._own[blocks] += 1

    def synchronize_warps(self, warps: Values) -> None:
        """Let all lanes of each of these warps, numbered over the grid, meet."""
        by_warp = self.knows.reshape(-1, WARP, self.threads)
        if warps.size == by_warp.shape[0]:
            by_warp[:] = by_warp.max(axis=1, keepdims=True)
            self._own += 1
        else:
            by_warp[warps] = by_warp[warps].max(axis=1, keepdims=True)
            block, first = warps // self.warps, warps % self.warps * WARP
            self._own[block[:, None], first[:, None] + np.arange(WARP)] += 1

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Let the lanes of each warp that pass the same mask meet."""
        warps = threads // WARP
        for warp in np.unique(warps).tolist():
            of_warp = warps == warp
            for mask in np.unique(masks[of_warp]).tolist():
                block, members = warp // self.warps, threads[of_warp & (masks == mask)] % self.threads
                self.knows[block, members] = self.knows[block, members].max(axis=0)
                self._own[block, members] += 1


def check_size(state: State, rows: int) -> None:
    """Raise EmulatorError if two counts for each thread of a block in so many rows take too much memory."""
    shape = state.shape
    if rows * shape.lanes_per_block * 8 > MOST_BYTES:
        raise EmulatorError(
            f"{state.program.name} cannot be checked for races at {shape.grid}x{shape.block}",
            "Check fewer or smaller blocks; two of 128 threads show the same races.",
        )
