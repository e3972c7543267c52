"""The events of a running launch. A rule that finds hazards overrides the methods that it needs."""

from collections.abc import Sequence

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.threads import ThreadSet
from shflbench.backends.emulator.opcodes.forms import Values


class Observer:
    """Gets the events of threads, by their numbers, before they take effect; does nothing by itself."""

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Get an access to elements `index` of `space`, one per thread; `values` are stored or combined."""

    def compare_values(self, op: Op, threads: Values, active: Values | None, values: Values) -> None:
        """Get the values that the active lanes of warps compare, all [warps, 32]; None: all lanes are active."""

    def synchronize_blocks(self, blocks: Values) -> None:
        """Get a barrier of all threads of these blocks."""

    def synchronize_warps(self, warps: Values) -> None:
        """Get a barrier of all lanes of each of these warps."""

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Get a barrier of the lanes that each thread's mask names."""

    def meet(self, threads: Values, sets: Values, places: Values, ops: Sequence[Op]) -> None:
        """Get threads that continue from a barrier: each with those of its set, from the op at its place of `ops`."""

    def pass_masks(self, op: Op, threads: Values, masks: Values, ended: Values) -> None:
        """Get the masks that lanes pass, and as words which lanes of each mask have exited."""

    def meet_other_masks(self, op: Op, threads: Values) -> None:
        """Get lanes that continue although lanes that their masks name pass other masks."""

    def read_absent(self, op: Op, threads: Values) -> None:
        """Get lanes that read from lanes that do not execute the instruction."""

    def stand_outside(self, op: Op, threads: Values) -> None:
        """Get lanes whose own mask does not name them."""

    def ask_active(self, op: Op, threads: Values) -> None:
        """Get lanes that read the mask of active lanes."""
