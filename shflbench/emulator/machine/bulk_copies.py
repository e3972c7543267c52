"""Bulk copies and asynchronous stores that have started, and the data that they move.

A copy moves its data at once, or as late as it may: at the second test of the barrier that counts it, when its thread
waits for its group, or at the end of the launch. Both are legal. Which accesses to its bytes are ordered with it does
not depend on that, and is found by `races/bulk_races.py`.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.opcodes.forms import Apply, Values
from shflbench.emulator.opcodes.mbarriers import TRANSACTIONS, arrive, phase_of

TESTS = 2  # of the barrier that counts a late copy, by the last of which it is complete


class BulkCopies:
    """The copies of all threads of a launch."""

    def __init__(self, lanes: int, spaces: Mapping[str, MemorySpace]) -> None:
        """Start without copies in the memory of a launch."""
        self._spaces = spaces
        self._committed = np.zeros(lanes, np.int64)  # groups of each thread
        self._groups: dict[int, list[BulkCopy]] = {}  # the copies of each thread that it has not waited for
        self._pending: list[BulkCopy] = []
        self.is_late = False
        self.has_started = False
        self.completed = 0  # copies

    @property
    def any(self) -> bool:
        """Whether a copy has not moved its data."""
        return bool(self._pending)

    def start(self, observers: Sequence[Observer], copy: BulkCopy) -> None:
        """Start a copy."""
        self.has_started = True
        if copy.barrier is None:
            copy.group = int(self._committed[copy.thread])
            self._groups.setdefault(copy.thread, []).append(copy)
        for observer in observers:
            observer.start_copy(copy)
        self._pending.append(copy)
        if not self.is_late:
            self._complete(observers, [copy])

    def commit(self, threads: Values) -> None:
        """Close the current group of each of these threads."""
        self._committed[threads] += 1

    def wait(self, observers: Sequence[Observer], thread: int, most: int, *, only_read: bool) -> None:
        """Wait for all groups of a thread but the `most` last ones, or only until their sources have been read."""
        limit = int(self._committed[thread]) - most
        copies = [copy for copy in self._groups.get(thread, ()) if copy.group < limit]
        self._complete(observers, [copy for copy in copies if copy in self._pending])
        for observer in observers:
            observer.wait_copies(thread, copies, only_read=only_read)
        if not only_read:
            self._groups[thread] = [copy for copy in self._groups.get(thread, ()) if copy not in copies]

    def test(self, observers: Sequence[Observer], barriers: Values) -> None:
        """Complete the copies that these barriers in memory count and that may be late no longer."""
        tested_barriers = set(barriers.tolist())
        tested = [copy for copy in self._pending if copy.barrier in tested_barriers]
        for copy in tested:
            copy.tests += 1
        self._complete(observers, [copy for copy in tested if copy.tests >= TESTS])

    def finish(self, observers: Sequence[Observer]) -> None:
        """Complete all copies."""
        self._complete(observers, list(self._pending))

    def _complete(self, observers: Sequence[Observer], copies: list[BulkCopy]) -> None:
        for copy in copies:
            self._pending.remove(copy)
            self.completed += 1
            memory = self._spaces[copy.target.space].bytes
            data = copy.values
            if copy.source is not None:
                data = self._spaces[copy.source.space].bytes[copy.source.start : copy.source.end]
            if data is None:  # impossible: a copy has a source or values
                raise AssertionError(copy)
            target = memory[copy.target.start : copy.target.end]
            target[:] = data if copy.update is None else _combine(copy.update, target, data)
            self._count(copy)
            for observer in observers:
                observer.complete_copy(copy)

    def _count(self, copy: BulkCopy) -> None:
        """Let the barrier of a copy count its bytes."""
        if copy.barrier is None:
            return
        words = self._spaces["shared"].view("u8")[copy.barrier : copy.barrier + 1]
        copy.phase = int(phase_of(words)[0])
        size = copy.target.end - copy.target.start
        words[:] = arrive(words, np.array([-size], np.int64).astype(np.uint64) << np.uint64(TRANSACTIONS))


def _combine(update: Apply, target: Values, data: Values) -> Values:
    """Return the bytes of values that are combined with those in memory."""
    new: Values = np.asarray(update(target.view(data.dtype), data)).astype(data.dtype)
    return new.view(np.uint8)
