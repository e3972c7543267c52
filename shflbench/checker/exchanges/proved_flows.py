"""Whether the values that a line loads come from the same lanes in all launches with blocks of the same shapes.

It is so if each thread that may have stored to an address is one of the lanes that the launches showed, whatever
parameters, grids and contents are, and if the threads that store are all threads, or do not depend on these: a lane
whose partner stores nothing would read an older value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.exchanges.recorder import LaneRelation
from shflbench.core.model import WARP
from shflbench.emulator.dataflow.code_loops import CodeLoops
from shflbench.emulator.dataflow.symbolic_numbers import is_uniform
from shflbench.emulator.dataflow.uniform_control import UniformControl
from shflbench.emulator.opcodes.forms import Access, Values

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shflbench.checker.exchanges.flows import Flow
    from shflbench.checker.exchanges.unordered_pairs import BarrierPairs
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

_OF_DISTANCE = {LaneRelation.THREAD, LaneRelation.XOR, LaneRelation.SHIFT, LaneRelation.BROADCAST}


class FlowProofs:
    """The proofs on the flows of one kernel."""

    def __init__(
        self, slicer: Slicer, blocks: Sequence[BarrierPairs], accesses: Mapping[SourceLine, Sequence[Op]]
    ) -> None:
        """Take what is known of addresses for each shape of `blocks`, and the accesses to shared memory by lines."""
        self._slicer, self._blocks, self._accesses = slicer, blocks, accesses
        self._control = slicer.kept(UniformControl)

    def is_proved(self, flow: Flow, others: Collection[Flow]) -> bool:
        """Return whether a flow has the lanes that it shows in all launches.

        `others` are all flows to the same load.
        """
        known = {relation for other in others for relation in other.relations}
        if not known <= _OF_DISTANCE | {LaneRelation.PERMUTATION} or any(other.offered > 1 for other in others):
            return False
        loads = [op for op in self._accesses.get(flow.load, ()) if _kind(op) == "ld"]
        stores = [op for op in self._slicer.stores("shared") if _kind(op)]
        shown = {id(op) for other in others for op in self._accesses.get(other.store, ())}
        return bool(loads and self._blocks) and all(
            self._is_load_proved(block, load, stores, shown, _Lanes(others)) for block in self._blocks for load in loads
        )

    def _is_load_proved(
        self, block: BarrierPairs, load: Op, stores: Sequence[Op], shown: Collection[int], lanes: _Lanes
    ) -> bool:
        if not self._is_movable(block, load):
            return False
        for read in block.touched(load):
            every = ((store, target) for store in stores for target in block.touched(store))
            meeting = [(store, target) for store, target in every if block.may_meet(target, read)]
            if lanes.is_any and len(meeting) > 1:  # of which a lane may offer several values
                return False
            for store, target in meeting:
                if _kind(store) != "st" or id(store) not in shown or not self._is_certain(block, store):
                    return False
                if lanes.is_any and not all(map(is_uniform, target.address.multiples)):
                    return False
                if not lanes.include(block.shared_cells(target, read), block.threads):
                    return False
        return True

    def _is_movable(self, block: BarrierPairs, load: Op) -> bool:
        """Whether all threads come to a load as often, if it moves before the conditions in the loop around it."""
        loops = self._slicer.kept(CodeLoops).around(self._slicer.block_of(load))
        inside = min((loop.blocks for loop in loops), key=len, default=frozenset[int]())
        return not loops or all(
            self._is_alike(block, branch)
            or (self._slicer.block_of(branch) in inside and not self._slicer.leaves(branch, inside))
            for branch in self._slicer.all_conditions(load)
        )

    def _is_certain(self, block: BarrierPairs, store: Op) -> bool:
        """Whether the threads that execute a store are the same in all launches, or all of them."""
        return all(self._is_alike(block, op) for op in (store, *self._slicer.all_conditions(store)))

    def _is_alike(self, block: BarrierPairs, op: Op) -> bool:
        may, may_not = block.truth(op)
        return not (may & may_not).any() or self._control.is_uniform_branch(op)


class _Lanes:
    """The lanes from which flows show that a lane reads."""

    def __init__(self, flows: Collection[Flow]) -> None:
        shown = {(relation, distance) for flow in flows for relation, distance, _ in flow.executions}
        self._shown = shown | {(LaneRelation.THREAD, 0)}
        self.is_any = any(relation is LaneRelation.PERMUTATION for relation, _ in shown)

    def include(self, cells: tuple[tuple[Values, Values], tuple[Values, Values]], threads: int) -> bool:
        """Return whether each writer of a cell is one of the lanes from which its readers read.

        `cells` are those of writers and those of readers, as numbers, each with the threads.
        """
        (stored, writers), (read, readers) = cells
        codes = np.unique(stored * threads + writers)
        counts = np.bincount(codes // threads, minlength=int(max(stored.max(), read.max())) + 1)
        if self.is_any:
            warps = codes % threads // WARP
            least = np.full(counts.size, threads)
            most = np.full(counts.size, -1)
            np.minimum.at(least, codes // threads, warps)
            np.maximum.at(most, codes // threads, warps)
            is_written = counts[read] > 0
            home = readers // WARP
            return bool((~is_written | ((least[read] == home) & (most[read] == home))).all())
        sources = np.unique(np.stack([self._sources(readers, *item) for item in self._shown]), axis=0)
        hits = np.zeros(readers.size, np.int64)
        counted = np.full((len(sources), readers.size), -1)
        for place, source in enumerate(sources):
            is_new = (source // WARP == readers // WARP) & (source >= 0) & (source < threads)
            is_new &= ~(counted == source).any(axis=0)
            hits += is_new & np.isin(read * threads + source, codes)
            counted[place] = np.where(is_new, source, -1)
        return bool((hits == counts[read]).all())

    def _sources(self, readers: Values, relation: LaneRelation, distance: int) -> Values:
        match relation:
            case LaneRelation.XOR:
                return readers ^ distance
            case LaneRelation.SHIFT:
                return readers + distance
            case LaneRelation.BROADCAST:
                return readers // WARP * WARP + distance
        return readers


def _kind(op: Op) -> str:
    return op.form.kind if isinstance(op.form, Access) else ""
