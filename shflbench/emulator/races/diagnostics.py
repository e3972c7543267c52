"""Find faults of threads that meet: their masks, and the instructions at which they wait."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Barrier, Values
from shflbench.emulator.ptx.syntax import PtxInstruction
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import Absence, HazardKind, HazardLog
from shflbench.emulator.races.rule import Rule


class LaneMasks(Rule):
    """Lanes that act together name one another, and no other lane, in equal masks."""

    def pass_masks(self, op: Op, threads: Values, masks: Values, ended: Values) -> None:
        """Find lanes at a barrier that their own mask does not name, and masks that name exited lanes."""
        lanes = (threads % WARP).astype(np.uint32)
        outside = masks >> lanes & np.uint32(1) == 0
        if outside.any() and isinstance(op.form, Barrier):
            self.report(HazardKind.NOT_IN_OWN_MASK, op, threads[outside])
        if ended.any():
            self.report(HazardKind.EXITED, op, threads[ended != 0][:1], int(np.count_nonzero(ended)))

    def meet_other_masks(self, op: Op, threads: Values) -> None:
        """Find lanes whose masks differ from those of lanes that they name."""
        self.report(HazardKind.MASKS_DIFFER, op, threads)

    def read_absent(self, op: Op, threads: Values, sources: Values) -> None:
        """Find lanes that read from lanes that do not execute the instruction."""
        source = int(sources[0])
        absence = Absence.OUTSIDE_MASK
        if not self.state.existing.reshape(-1)[source]:
            absence = Absence.OUTSIDE_BLOCK
        elif not self.state.alive.reshape(-1)[source]:
            absence = Absence.EXITED
        pair = np.array([threads[0], source])
        self.report(HazardKind.ABSENT_VALUE, op, pair, threads.size, absence=absence)

    def stand_outside(self, op: Op, threads: Values) -> None:
        """Find lanes whose own mask does not name them."""
        self.report(HazardKind.NOT_IN_OWN_MASK, op, threads[:1], threads.size)

    def ask_active(self, op: Op, threads: Values) -> None:
        """Find lanes that read the mask of active lanes."""
        self.report(HazardKind.ACTIVEMASK, op, threads[:1], threads.size)


class Divergence(Rule):
    """The lanes of a warp execute a barrier of the block together, and no thread of the block has ended before."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Start without barriers that threads skip."""
        super().__init__(state, clocks, log)
        self._of_one_warp: dict[PtxInstruction, Values] = {}  # by the barrier: a thread that waits, one that has ended

    def skip_barrier(self, op: Op, threads: Values, ended: Values, end: Op | None) -> None:
        """Find barriers that some threads ended before."""
        self.report(HazardKind.BARRIER_SKIPPED, op, np.concatenate([threads[:1], ended[:1]]), int(ended.size), end)
        warps = np.intersect1d(threads // WARP, ended // WARP)
        if warps.size:
            pair = [those[those // WARP == warps[0]][0] for those in (threads, ended)]
            self._of_one_warp.setdefault(op.instruction, np.array(pair))

    def finish(self) -> None:
        """Name two lanes of one warp where only a part of it waits at a barrier."""
        for key, hazard in self.log.hazards.items():
            pair = self._of_one_warp.get(hazard.instruction)
            if hazard.kind is HazardKind.BARRIER_SKIPPED and pair is not None:
                named = tuple(self.shape.in_block(int(thread)) for thread in pair)
                self.log.hazards[key] = replace(hazard, threads=named)

    def meet(self, threads: Values, sets: Values, places: Values, ops: Sequence[Op]) -> None:
        """Find warps whose lanes wait at different barriers, or in different iterations, though they continue together.

        An op that stands at several places of `ops` is waited at in different iterations of the loops around it.
        """
        if len(ops) == 1:
            return
        _, first, numbers = np.unique(sets, return_index=True, return_inverse=True)
        expected = places[first][numbers]
        pairs = np.unique(np.stack([places, expected])[:, places != expected], axis=1)
        for place, other in pairs.T.tolist():
            if not any(isinstance(op.form, Barrier) and op.form.aligned for op in (ops[place], ops[other])):
                continue
            divergent = (places == place) & (expected == other)
            self.report(
                HazardKind.DIVERGENT_WARP_BARRIER,
                ops[place],
                threads[divergent][:1],
                int(np.count_nonzero(divergent)),
                ops[other] if ops[other] is not ops[place] else None,
            )
