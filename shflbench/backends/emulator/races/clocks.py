"""Vector clocks: which accesses happened before the next one of each thread of a block.

Accesses are numbered. After a barrier, each of its threads knows of all accesses that any of them made or knew
of. An access by thread `b` happened before one by thread `a` exactly if `a` knows of `b`'s accesses up to that number
(Mattern, "Virtual Time and Global States of Distributed Systems", 1989). Shuffles and votes exchange values but order
no memory accesses, so they do not join clocks (PTX ISA, memory consistency model).
"""

from collections.abc import Sequence

import numpy as np

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.observer import Observer
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.machine.threads import ThreadSet
from shflbench.backends.emulator.opcodes.forms import Values
from shflbench.model import WARP


class Clocks(Observer):
    """What all threads know. Barriers of whole blocks and warps are the most frequent, and cost one number.

    Masks name lanes of one warp, so a lane learns nothing about other warps from them.
    """

    def __init__(self, state: State) -> None:
        """Start without accesses."""
        shape = state.shape
        self.now = 0  # number of the current access
        self.block_knows = np.zeros(shape.grid, np.int32)  # all threads of a block know its accesses up to this one
        self.warp_knows = np.zeros(shape.warps, np.int32)  # all lanes of a warp know its accesses up to this one
        self._warps = shape.warps_per_block
        self._warps_met = False
        self._lanes_know = np.zeros((shape.warps, WARP, WARP), np.int32)  # [warp, a, b]: `a` knows of `b`, by masks
        self._lanes_met = False

    def access(self, _op: Op, _members: ThreadSet, _space: MemorySpace, _index: Values, _: Sequence[Values]) -> None:
        """Give this access the next number."""
        self.now += 1

    def synchronize_blocks(self, blocks: Values) -> None:
        """Join the clocks of all threads of these blocks."""
        self.block_knows[blocks] = self.now

    def synchronize_warps(self, warps: Values) -> None:
        """Join the clocks of all lanes of each of these warps, numbered over the grid."""
        self.warp_knows[warps] = self.now
        self._warps_met = True

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Join the clocks of the lanes of each warp that pass the same mask."""
        self._lanes_met = True
        warps = threads // WARP
        for warp in np.unique(warps).tolist():
            of_warp, rows = warps == warp, self._lanes_know[warp]
            for mask in np.unique(masks[of_warp]).tolist():
                lanes = threads[of_warp & (masks == mask)] % WARP
                joined = rows[lanes].max(axis=0)
                joined[lanes] = self.now
                rows[lanes] = joined

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
        return known
