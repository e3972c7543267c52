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
from shflbench.errors import EmulatorError
from shflbench.model import WARP

MOST_BYTES = 1 << 30  # of vector clocks


class Clocks(Observer):
    """What all threads know. Barriers of whole blocks and warps are the most frequent, and cost one number."""

    def __init__(self, state: State) -> None:
        """Start without accesses. EmulatorError if the launch is too large."""
        shape = state.shape
        check_size(state, shape.lanes)
        self.now = 0  # number of the current access
        self.warps, self.threads = shape.warps_per_block, shape.lanes_per_block
        self.block_knows = np.zeros(
            shape.grid, np.int32
        )  # accesses up to this number are known to all threads of the block
        self.warp_knows = np.zeros(
            shape.warps, np.int32
        )  # accesses of the warp up to this number are known to all its lanes
        self._warps_met = False
        self._shape = (shape.grid, self.threads, self.threads)
        self._knows: Values | None = (
            None  # [block, a, b]: the accesses of `b` that `a` knows of besides, after partial masks
        )

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
        if self._knows is not None:
            by_warp = self._knows.reshape(-1, WARP, self.threads)
            by_warp[warps] = by_warp[warps].max(axis=1, keepdims=True)

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Join the clocks of the lanes of each warp that pass the same mask."""
        if self._knows is None:
            self._knows = np.zeros(self._shape, np.int32)
        warps = threads // WARP
        for warp in np.unique(warps).tolist():
            of_warp = warps == warp
            for mask in np.unique(masks[of_warp]).tolist():
                rows = self._knows[warp // self.warps]
                members = threads[of_warp & (masks == mask)] % self.threads
                joined = rows[members].max(axis=0)
                joined[members] = self.now
                rows[members] = joined

    def known(self, block: Values, thread: Values, other: Values) -> Values:
        """Return the last access of `other` that `thread` of the same block knows of; arguments broadcast."""
        known: Values = self.block_knows[block]
        if self._warps_met:
            of_warp = self.warp_knows[block * self.warps + thread // WARP]
            known = np.maximum(known, np.where(thread // WARP == other // WARP, of_warp, 0))
        return known if self._knows is None else np.maximum(known, self._knows[block, thread, other])


def check_size(state: State, rows: int) -> None:
    """Raise EmulatorError if `rows` of two numbers per thread of a block take too much memory."""
    shape = state.shape
    if rows * shape.lanes_per_block * 8 > MOST_BYTES:
        raise EmulatorError(
            f"{state.program.name} cannot be checked for races at {shape.grid}x{shape.block}",
            "Check fewer or smaller blocks; two of 128 threads show the same races.",
        )
