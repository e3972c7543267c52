"""What can be observed of a launch while it runs. A rule that finds hazards overrides what it has to see."""

from collections.abc import Sequence

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.groups import ConvergedGroup
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

    def meet(self, groups: Sequence[ConvergedGroup], threads: Values, size: int) -> None:
        """See `threads` go on from the barriers that `groups` wait at; `size` threads form a block, or a warp."""

    def pass_masks(self, op: Op, threads: Values, masks: Values, ended: Values) -> None:
        """See the masks that lanes pass, and as words which lanes of each mask have ended."""

    def read_absent(self, op: Op, threads: Values) -> None:
        """See lanes that read from lanes which do not take part."""

    def stand_outside(self, op: Op, threads: Values) -> None:
        """See lanes that take part without being named by the mask that they pass."""

    def ask_active(self, op: Op, threads: Values) -> None:
        """See lanes that ask which lanes happen to be active."""
