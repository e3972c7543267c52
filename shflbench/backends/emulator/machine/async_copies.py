"""Copies that `cp.async` has started and no wait has completed.

Data arrive at once here, which is one of the legal orders. What is tracked is when they are known to have arrived: a
copy is complete once its thread has waited for its group (PTX ISA 9.0, 9.7.9.25.3). Until then nobody may touch the
bytes that it writes, and from then on it counts as a store of its thread.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.observer import Observer
from shflbench.backends.emulator.machine.threads import scattered
from shflbench.backends.emulator.opcodes.forms import Access, Values

WORD = 4  # bytes of the smallest copy

_THREAD, _INDEX, _GROUP, _OP = range(4)


class PendingCopies:
    """The copies of all threads of a launch."""

    def __init__(self, lanes: int) -> None:
        """Start without copies."""
        self._committed = np.zeros(lanes, np.int64)  # groups of each thread
        self._waiting = np.zeros((4, 0), np.int64)  # thread, first element, group and number of the op of each copy
        self._ops: list[tuple[Op, MemorySpace]] = []
        self._numbers: dict[int, int] = {}
        self._owner = np.zeros(0, np.int32)  # by word of shared memory: the thread that copies to it, from 1

    @property
    def any(self) -> bool:
        """Whether a copy is not complete."""
        return bool(self._waiting.size)

    def owner(self, words: Values) -> Values:
        """Return, by words of shared memory, the thread from 1 whose copy writes there, 0 where there is none."""
        return self._owner[words]

    def op_of(self, word: int) -> Op | None:
        """Return the op that started the copy to a word."""
        for thread, index, _, number in self._waiting.T.tolist():
            op, _ = self._ops[number]
            if thread + 1 == self._owner[word] and word in _words(op, np.array([index])):
                return op
        return None

    def start(self, op: Op, space: MemorySpace, threads: Values, index: Values) -> None:
        """Add copies to the groups that their threads have not committed yet."""
        number = self._numbers.setdefault(id(op), len(self._ops))
        if number == len(self._ops):
            self._ops.append((op, space))
        if self._owner.size == 0:
            self._owner = np.zeros(space.bytes.size // WORD, np.int32)
        self._owner[_words(op, index)] = threads + 1
        rows = np.stack([threads, index, self._committed[threads], np.full(threads.size, number)])
        self._waiting = np.concatenate([self._waiting, rows], axis=1)

    def commit(self, threads: Values) -> None:
        """Close the current group of each of these threads."""
        self._committed[threads] += 1

    def wait(self, threads: Values, most: Values | None, observers: Iterable[Observer]) -> None:
        """Complete copies of these threads but for the `most` last groups of each; None: all, committed or not."""
        limit = np.full(self._committed.size, -1, np.int64)
        limit[threads] = self._committed[threads] - (0 if most is None else np.asarray(most).astype(np.int64) + 1)
        done = self._waiting[_GROUP] <= limit[self._waiting[_THREAD]]
        complete = self._waiting[:, done]
        self._waiting = self._waiting[:, ~done]
        for op, space, copiers, index in self._by_op(complete):
            self._owner[_words(op, index)] = 0
            form: Access = op.form  # type: ignore[assignment]
            data = space.view(form.type)
            values = [data[index + element] for element in range(form.vector)]
            for observer in observers:  # the completion is a store of what the memory holds
                observer.access(op, scattered(copiers), space, index, values)

    def _by_op(self, copies: Values) -> Iterator[tuple[Op, MemorySpace, Values, Values]]:
        """Yield op, space, threads in ascending order and first elements of copies: of each thread once."""
        for number in np.unique(copies[_OP]).tolist():
            op, space = self._ops[number]
            of_op = copies[:, copies[_OP] == number]
            while of_op.size:
                copiers, first = np.unique(of_op[_THREAD], return_index=True)
                yield op, space, copiers, of_op[_INDEX, first]
                of_op = np.delete(of_op, first, axis=1)


def _words(op: Op, index: Values) -> Values:
    """Return the words [part, thread] that a copy writes to from an element."""
    form: Access = op.form  # type: ignore[assignment]
    size = np.dtype(form.type).itemsize
    words: Values = index * size // WORD + np.arange(size * form.vector // WORD)[:, None]
    return words
