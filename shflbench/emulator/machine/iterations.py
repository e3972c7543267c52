"""In which iteration of the loops around a barrier each thread is, counted only while lanes of a warp are apart."""

from collections.abc import Sequence

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.barrier_loops import BarrierLoops
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.groups import ConvergedGroup
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Values


class Iterations:
    """The iterations of one launch, for the lockstep groups whose threads have diverged.

    The counts of the lanes of a warp are right relative to one another: they begin at zero where the lanes part.
    """

    def __init__(self, loops: BarrierLoops, alive: Values, lockstep_groups: Sequence[ThreadSet]) -> None:
        """Start with all threads together; `alive` are flags [warps, 32] that others keep up to date."""
        self._loops, self._alive, self._lockstep_groups = loops, alive.reshape(-1), lockstep_groups
        self._counts = np.zeros((loops.counters, alive.size), np.int32)
        self._apart: set[int] = set()
        self._whole_warps = all(members.whole_warps for members in lockstep_groups) or _share_no_warp(lockstep_groups)

    def counts(self, lockstep: int) -> bool:
        """Return whether the iterations of a lockstep group are counted now."""
        return lockstep in self._apart

    def part(self, lockstep: int) -> None:
        """Count from now on, because threads of a lockstep group diverge; if it has all lanes of its warps."""
        if self._whole_warps:
            self._apart.add(lockstep)

    def join(self, lockstep: int) -> None:
        """Stop counting if the threads of a lockstep group, which are together, are all in the same iterations."""
        if lockstep in self._apart:
            threads = self._lockstep_groups[lockstep].threads
            threads = threads[self._alive[threads]]
            if not self._differ(slice(None), threads).any():
                self._counts[:, threads] = 0
                self._apart.remove(lockstep)

    def move(self, group: ConvergedGroup, start: int, end: int) -> None:
        """Count the jump of a group from the block `start` to the block `end`."""
        if group.lockstep not in self._apart:
            return
        for counter in self._loops.begins.get((start, end), ()):
            self._counts[counter, group.members.threads] = 0
        for counter in self._loops.repeats.get((start, end), ()):
            self._counts[counter, group.members.threads] += 1

    def places(self, threads: Values, places: Values, ops: Sequence[Op]) -> tuple[Values, Sequence[Op]]:
        """Return the places of threads at barriers anew, one apart for lanes in other iterations than their warp."""
        if not self._apart:
            return places, ops
        result, several = places.copy(), list(ops)
        for place, op in enumerate(ops):
            at = places == place
            apart = self._differ(list(self._loops.around.get(op.target, ())), threads[at])
            if apart.any():
                result[np.flatnonzero(at)[apart]] = len(several)
                several.append(op)
        return result, several

    def _differ(self, counters: slice | list[int], threads: Values) -> Values:
        """Return which threads, given in ascending order, differ in a counter from the first lane of their warp."""
        counts = self._counts[counters][:, threads]
        warps = threads // WARP
        begins = np.append(True, warps[1:] != warps[:-1])[: threads.size]
        first = np.flatnonzero(begins)[np.cumsum(begins) - 1]  # of the warp of each thread
        apart: Values = (counts != counts[:, first]).any(axis=0)
        return apart


def _share_no_warp(groups: Sequence[ThreadSet]) -> bool:
    """Return whether all lanes of each warp belong to one group."""
    warps = [np.unique(members.threads // WARP) for members in groups]
    return np.unique(np.concatenate(warps)).size == sum(part.size for part in warps)
