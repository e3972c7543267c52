"""Find reads of uninitialized global and local memory; shared memory has its own rule."""

from collections.abc import Sequence

import numpy as np

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.machine.threads import ThreadSet
from shflbench.backends.emulator.opcodes.forms import Access, Values
from shflbench.backends.emulator.races.clocks import Clocks
from shflbench.backends.emulator.races.hazards import HazardKind, HazardLog
from shflbench.backends.emulator.races.rule import Rule


class UninitializedReads(Rule):
    """Tracks which bytes are written."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Treat the initial contents of buffers as written."""
        super().__init__(state, clocks, log)
        self._written = {name: np.zeros(state.spaces[name].bytes.shape, np.uint8) for name in ("global", "local")}
        for start, end in state.spaces["global"].filled:
            self._written["global"][start:end] = 1

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Mark the bytes of a store; report loads and atomics of other bytes."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name not in self._written:
            return
        size = np.dtype(form.type).itemsize
        flags = self._written[space.name].view(f"u{size}")  # one byte of an element per byte of memory
        every = int.from_bytes(b"\1" * size, "little")
        if form.kind == "st":
            for part in range(form.vector):
                flags[index + part] = every
            return
        unwritten = np.logical_or.reduce([flags[index + part] != every for part in range(form.vector)])
        if unwritten.any():
            self.report(HazardKind.UNINITIALIZED, op, members.threads[unwritten][:1], int(np.count_nonzero(unwritten)))
