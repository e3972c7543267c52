"""Fences between the generic and the async proxy: after which accesses one lies that a bulk copy comes after."""

from bisect import bisect_right
from operator import itemgetter

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy, Region
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import ProxyFence, Values
from shflbench.emulator.races.clocks import Clocks

MOST_ENTRIES = 1 << 24  # of all rows: these take 64 MiB


class ProxyFences:
    """The proxy fences of all threads, by the number of the last access before each, and what the thread knew then."""

    def __init__(self, state: State, clocks: Clocks) -> None:
        """Start without fences."""
        self._state, self._clocks = state, clocks
        self._fences: dict[tuple[str, int], list[tuple[int, Values]]] = {}  # by space and thread
        self._count = 0

    def add(self, op: Op, threads: Values) -> None:
        """Keep what threads know that execute a fence."""
        form: ProxyFence = op.form  # type: ignore[assignment]
        for thread in threads.tolist():
            row = self._clocks.joined(np.array([thread]))
            for space in ("shared", "global") if not form.space else (form.space,):
                self._fences.setdefault((space, thread), []).append((self._clocks.now, row))
                self._count += 1
        if self._count > max(MOST_ENTRIES // self._state.shape.lanes, 2 * len(self._fences)):
            self._drop()

    def lie_after(self, copy: BulkCopy, region: Region, threads: Values, numbers: Values) -> Values:
        """Return after which accesses, all of them known to the thread of a copy, a proxy fence lies before it."""
        space = "shared" if region.space == "shared" else "global"
        fenced = np.zeros(threads.shape, np.bool_)
        lists = {by: fences for (of_space, by), fences in self._fences.items() if of_space == space}
        others = np.array(list(lists), np.intp)
        known = self._clocks.knows(np.full(others.shape, copy.thread), others)
        known = np.where(others == copy.thread, self._clocks.now, known)
        for fences, number in zip(lists.values(), known.tolist(), strict=True):
            count = _count(fences, number)
            if count:  # what a thread knew at its last fence includes what it knew before
                fenced |= fences[count - 1][1][threads] >= numbers
        return fenced

    def _drop(self) -> None:
        """Drop fences that all threads of the cluster know to lie before another one, and the first of the others."""
        most = max(MOST_ENTRIES // self._state.shape.lanes // len(self._fences) // 2, 1)
        for (_, thread), fences in self._fences.items():
            del fences[: max(_count(fences, self._known_to_all(thread)) - 1, 0)]
            del fences[:-most]
        self._count = sum(map(len, self._fences.values()))

    def _known_to_all(self, thread: int) -> int:
        """Return the last access of a thread that all others of its cluster know of."""
        cluster = self._state.clusters.of_lane
        others = np.flatnonzero(self._state.alive.reshape(-1) & (cluster == cluster[thread]))
        others = others[others != thread]
        known = self._clocks.knows(others, np.full(others.shape, thread))
        return int(known.min(initial=self._clocks.now))


def _count(fences: list[tuple[int, Values]], number: int) -> int:
    """Return how many fences come before the access of a number, or with it."""
    return bisect_right(fences, number, key=itemgetter(0))
