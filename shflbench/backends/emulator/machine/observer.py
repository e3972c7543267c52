"""What can be observed of a launch while it runs. A rule that finds hazards overrides what it has to see."""

from collections.abc import Sequence

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.threads import ThreadSet
from shflbench.backends.emulator.opcodes.forms import Values


class Observer:
    """Sees what threads do, before it takes effect, and does nothing about it. Threads go by their numbers."""

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """See an access to elements `index` of `space`, one per thread; `values` are stored or combined."""

    def synchronize_blocks(self, blocks: Values) -> None:
        """See a barrier of all threads of these blocks."""

    def synchronize_warps(self, warps: Values) -> None:
        """See a barrier of all lanes of each of these warps."""

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """See a barrier of the lanes that each thread's mask names."""

    def meet(self, threads: Values, sets: Values, places: Values, ops: Sequence[Op]) -> None:
        """See threads continue from a barrier: each with those of its set, from the op at its place of `ops`."""

    def pass_masks(self, op: Op, threads: Values, masks: Values, ended: Values) -> None:
        """See the masks that lanes pass, and as words which lanes of each mask have ended."""

    def meet_other_masks(self, op: Op, threads: Values) -> None:
        """See lanes continue although lanes that their masks name pass other masks."""

    def read_absent(self, op: Op, threads: Values) -> None:
        """See lanes that read from lanes which do not take part."""

    def stand_outside(self, op: Op, threads: Values) -> None:
        """See lanes that take part without being named by the mask that they pass."""

    def ask_active(self, op: Op, threads: Values) -> None:
        """See lanes that ask which lanes happen to be active."""
