"""Find accesses to bytes that an asynchronous copy may still write: nobody has waited for it."""

from collections.abc import Sequence

import numpy as np

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.async_copies import WORD
from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.threads import ThreadSet
from shflbench.backends.emulator.opcodes.forms import Access, Values
from shflbench.backends.emulator.races.hazards import HazardKind
from shflbench.backends.emulator.races.rule import Rule


class AsyncCopies(Rule):
    """Compares each access to shared memory with the copies that are not complete."""

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Report threads that read or write what a copy still writes."""
        copies = self.state.copies
        if space.name != "shared" or not copies.any:
            return
        form: Access = op.form  # type: ignore[assignment]
        element = np.dtype(form.type).itemsize
        size = element * form.vector
        words = index * element // WORD + np.arange(-(-size // WORD))[:, None]
        owners = copies.owner(words)
        if not owners.any():
            return
        thread = int(np.argmax(owners.any(axis=0)))
        part = int(np.argmax(owners[:, thread] != 0))
        threads = np.array([members.threads[thread], owners[part, thread] - 1])
        kind = HazardKind.RAW if form.kind == "ld" else HazardKind.WAW
        place = (space.name, int(index[thread]) * element, size)
        count = int(np.count_nonzero(owners.any(axis=0)))
        self.report(kind, op, threads, count, copies.op_of(int(words[part, thread])), place=place)
