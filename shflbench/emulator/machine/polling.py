"""Find the groups that poll a place in memory: they run as soon as another group writes it.

A thread that waits for a flag then sees the first value that lets it go on. If it saw a later one, it would have
acquired more than the kernel guarantees, and races with what follows the first value would look ordered.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.groups import ConvergedGroup
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values

MOST_PLACES = 64  # that one group is known to poll
MOST_CHANGES = 1 << 10  # of one instruction
MOST_CHANGED = 1 << 16  # places that are known to have changed
MOST_WOKEN = 4  # by one write: of the lanes that wait for a lock, only one can go on
MOST_WAKES = 256  # of all groups in one launch: all in all some ten thousand instructions
BLOCKS = 16  # basic blocks that a woken group runs before others


@dataclass(slots=True)
class _Turn:
    """What a woken group may run."""

    group: ConvergedGroup
    at: int  # the block it woke at: once it is there again, it waits for another value
    blocks: int = BLOCKS


class Polling(Observer):
    """The places that groups have read by strong loads and atomics, and the groups that a change of one has woken."""

    def __init__(self) -> None:
        """Start with groups that have read nothing."""
        self._read: set[tuple[str, int]] = set()
        self._written: set[tuple[str, int]] = set()
        self.changed: set[tuple[str, int]] = set()  # by strong accesses of any group
        self._before: Values = np.zeros(0, np.uint8)
        self.tested: tuple[Op, MemorySpace, int] | None = (
            None  # a barrier in memory that the group that runs has tested
        )
        self.has_written = False  # whether the group that runs has written memory
        self._turns: list[_Turn] = []
        self._wakes = 0

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Collect what strong accesses read, and what strong stores change."""
        del members
        form: Access = op.form  # type: ignore[assignment]
        self.has_written |= form.writes
        if not form.strong:
            return
        if form.is_barrier and form.kind == "ld":
            self.tested = op, space, int(index[0])
        if form.kind in {"ld", "atom"} and len(self._read) < MOST_PLACES:
            self._read.update(_places(form, space, index[:MOST_PLACES]))
        if form.kind == "st":
            data = space.view(form.type)
            for element, value in enumerate(values):
                stored = np.broadcast_to(value.reshape(-1), index.shape)
                changed = index[data[index + element].view(stored.dtype) != stored]
                self._written.update(_places(form, space, changed[:MOST_CHANGES] + element))
        elif form.writes:
            self._before = space.view(form.type)[index]

    def exchange(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, done: Values) -> None:
        """Collect what atomics have changed."""
        del members, done
        form: Access = op.form  # type: ignore[assignment]
        changed = index[space.view(form.type)[index] != self._before]
        self._written.update(_places(form, space, changed[:MOST_CHANGES]))

    @property
    def met(self) -> bool:
        """Whether the group that runs has executed strong accesses since `after` was last called."""
        return bool(self._read or self._written)

    def after(self, group: ConvergedGroup, groups: Iterable[ConvergedGroup]) -> list[ConvergedGroup]:
        """Return the groups that wake because of what `group` has just written, and keep what it has read."""
        woken = []
        if self._written:
            if len(self.changed) < MOST_CHANGED:
                self.changed |= self._written
            for other in groups:
                if other is not group and other.waits_at is None and not other.polled.isdisjoint(self._written):
                    woken.append(other)
                    other.polled = set()
                    if len(woken) == MOST_WOKEN:
                        break
        if self._read:
            group.polled = self._read if len(group.polled) >= MOST_PLACES else group.polled | self._read
        self._read, self._written = set(), set()
        self._wakes += len(woken)
        return woken if self._wakes <= MOST_WAKES else []

    def wake(self, groups: Iterable[ConvergedGroup]) -> None:
        """Let groups run before all others."""
        self._turns += [_Turn(group, group.at) for group in groups]

    def next(self, running: Collection[ConvergedGroup]) -> ConvergedGroup | None:
        """Return the woken group to run next."""
        while self._turns:
            turn = self._turns[0]
            again = turn.blocks < BLOCKS and turn.group.at == turn.at
            if turn.blocks and not again and turn.group in running:
                turn.blocks -= 1
                return turn.group
            del self._turns[0]
        return None


def _places(form: Access, space: MemorySpace, index: Values) -> Iterable[tuple[str, int]]:
    size = np.dtype(form.type).itemsize
    return ((space.name, element * size) for element in index.tolist())
