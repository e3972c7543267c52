"""Find accesses to bytes that an asynchronous copy may still read or write: nobody has waited for it."""

from collections.abc import Sequence

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.pending_copies import WORD
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.opcodes.mbarriers import phase_of
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import HazardKind, HazardLog
from shflbench.emulator.races.rule import Rule


class AsyncCopies(Rule):
    """Compares each access to memory with the copies that are not complete."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Observe the copies of `state`, too."""
        super().__init__(state, clocks, log)
        state.copies.watched = True

    def exchange(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _done: Values) -> None:
        """Let copies arrive at barriers in memory."""
        form: Access = op.form  # type: ignore[assignment]
        if form.asynchronous:
            self.state.copies.arrive(op, space, members.threads, index)

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Report threads that write what a copy still reads, or access what it still writes."""
        copies = self.state.copies
        if not copies.any or copies.reporting:
            return
        form: Access = op.form  # type: ignore[assignment]
        if form.acquires and form.type == "u8" and space.name == "shared":
            copies.observe(index, phase_of(space.view("u8")[index]))
        if space.name != "shared" and not form.writes:
            return
        element = np.dtype(form.type).itemsize
        size = element * form.vector
        words = index * element // WORD + np.arange(-(-size // WORD))[:, None]
        pending = copies.pending(space.name, words)
        if pending is None or not pending.any():
            return
        thread = int(np.argmax(pending.any(axis=0)))
        copy = copies.copy_of(space.name, int(words[np.argmax(pending[:, thread] != 0), thread]))
        if copy is None:  # impossible: the word is one of a copy
            raise AssertionError(op)
        copier, started = copy
        kind = HazardKind.RAW if form.kind == "ld" else HazardKind.WAW
        if space.name != "shared":
            kind = HazardKind.WAR
        place = (space.name, int(index[thread]) * element, size)
        count = int(np.count_nonzero(pending.any(axis=0)))
        self.report(kind, op, np.array([members.threads[thread], copier]), count, started, place=place)
