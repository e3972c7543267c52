"""Observation order: which strong writes to a cell happened before whatever follows a read of that cell.

A write precedes an operation in causality order if a morally strong read observes it, directly or through atomics
that each continue from the one before, and the operation follows that read (PTX ISA 9.0, 8.9.4, causality order). So
the last of many atomic additions to a counter comes after all of them, as far as the counter itself is concerned,
though it has acquired nothing else.
"""

import numpy as np

from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import OF_ALL, OF_CLUSTER, Access, Values
from shflbench.emulator.races.cells import Batch
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.scopes import Scopes

_NONE = 0  # no chain: the last write was weak, or there was none


class ObservedWrites:
    """The chain of strong writes that each cell's value comes from, and who has read the cell since it began."""

    def __init__(self, state: State, clocks: Clocks, rows: int) -> None:
        """Start without writes."""
        self._scopes, self._clocks, self._size = Scopes(state), clocks, (rows, state.shape.lanes)
        self._block_of, self._cluster_of = state.shape.block_of, state.clusters.of_lane
        self._blocks = state.shape.grid
        self._key = np.full(rows, _NONE, np.int64)  # what operations continue the chain: bytes, scope and block
        self._began_at = np.zeros(rows, np.int32)
        self._began_by = np.zeros(rows, np.int32)
        # [row, thread]: the last access that observed the chain; allocated with the first one.
        self._observed_at: Values | None = None
        self._is_observed = np.zeros(rows, np.bool_)

    def record(self, part: Batch, rows: Values) -> None:
        """Continue or begin chains by the writes of a batch, or observe them by its reads."""
        form, now = part.form, self._clocks.now
        if not form.strong:
            if form.writes:
                self._begin(np.full(rows.size, _NONE), part, rows)
            return
        keys = self._keys(form, part.threads)
        continues = self._key[rows] == keys
        if form.kind == "st" or (form.atomic and not continues.all()):
            broken = slice(None) if form.kind == "st" else ~continues
            self._begin(keys[broken], part, rows, broken)
            continues = self._key[rows] == keys  # the atomics of one instruction continue one another
        if form.kind in {"ld", "atom"} and continues.any():
            if self._observed_at is None:
                self._observed_at = np.zeros(self._size, np.int32)
            if form.atomic:  # they execute in the order of the batch: the last one observes all others
                last = {row: position for position, row in enumerate(rows.tolist())}
                observers = np.zeros(rows.size, np.bool_)
                observers[list(last.values())] = True
                continues &= observers
            self._observed_at[rows[continues], part.threads[continues]] = now
            self._is_observed[rows[continues]] = True

    def covers(self, part: Batch, rows: Values, late: tuple[Values, Values, Values]) -> Values:
        """Return which of the late accesses, given by entry, other thread and number, the entry's thread observed.

        They are strong writes to the entries' rows. An observation by another thread counts if it happened before.
        """
        entry, other, at = late
        covered = np.zeros(entry.shape, np.bool_)
        if self._observed_at is None:
            return covered
        entries, numbers = np.unique(entry, return_inverse=True)
        observed = self._observed_at[rows[entries]] * (self._key[rows[entries]] != _NONE)[:, None]
        position, observer = np.nonzero(observed)
        observed_at, thread = observed[position, observer], part.threads[entries[position]]
        known = observer == thread
        known[~known] = observed_at[~known] <= self._clocks.knows(thread[~known], observer[~known])
        latest = np.zeros(entries.size, np.int32)
        np.maximum.at(latest, position[known], observed_at[known])
        began_at, began_by = self._began_at[rows[entry]], self._began_by[rows[entry]]
        covered = at <= latest[numbers]
        covered &= (at > began_at) | ((at == began_at) & (other == began_by))
        return covered

    def _keys(self, form: Access, threads: Values) -> Values:
        """Return a number that equals that of all operations that are morally strong with those of these threads."""
        size = np.dtype(form.type).itemsize
        level = self._scopes.level(form)
        if level == OF_ALL:
            return np.full(threads.shape, size)
        of_cluster = level == OF_CLUSTER
        groups = self._blocks + self._cluster_of[threads] if of_cluster else self._block_of(threads)
        keys: Values = size + 16 * (groups + 1)
        return keys

    def _begin(self, keys: Values, part: Batch, rows: Values, chosen: Values | slice = slice(None)) -> None:
        """Begin chains at some entries of a batch; of several for one row the last one counts."""
        begun, now = rows[chosen], self._clocks.now
        # All atomics of one instruction are members of the chain, of stores only the last one.
        at, by = (now - 1, -1) if part.form.atomic else (now, part.threads[chosen])
        self._key[begun], self._began_at[begun], self._began_by[begun] = keys, at, by
        if self._observed_at is not None:
            observed = begun[self._is_observed[begun]]
            self._observed_at[observed], self._is_observed[observed] = 0, False
