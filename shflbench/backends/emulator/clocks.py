"""Vector clocks: what each thread of a block knows of the others' progress.

A barrier makes its threads know all that any of them knew; then each counts one more of its own. An access by
thread `a` at its count `c` happened before one by thread `b` exactly if `b` knows of `a` at least `c`
(Mattern, "Virtual Time and Global States of Distributed Systems", 1989). Shuffles and votes exchange values
but order no memory accesses, so they do not join clocks (PTX ISA, memory consistency model).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import WARP

if TYPE_CHECKING:
    from shflbench.backends.emulator.cohort import Shape
    from shflbench.backends.emulator.forms import Values


class Clocks:
    """The clocks of all blocks; `knows[block, a, b]` is how far `a` knows that `b` has come."""

    def __init__(self, shape: Shape) -> None:
        """Start every thread at 1; 0 is before everything."""
        self.warps = shape.warps_a_block
        self.threads = self.warps * WARP
        self.knows = np.zeros((shape.grid, self.threads, self.threads), np.int32)
        self._own = np.einsum("bii->bi", self.knows)  # a view of the diagonals
        self._own += 1

    def own(self, blocks: Values, threads: Values) -> Values:
        """Return the own count of each thread."""
        counts: Values = self._own[blocks, threads]
        return counts

    def join_blocks(self, blocks: Values) -> None:
        """Let all threads of these blocks meet."""
        self.knows[blocks] = self._own[blocks][:, None, :]
        self._own[blocks] += 1

    def join_warps(self, warps: Values) -> None:
        """Let all lanes of each of these warps, numbered over the grid, meet."""
        by_warp = self.knows.reshape(-1, WARP, self.threads)
        if warps.size == by_warp.shape[0]:
            by_warp[:] = by_warp.max(axis=1, keepdims=True)
            self._own += 1
        else:
            by_warp[warps] = by_warp[warps].max(axis=1, keepdims=True)
            block, first = warps // self.warps, warps % self.warps * WARP
            self._own[block[:, None], first[:, None] + np.arange(WARP)] += 1

    def join(self, block: int, threads: Values) -> None:
        """Let some threads of one block meet."""
        self.knows[block, threads] = self.knows[block, threads].max(axis=0)
        self._own[block, threads] += 1
