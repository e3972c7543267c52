"""Whether a group that arrives completes a barrier or a collective, without a look at all groups that wait.

With one group per lane, 31 of 32 arrivals complete nothing. `releases` in `barriers.py` looks at all of them, and takes
as long as dozens of instructions.
"""

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.barriers import meeting_place, member_masks
from shflbench.emulator.machine.groups import ConvergedGroup
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Barrier, ClusterBarrier, Values


class Arrivals:
    """Which threads of a launch without named barriers wait where, by the arrivals since `releases` last looked."""

    def __init__(self, state: State) -> None:
        """Start with nobody waiting."""
        self._state = state
        self._new: list[ConvergedGroup] = []  # whose threads are not flagged yet
        self._waiting: dict[object, Values] = {}  # flags of all threads, by what these have in common to meet
        self._ended = True  # whether threads have ended: what they were waited for is complete

    def arrive(self, group: ConvergedGroup) -> None:
        """Note that a group waits."""
        self._new.append(group)

    def end(self) -> None:
        """Note that threads have ended."""
        self._ended = True

    def leave(self, op: Op, threads: Values) -> None:
        """Note that some threads that waited at `op`, and were looked at, go on."""
        if not isinstance(op.form, ClusterBarrier):
            self._waiting[meeting_place(op, None)][threads] = False

    def leave_all(self) -> None:
        """Note that all threads go on."""
        self._new = []
        for flags in self._waiting.values():
            flags[:] = False

    def may_complete(self) -> bool:
        """Return whether threads can go on: True may be wrong, where lanes of a warp pass different masks."""
        complete, self._ended = self._ended, False
        for group in self._new:
            if (op := group.waits_at) is not None:
                complete |= self._completes(group, op)
        self._new = []
        return complete

    def _completes(self, group: ConvergedGroup, op: Op) -> bool:
        state, threads, meeting = self._state, group.members.threads, meeting_place(op, None)
        if isinstance(op.form, ClusterBarrier):
            return True
        flags = self._waiting.get(meeting)
        if flags is None:
            flags = self._waiting[meeting] = np.zeros(state.shape.lanes, np.bool_)
        flags[threads] = True
        absent: Values = state.alive.reshape(-1) & ~flags
        if isinstance(op.form, Barrier) and op.form.whole_block:
            blocks: Values = np.asarray(absent.reshape(state.shape.grid, -1).any(axis=1))
            return not blocks[threads // state.shape.lanes_per_block].all()
        words = np.packbits(absent, bitorder="little").view("<u4")
        return not (words[threads // WARP] & member_masks(state, group)).all()
