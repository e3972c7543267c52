"""The side of each branch that every thread took last; only a launch that runs again to explain a finding keeps it."""

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.opcodes.forms import Values

_NONE, _STAYED, _JUMPED = range(3)


class BranchSides:
    """The sides of the branches of one launch."""

    def __init__(self, lanes: int) -> None:
        """Start before any branch."""
        self._lanes = lanes
        self._sides: dict[int, tuple[Op, Values]] = {}  # by the id of a branch

    def record(self, branch: Op, threads: Values, jumps: Values) -> None:
        """Keep which of some threads jump at a branch, and that the others do not."""
        _, sides = self._sides.setdefault(id(branch), (branch, np.full(self._lanes, _NONE, np.uint8)))
        sides[threads] = np.where(jumps, _JUMPED, _STAYED)

    def of(self, thread: int) -> tuple[tuple[Op, bool], ...]:
        """Return the branches that a thread executed, and whether it jumped at each."""
        taken = ((branch, int(sides[thread])) for branch, sides in self._sides.values())
        return tuple((branch, side == _JUMPED) for branch, side in taken if side != _NONE)
