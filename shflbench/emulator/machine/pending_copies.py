"""Copies that `cp.async` has started and nothing has completed.

Data arrive at once here, which is one of the legal orders. What is tracked is when they are known to have arrived: a
copy is complete once its thread has waited for its group (PTX ISA 9.0, 9.7.9.25.3), or once a thread has observed that
a phase of the barrier in memory is complete that `cp.async.mbarrier.arrive` counts in. Until then nobody may write the
bytes that it reads, or touch those that it writes. It counts as accesses of its thread where it begins, and again where
the thread has waited or arrives.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.threads import scatter
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.opcodes.mbarriers import PHASES, is_fresh, phase_of

WORD = 4  # bytes of the smallest copy

# The rows of the table of copies; `_BARRIER` is the number of a barrier's word in shared memory, or one of these two.
_THREAD, _INDEX, _GROUP, _OP, _BARRIER, _PHASE = range(6)
_RUNNING, _ARRIVING = -1, -2


class PendingCopies:
    """The copies of all threads of a launch: what they read, and what they write."""

    def __init__(self, lanes: int) -> None:
        """Start without copies."""
        self._committed = np.zeros(lanes, np.int64)  # groups of each thread
        self._waiting = np.zeros((6, 0), np.int64)
        self._ops: list[tuple[Op, MemorySpace]] = []
        self._numbers: dict[int, int] = {}
        self._pending: dict[str, Values] = {}  # by word of each space: how many copies concern it
        self.watched = False  # an observer calls `arrive` and `observe`
        self.reporting = False  # the accesses that observers get now are those of copies

    @property
    def any(self) -> bool:
        """Whether a copy is not complete."""
        return bool(self._waiting.size)

    def pending(self, space: str, words: Values) -> Values | None:
        """Return, by words of a space, how many copies concern each, or None for no copies at all."""
        counts = self._pending.get(space)
        return None if counts is None else counts[words]

    def copy_of(self, space: str, word: int) -> tuple[int, Op] | None:
        """Return the thread and the op of the first copy that concerns a word."""
        first: tuple[int, Op] | None = None
        for number, (op, of_op) in enumerate(self._ops):
            if of_op.name != space:
                continue
            copies = np.flatnonzero(self._waiting[_OP] == number)
            concerned = copies[(_words(op, self._waiting[_INDEX, copies]) == word).any(axis=0)]
            if concerned.size and (first is None or concerned[0] < first[0]):
                first = int(concerned[0]), op
        return None if first is None else (int(self._waiting[_THREAD, first[0]]), first[1])

    def start(self, op: Op, space: MemorySpace, threads: Values, index: Values) -> None:
        """Add one side of copies to the groups that their threads have not committed yet."""
        number = self._numbers.setdefault(id(op), len(self._ops))
        if number == len(self._ops):
            self._ops.append((op, space))
        if space.name not in self._pending:
            self._pending[space.name] = np.zeros(-(-space.bytes.size // WORD), np.int32)
        np.add.at(self._pending[space.name], _words(op, index), 1)
        same = (np.full(threads.size, value) for value in (number, _RUNNING, 0))
        rows = np.stack([threads, index, self._committed[threads], *same])
        self._waiting = np.concatenate([self._waiting, rows], axis=1)

    def commit(self, threads: Values) -> None:
        """Close the current group of each of these threads."""
        self._committed[threads] += 1

    def wait(self, threads: Values, most: Values | None, observers: Iterable[Observer]) -> None:
        """Complete copies of these threads but for the `most` last groups of each; None: all, committed or not."""
        limit = np.full(self._committed.size, -1, np.int64)
        limit[threads] = self._committed[threads] - (0 if most is None else np.asarray(most).astype(np.int64) + 1)
        done = self._waiting[_GROUP] <= limit[self._waiting[_THREAD]]
        self._report(self._waiting[:, done & (self._waiting[_BARRIER] == _RUNNING)], observers)
        self._remove(done)

    def deliver(self, threads: Values, observers: Iterable[Observer]) -> None:
        """Report the copies of these threads, which arrive at a barrier in memory next."""
        running = (self._waiting[_BARRIER] == _RUNNING) & np.isin(self._waiting[_THREAD], threads)
        self._report(self._waiting[:, running], observers)
        self._waiting[_BARRIER, running] = _ARRIVING
        if not self.watched:
            self._remove(running)

    def arrive(self, op: Op, space: MemorySpace, threads: Values, index: Values) -> None:
        """Note which phase of a barrier completes the copies that each of these threads has delivered."""
        states = space.view("u8")[index]
        # An arrival that was the last one of its phase has begun the next one.
        phases = phase_of(states) + (0 if op.sources[0] == 1 else 1)
        phases = np.where(is_fresh(states), phases, phase_of(states) + 1)
        arriving = self._waiting[_BARRIER] == _ARRIVING
        for thread, barrier, phase in zip(threads.tolist(), index.tolist(), phases.tolist(), strict=True):
            mine = arriving & (self._waiting[_THREAD] == thread)
            self._waiting[_BARRIER, mine], self._waiting[_PHASE, mine] = barrier, phase

    def observe(self, barriers: Values, phases: Values) -> None:
        """Complete the copies that arrived in phases before those that threads have read from barriers."""
        if not (self._waiting[_BARRIER] >= 0).any():
            return
        for barrier, phase in {*zip(barriers.tolist(), phases.tolist(), strict=True)}:
            done = (self._waiting[_BARRIER] == barrier) & ((phase - self._waiting[_PHASE]) % PHASES < PHASES // 2)
            if done.any():
                self._remove(done)

    def _remove(self, done: Values) -> None:
        for op, space, _, index in self._by_op(self._waiting[:, done]):
            np.subtract.at(self._pending[space.name], _words(op, index), 1)
        self._waiting = self._waiting[:, ~done]

    def _report(self, copies: Values, observers: Iterable[Observer]) -> None:
        """Report copies as accesses: the memory holds what they read and write."""
        self.reporting = True
        for op, space, copiers, index in self._by_op(copies):
            form: Access = op.form  # type: ignore[assignment]
            data = space.view(form.type)
            values = [data[index + element] for element in range(form.vector)] if form.writes else []
            for observer in observers:
                observer.access(op, scatter(copiers), space, index, values)
        self.reporting = False

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
    """Return the words [part, thread] that a copy concerns from an element."""
    form: Access = op.form  # type: ignore[assignment]
    size = np.dtype(form.type).itemsize
    words: Values = index * size // WORD + np.arange(size * form.vector // WORD)[:, None]
    return words
