"""Find what is doubtful about threads that meet: their masks, and the places at which they wait."""

from collections.abc import Sequence

import numpy as np

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.groups import ConvergedGroup
from shflbench.backends.emulator.opcodes.forms import Barrier, Values
from shflbench.backends.emulator.races.hazards import HazardKind
from shflbench.backends.emulator.races.rule import Rule
from shflbench.model import WARP


class LaneMasks(Rule):
    """Lanes that act together name one another, and nobody else, in equal masks."""

    def pass_masks(self, op: Op, threads: Values, masks: Values, ended: Values) -> None:
        """Find lanes outside of their own mask at a barrier, masks that differ from those they name, ended lanes."""
        lanes = (threads % WARP).astype(np.uint32)
        outside = masks >> lanes & np.uint32(1) == 0
        if outside.any() and isinstance(op.form, Barrier):
            self.report(HazardKind.NOT_IN_OWN_MASK, op, threads[outside])
        if masks.size and masks.min() != masks.max():
            passed = np.zeros((self.shape.warps, WARP), np.uint32)
            passed[threads // WARP, lanes] = masks
            groups = passed[threads // WARP]  # what each lane of the thread's warp passes
            named = (masks[:, None] >> np.arange(WARP, dtype=np.uint32) & np.uint32(1)).astype(bool) & (groups != 0)
            differ = (named & (groups != masks[:, None])).any(axis=1)
            if differ.any():
                self.report(HazardKind.MASKS_DIFFER, op, threads[differ])
        if ended.any():
            self.report(HazardKind.ENDED, op, threads[ended != 0][:1], int(np.count_nonzero(ended)))

    def read_absent(self, op: Op, threads: Values) -> None:
        """Find lanes that read from lanes which do not take part."""
        self.report(HazardKind.INACTIVE_SOURCE, op, threads[:1], threads.size)

    def stand_outside(self, op: Op, threads: Values) -> None:
        """Find lanes that take part without being named by the mask that they pass."""
        self.report(HazardKind.NOT_IN_OWN_MASK, op, threads[:1], threads.size)

    def ask_active(self, op: Op, threads: Values) -> None:
        """Find lanes that depend on which lanes happen to be active."""
        self.report(HazardKind.ACTIVEMASK, op, threads[:1], threads.size)


class Divergence(Rule):
    """All threads of a block, or lanes of a warp, wait at one and the same barrier."""

    def meet(self, groups: Sequence[ConvergedGroup], threads: Values, size: int) -> None:
        """Find blocks or warps whose members wait at different instructions, though they go on together."""
        released = set((threads // size).tolist())
        places: dict[int, Op] = {}
        for group in groups:
            op, members = group.waits_at, group.members.threads
            for number in np.unique(members // size).tolist() if op is not None else ():
                if op is not None and number in released and places.setdefault(number, op) is not op:
                    self.report(HazardKind.DIVERGENT_BARRIER, op, members[:1], members.size, places[number])
