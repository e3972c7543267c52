"""Prove that threads which poll memory wait for ever: nobody can change what they read.

Each group that still runs is executed alone until its place and its registers are those of an earlier block, while no
memory changes. Then it does the same for ever unless memory changes, and as this holds for all of them, and the others
wait for them at barriers, none of them ever changes it, in whatever order they run. A loop that counts, or that reads
a clock, does not come back to an earlier state.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.emulator.link.program import BasicBlock, Op
from shflbench.emulator.machine.bind import Trace, trace
from shflbench.emulator.machine.groups import ConvergedGroup
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Branch, Service, Values

MOST_BLOCKS = 1 << 8  # of one round of a loop that polls; one has a few


@dataclass(frozen=True, slots=True)
class Poll:
    """The last strong access of a round by which a thread reads memory."""

    op: Op
    space: MemorySpace
    index: int  # of the first thread, in elements of the access
    places: frozenset[tuple[str, int]]  # of all threads: space and first byte

    def is_for_threads(self, changed: Collection[tuple[str, int]]) -> bool:
        """Return whether threads of the launch change what is polled: the host and other launches do not.

        `changed` are the places that they have changed; only they have access to shared memory.
        """
        return all(place in changed or place[0] == "shared" for place in self.places)

    @property
    def detail(self) -> str:
        """What the place holds, and why it stays so."""
        form: Access = self.op.form  # type: ignore[assignment]
        size = np.dtype(form.type).itemsize
        byte = self.index * size
        value = int(self.space.view(f"u{size}")[self.index])
        return f"{self._holder(byte, size)} {value}, and no thread that still runs changes it"

    def _holder(self, byte: int, size: int) -> str:
        offset = byte % self.space.stride if self.space.parts > 1 else self.space.offset_of(byte)
        if not self.space.allocations:
            return f"{self.space.name} memory holds"
        number = self.space.allocation(offset, size)
        start, end = self.space.allocations[number]
        if end - start == size:
            return f"{self.space.label(number)} holds"
        first = offset - start
        return f"bytes {first}–{first + size - 1} of {self.space.label(number)} hold"


class PollingRound(Observer):
    """Observes one round of a loop: whether it changes memory, and what it polls."""

    def __init__(self) -> None:
        """Start without accesses."""
        self.has_changed = False
        self.poll: Poll | None = None

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Compare what an access writes with memory, and keep what a strong one reads."""
        del members
        form: Access = op.form  # type: ignore[assignment]
        self.has_changed |= _changes(form, space.view(form.type), index, values)
        if form.strong and form.kind in {"ld", "atom"}:
            size = np.dtype(form.type).itemsize
            places = frozenset((space.name, element * size) for element in index.tolist())
            self.poll = Poll(op, space, int(index[0]), places)


def _changes(form: Access, data: Values, index: Values, values: Sequence[Values]) -> bool:
    """Return whether an access may change memory: a store of another value, or an atomic that by itself writes one.

    Of several atomics to one address, none sees another value if the first of them does not write one.
    """
    if form.asynchronous or form.is_barrier:
        return True  # what it waits for comes by itself
    if form.kind == "ld":
        return False
    flat = [np.broadcast_to(value.reshape(-1), index.shape) for value in values]
    if form.update is None:
        return any(data[index + at].tobytes() != value.tobytes() for at, value in enumerate(flat))
    return form.vector > 1 or bool((form.update(data[index], *flat) != data[index]).any())


def polled_for_ever(state: State, group: ConvergedGroup, run: Callable[[Trace], bool]) -> Poll | None:
    """Return what a group polls for ever unless memory changes; None if it may go on, or change memory itself.

    `run` executes straight code of the group, and returns whether all its threads go on together.
    """
    seen: set[tuple[int, bytes]] = set()
    observers, observed = state.observers, PollingRound()
    state.observers = (observed,)
    try:
        while len(seen) < MOST_BLOCKS:
            now = group.at, state.registers_of(group.members)
            if now in seen:
                return observed.poll
            seen.add(now)
            code = trace(state, group.members, group.at, one_block=True)
            may_repeat = _may_repeat(state.program.blocks[group.at], code.last)
            if not may_repeat or not run(code) or observed.has_changed:
                return None
    finally:
        state.observers = observers
    return None


def _may_repeat(block: BasicBlock, last: Op | None) -> bool:
    """Return whether a round may contain a block: its threads do not end or wait there, and call no service."""
    return (last is None or isinstance(last.form, Branch)) and not any(isinstance(op.form, Service) for op in block.ops)
