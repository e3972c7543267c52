"""Record the barriers and shuffles of a launch, and the addresses of its atomics."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.core.model import WARP, AtomicAddress, OperationRequests, WarpOperation
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.ptx.syntax import Location

SHUFFLE = "shfl"
Place = tuple[str, int]  # a file and a line


@dataclass(slots=True)
class OperationRecorder(Observer):
    """Counts the warps that arrive at barriers of their block, and the shuffles."""

    state: State
    locate: Callable[[Location | None], Place]
    _place: Place = ("", 0)
    _totals: dict[tuple[Place, WarpOperation], float] = field(default_factory=lambda: defaultdict(float))

    def meet(self, threads: Values, sets: Values, places: Values, ops: Sequence[Op]) -> None:
        """Keep where threads meet, for barriers at several places."""
        del threads, sets, places
        self._place = self.locate(ops[0].instruction.location)

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Add the warps of blocks that arrive at a barrier: those that have not ended."""
        warps = self.state.alive.reshape(self.state.shape.grid, -1, WARP)[blocks].any(axis=2)
        place = self._place if op is None else self.locate(op.instruction.location)
        self._totals[place, WarpOperation.BARRIER] += int(warps.sum())

    def synchronize_warps(self, warps: Values, op: Op | None = None) -> None:
        """Add warps at a barrier of their lanes."""
        place = self._place if op is None else self.locate(op.instruction.location)
        self._totals[place, WarpOperation.WARP_BARRIER] += warps.size

    def collective(self, op: Op, lanes: int) -> None:
        """Add a shuffle of full warps."""
        if op.instruction.opcode == SHUFFLE:
            self._totals[self.locate(op.instruction.location), WarpOperation.SHUFFLE] += lanes / WARP

    def requests(self) -> tuple[OperationRequests, ...]:
        """Return what the blocks of the launch do, on average."""
        blocks = self.state.shape.grid
        return tuple(
            OperationRequests(file, line, kind, count / blocks)
            for ((file, line), kind), count in sorted(self._totals.items())
            if count
        )


@dataclass(slots=True)
class AtomicRecorder(Observer):
    """Collects the addresses of global memory that atomics access."""

    state: State
    locate: Callable[[Location | None], Place]
    _accesses: dict[Place, list[tuple[Values, Values]]] = field(default_factory=dict)  # threads and bytes

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Add the addresses of an atomic on global memory."""
        del values
        form = op.form
        if space.name in {"global", "module"} and isinstance(form, Access) and form.update is not None:
            place = index.astype(np.int64) * np.dtype(form.type).itemsize
            key = self.locate(op.instruction.location)
            self._accesses.setdefault(key, []).append((members.threads.astype(np.int64), place))

    def atomics(self, grid: int) -> Iterator[AtomicAddress]:
        """Yield the most frequent address of each line, in a launch of `grid` blocks for which those that ran stand.

        Where all of these access it, the others do as well.
        """
        for (file, line), parts in sorted(self._accesses.items()):
            threads, places = (np.concatenate(items) for items in zip(*parts, strict=True))
            addresses, counts = np.unique(places, return_counts=True)
            top = addresses[counts.argmax()]
            at = threads[places == top]
            of_all = np.unique(at // self.state.shape.lanes_per_block).size == self.state.shape.grid
            scale = grid / self.state.shape.grid if of_all else 1.0
            requests = sum(np.unique(part[where == top] // WARP).size for part, where in parts)
            yield AtomicAddress(file, line, lanes=at.size * scale, requests=requests * scale)
