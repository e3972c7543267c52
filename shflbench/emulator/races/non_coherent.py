"""Find loads through the cache of read-only data that read what the kernel has written.

`ld.global.nc`, to which `__ldg` and `const` pointers with `__restrict__` compile, may read only memory that nothing
writes during the launch (PTX ISA 9.0, 9.7.9.9): no barrier and no fence orders it after a store, not even one of its
own thread.
"""

from collections.abc import Sequence

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.cells import accesses_of, batch, granule_of
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import HazardKind, HazardLog
from shflbench.emulator.races.rule import Rule


class NonCoherentLoads(Rule):
    """Tracks the last store to each cell of global memory, if the program has such loads."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Start without stores."""
        super().__init__(state, clocks, log)
        self._ops: list[Op] = []
        self._numbers: dict[int, int] = {}
        self._last: dict[str, tuple[Values, Values, Values]] = {}  # of each cell: number of the op from 1, thread, time
        if any(form.non_coherent for _, form in accesses_of(state.program)):
            self._granule = granule_of(state.program)
            for name in ("global", "module"):
                cells = state.spaces[name].bytes.size // self._granule
                self._last[name] = (np.zeros(cells, np.int32), np.zeros(cells, np.int32), np.zeros(cells, np.int32))

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Record a store, or report a load of what one has written."""
        last = self._last.get(space.name)
        form: Access = op.form  # type: ignore[assignment]
        if last is None or not (form.writes or form.non_coherent):
            return
        part = batch(op, members, index, self._granule)
        ops, threads, times = last
        if form.writes:
            number = self._numbers.setdefault(id(op), len(self._ops))
            if number == len(self._ops):
                self._ops.append(op)
            ops[part.cells], threads[part.cells], times[part.cells] = number + 1, part.threads, self.clocks.now
            return
        writers = ops[part.cells]
        for number in np.unique(writers[writers != 0]).tolist():
            first = int(np.argmax(writers == number))
            cell, count = int(part.cells[first]), int(np.count_nonzero(writers == number))
            pair = (int(part.threads[first]), int(threads[cell]))
            place = (space.name, cell * self._granule)
            self.report_race(HazardKind.RAW, (op, self._ops[number - 1]), pair, int(times[cell]), count, place)
