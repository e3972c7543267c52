"""Find races in the cells that several threads access, in any memory and between any threads of the grid.

For each cell: the last weak write, and when each thread last read it weakly, read it strongly, and wrote it strongly,
by the numbers of `clocks.py`. Two accesses race if at least one writes, neither happened before the other, and they are
not morally strong: both strong, at scopes that include both threads, and of the same bytes (PTX ISA 9.0, 8.7).

Volatile accesses to shared memory, and to global memory by threads of one warp, are strong, too, but few of them are
meant to be: they are reported like weak ones unless threads synchronize by them, because code that relies on lockstep
execution of warps uses them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import OF_ALL, OF_BLOCK, Access, Values
from shflbench.emulator.races.cells import Batch, batch, granule_of
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.facts import UnorderedReason
from shflbench.emulator.races.fenced_reads import FencedReads
from shflbench.emulator.races.hazards import RACES, HazardKind, HazardLog
from shflbench.emulator.races.load_uses import LoadUses
from shflbench.emulator.races.observed_writes import ObservedWrites
from shflbench.emulator.races.rule import Rule
from shflbench.emulator.races.scopes import Scopes
from shflbench.emulator.races.synchronization import Synchronization
from shflbench.errors import EmulatorError

MOST_ENTRIES = 1 << 26  # cells times threads: a table takes 256 MiB
MOST_REPORTS = 64  # executions of one instruction that race, after which it is not compared any more
PAIRS_OF_REPORT = 1 << 16  # racing pairs of threads that count as one more of these
SEVERAL = -1  # instead of the number of a thread or block, both counted from 1
_CHUNK = 1 << 21  # entries of a table that are compared at once
_OF_COMPARISON = 1 << 15  # entries that are read in the time of a comparison with a few accesses
_PER_ACCESS = 64  # entries that are read in the time of the comparison with one of many accesses

# The accesses of one table: whether they write, and of strong ones the level of the scope, and the bytes; of these
# depends with which others they race.
_Class = tuple[bool, int, int]
_WEAK_READS: _Class = (False, OF_BLOCK, 0)
_BARRIER = -1  # instead of the bytes: arrivals at barriers in memory, and tests, are indivisible to one another


_Choice = Callable[[Values, Values, Values], Values]  # of accesses, by the threads that follow, theirs, and numbers


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Accesses that no clock orders: entries of a batch, with the earlier thread, op and access of each."""

    kind: HazardKind
    entry: Values
    other: Values
    at: Values
    may_synchronize: bool = False  # no hazard if threads synchronize by this place
    reasons: tuple[UnorderedReason, ...] = ()  # if they are known


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a possible hazard lies, and its report."""

    space: str
    byte: int
    arguments: tuple[HazardKind, Op, int, int, int, int]  # kind, op, thread, other thread, number of it, count
    now: int  # the number of the access of the op
    reasons: tuple[UnorderedReason, ...] = ()


class TooManyCellsError(EmulatorError):
    """The threads of a launch share too many cells of memory."""


class TrackedRaces(Rule):
    """Compares the accesses to some cells with all earlier ones."""

    def __init__(
        self,
        state: State,
        clocks: Clocks,
        log: HazardLog,
        cells: Mapping[str, Values],
        synchronization: Synchronization | None,
    ) -> None:
        """Watch the cells of each space; TooManyCellsError if these are too many for so many threads."""
        super().__init__(state, clocks, log)
        self._scopes, self._practice = Scopes(state), clocks.practice
        self.uses = LoadUses(state, clocks)
        self._granule, self._synchronization = granule_of(state.program), synchronization
        self.fenced_reads: FencedReads | None = None  # which weak reads know of writes by a barrier only
        rows = sum(part.size for part in cells.values())
        self._shape = (rows, state.shape.lanes)
        if rows * state.shape.lanes > MOST_ENTRIES:
            raise TooManyCellsError(
                f"{state.program.name} cannot be checked for races: {state.shape.lanes} threads share "
                f"{rows} cells of memory, and the emulator compares up to {MOST_ENTRIES // state.shape.lanes}",
                "Check a smaller launch.",
            )
        self._rows: dict[str, Values] = {}  # by cell: row plus one
        start = 1
        for name, part in cells.items():
            numbers = self._rows[name] = np.zeros(state.spaces[name].bytes.size // self._granule, np.int32)
            numbers[part] = np.arange(start, start + part.size)
            start += part.size
        self._writer = np.zeros(rows, np.int32)  # of the last weak write
        self._written_at = np.zeros(rows, np.int32)
        self._accessed_at = np.zeros(rows, np.int32)
        # The only thread and block that accessed a cell since a write that all earlier accesses happened before.
        self._thread = np.zeros(rows, np.int32)
        self._block = np.zeros(rows, np.int32)
        self._tables: dict[_Class, Values] = {}  # [row, thread]: the number of the last access
        self._latest: dict[_Class, Values] = {}  # [row]: the number of the last access of any thread
        self._stored: set[_Class] = set()  # those that hold strong stores, which are no atomics
        self._observations = ObservedWrites(state, clocks, rows)
        self._racing: Counter[int] = Counter()  # executions of an op in which it raced
        self._ops: list[Op] = []
        self._numbers: dict[int, int] = {}
        self._op_at = np.zeros(1024, np.int32)  # by the number of the access, an index into `_ops`
        self._weak: list[_Place] = []  # hazards of strong accesses, unless they turn out to synchronize

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Compare an access with earlier ones to the same cells."""
        numbers = self._rows.get(space.name)
        if numbers is None:
            return
        whole = batch(op, members, index, self._granule)
        rows = numbers[whole.cells] - 1
        chosen = np.flatnonzero(rows >= 0)
        if not chosen.size:
            return
        part = Batch(
            op, whole.form, *(item[chosen] for item in (whole.threads, whole.cells, whole.elements, whole.lanes))
        )
        rows = rows[chosen]
        self._number(op)
        self.uses.load(op, part.threads)
        same = _same_values(part, space, index, values) if part.form.kind == "st" else np.zeros(rows.size, np.bool_)
        if self._racing[id(op)] > MOST_REPORTS:
            self._record(part, rows)
            return
        unordered, in_shared = np.flatnonzero(~self._ordered(part, rows)), space.name == "shared"
        pairs = list(self._earlier(part, rows, same, unordered, in_shared=in_shared)) if unordered.size else []
        self.state.comparisons += 1
        if part.form.writes:
            pairs += self._within(part, rows, index, values, in_shared=in_shared)
        self._report_all(part, space, pairs)
        races = sum(group.entry.size for group in pairs if group.kind in RACES)
        self._racing[id(op)] += (races > 0) + races // PAIRS_OF_REPORT
        self._record(part, rows)

    def finish(self) -> None:
        """Report strong accesses that nothing orders, except to places by which threads synchronized."""
        synchronized = self._synchronization.synchronized if self._synchronization is not None else set()
        for place in self._weak:
            if not any((place.space, place.byte + offset) in synchronized for offset in range(-15, 1)):
                self._log(place)

    def earlier_accesses(self, space: str, start: int, end: int) -> Iterator[tuple[bool, Values, Values]]:
        """Yield whether they write, the threads and the numbers of accesses to bytes, the last ones of each thread."""
        numbers = self._rows.get(space)
        if numbers is None:
            return
        rows = numbers[start // self._granule : -(-end // self._granule)] - 1
        rows = rows[rows >= 0]
        rows_of_writes = rows[self._writer[rows] > 0]
        if rows_of_writes.size:
            yield True, self._writer[rows_of_writes] - 1, self._written_at[rows_of_writes]
        for table, at in self._tables.items():
            accessed = rows[self._latest[table][rows] > 0]
            row, thread = np.nonzero(at[accessed])
            if row.size:
                yield table[0], thread, at[accessed][row, thread]

    def happened_before(self, thread: int, others: Values, numbers: Values) -> Values:
        """Return which accesses, of barriers in memory that they initialize, happened before what a thread does now."""
        now = np.full(others.shape, thread)
        known: Values = numbers <= self.clocks.knows(now, others)
        if self._synchronization is not None and self._practice is not None:
            published = numbers <= self._synchronization.init_published[others]
            known = known | (published & (numbers <= self._practice.knows(now, others)))
        return known

    def op_at(self, number: int) -> Op:
        """Return the op of the access of a number."""
        return self._ops[int(self._op_at[number])]

    def _number(self, op: Op) -> None:
        """Record the op of the current access."""
        number = self._numbers.setdefault(id(op), len(self._ops))
        if number == len(self._ops):
            self._ops.append(op)
        while self.clocks.now >= self._op_at.size:
            self._op_at = np.concatenate([self._op_at, np.zeros_like(self._op_at)])
        self._op_at[self.clocks.now] = number

    def _ordered(self, part: Batch, rows: Values) -> Values:
        """Return which entries all earlier accesses happened before, as far as that is cheap to know."""
        blocks = self.shape.block_of(part.threads)
        ordered: Values = self._thread[rows] == part.threads + 1
        ordered |= self._thread[rows] == 0
        by_barrier = self._accessed_at[rows] <= self.clocks.block_knows[blocks]
        ordered |= by_barrier & (self._block[rows] == blocks + 1)
        return ordered

    def _earlier(self, part: Batch, rows: Values, same: Values, chosen: Values, *, in_shared: bool) -> Iterator[_Pairs]:
        """Yield the unordered accesses before those of the chosen entries."""
        form = part.form
        writer, at = self._writer[rows[chosen]] - 1, self._written_at[rows[chosen]]
        late = (writer >= 0) & (writer != part.threads[chosen])
        late[late] = at[late] > self.clocks.knows(part.threads[chosen[late]], writer[late])
        if late.any():
            entry, writer, at = chosen[late], writer[late], at[late]
            known = self._is_initialized(part, entry, writer, at)
            entry, writer, at = entry[~known], writer[~known], at[~known]
            if form.atomic or not form.writes:
                yield _Pairs(HazardKind.ATOMIC_RACE if form.atomic else HazardKind.RAW, entry, writer, at)
            else:
                equal = same[entry]
                yield _Pairs(HazardKind.WAW, entry[~equal], writer[~equal], at[~equal])
                yield _Pairs(HazardKind.SAME_VALUE, entry[equal], writer[equal], at[equal])
        if self.fenced_reads is not None and not form.writes and not form.strong:
            yield from self._without_fence(self.fenced_reads, part, rows, chosen)
        for table in self._tables:
            if not (form.writes or table[0]) or self._morally_strong(form, table, in_shared=in_shared):
                continue
            for entry, other, at in self._late(table, part, rows, chosen, self._unknown):
                if table[0]:
                    visible = ~self._observations.covers(part, rows, (entry, other, at))
                    entry, other, at = entry[visible], other[visible], at[visible]  # noqa: PLW2901
                if table == _WEAK_READS:
                    kind = HazardKind.ATOMIC_RACE if form.atomic else HazardKind.WAR
                    yield from self._by_practice(_Pairs(kind, entry, other, at), part)
                else:
                    yield from self._strong(table, part, same, (entry, other, at), in_shared=in_shared)

    def _in_practice(self, part: Batch, entry: Values, other: Values, at: Values) -> Values:
        """Return which earlier accesses happened before those of entries in practice."""
        if self._practice is None or not entry.size:
            return np.zeros(entry.shape, np.bool_)
        known: Values = at <= self._practice.knows(part.threads[entry], other)
        return known

    def _used_in_practice(self, part: Batch, entry: Values, other: Values, at: Values) -> Values:
        """Return of which earlier reads the value was used before the accesses of entries in practice."""
        used = self._in_practice(part, entry, other, at)
        if used.any():
            entry, other, at = entry[used], other[used], at[used]
            used[used] = self._in_practice(part, entry, other, self.uses.used_at(other, at, part.threads[entry]))
        return used

    def _by_practice(self, pairs: _Pairs, part: Batch) -> Iterator[_Pairs]:
        """Yield reads whose use a barrier orders in practice before what overwrites them, apart from the others."""
        used = self._used_in_practice(part, pairs.entry, pairs.other, pairs.at)
        for kind, where in ((pairs.kind, ~used), (HazardKind.WEAK_ORDER, used)):
            if where.any():
                yield replace(pairs, kind=kind, entry=pairs.entry[where], other=pairs.other[where], at=pairs.at[where])

    def _is_initialized(self, part: Batch, entry: Values, writer: Values, at: Values) -> Values:
        """Return which earlier writes initialize a barrier in memory, as a fence made known that a barrier follows."""
        if not part.form.is_barrier or self._synchronization is None:
            return np.zeros(entry.shape, np.bool_)
        initial = np.array([op.form.is_barrier and op.form.kind == "st" for op in self._ops])  # type: ignore[union-attr]
        known = initial[self._op_at[at]] & (at <= self._synchronization.init_published[writer])
        return known & self._in_practice(part, entry, writer, at)

    def _morally_strong(self, form: Access, table: _Class, *, in_shared: bool) -> bool:
        """Whether all accesses of a table are atomics that are morally strong with `form`, too, or as good as that.

        They neither race nor count as unordered; a histogram has too many of them to compare one by one.
        """
        writes, level, size = table
        if size == _BARRIER and form.is_barrier:
            return True
        if not (writes and form.atomic and form.strong) or table in self._stored or size != _size(form):
            return False
        if in_shared and not self.shape.has_clusters:  # the threads of a block share a cell of shared memory
            return True
        return level == OF_ALL and form.wide

    def _without_fence(self, reads: FencedReads, part: Batch, rows: Values, chosen: Values) -> Iterator[_Pairs]:
        """Yield the writes that weak reads of the chosen entries know of by a barrier, and by no fence."""
        writer, at = self._writer[rows[chosen]] - 1, self._written_at[rows[chosen]]
        weak = (writer >= 0) & (writer != part.threads[chosen])
        weak[weak] = reads.lack(part.threads[chosen[weak]], writer[weak], at[weak])
        unfenced = [(chosen[weak], writer[weak], at[weak])] if weak.any() else []
        for table in (table for table in self._tables if table[0]):
            for late in self._late(table, part, rows, chosen, reads.lack):
                visible = ~self._observations.covers(part, rows, late)
                unfenced.append((late[0][visible], late[1][visible], late[2][visible]))
        reasons = (UnorderedReason.NO_FENCE_AFTER_READ,)
        for entry, other, numbers in unfenced:
            for kind, where in reads.kinds(part.op, self.shape.block_of(part.threads[entry])):
                yield _Pairs(kind, entry[where], other[where], numbers[where], reasons=reasons)

    def _unknown(self, threads: Values, others: Values, numbers: Values) -> Values:
        """Return which accesses of others the threads do not know of."""
        unknown: Values = numbers > self.clocks.knows(threads, others)
        return unknown

    def _late(
        self,
        table: _Class,
        part: Batch,
        rows: Values,
        chosen: Values,
        is_late: _Choice,
    ) -> Iterator[tuple[Values, Values, Values]]:
        """Yield entries with the threads and numbers of earlier accesses that are late."""
        numbers = self._tables[table]
        chosen = chosen[self._latest[table][rows[chosen]] > 0]
        step = max(1, _CHUNK // self.shape.lanes)
        for start in range(0, chosen.size, step):
            entries = chosen[start : start + step]
            row, other, at = self._accesses(numbers, rows[entries])
            entry = entries[row]
            late = other != part.threads[entry]
            entry, other, at = entry[late], other[late], at[late]
            late = is_late(part.threads[entry], other, at)
            if late.any():
                yield entry[late], other[late], at[late]

    def _accesses(self, table: Values, rows: Values) -> tuple[Values, Values, Values]:
        """Return the accesses of a table to rows, in their order: position of the row, thread and number."""
        only = self._thread[rows]
        single, several = np.flatnonzero(only > 0), np.flatnonzero(only <= 0)
        distinct, place = np.unique(rows[several], return_inverse=True)  # threads of a warp often read one cell
        row, thread = np.nonzero(table[distinct])
        count = np.bincount(row, minlength=distinct.size)
        first = np.cumsum(count) - count
        of_entry = count[place]
        position = np.concatenate([single, np.repeat(several, of_entry)])
        within = np.arange(of_entry.sum()) - np.repeat(np.cumsum(of_entry) - of_entry, of_entry)
        thread = np.concatenate([only[single] - 1, thread[np.repeat(first[place], of_entry) + within]])
        at = table[rows[position], thread]
        self.state.comparisons += (distinct.size * self.shape.lanes + _PER_ACCESS * at.size) // _OF_COMPARISON
        order = np.argsort(position, kind="stable")
        order = order[at[order] > 0]
        return position[order], thread[order], at[order]

    def _strong(
        self, table: _Class, part: Batch, same: Values, late: tuple[Values, Values, Values], *, in_shared: bool
    ) -> Iterator[_Pairs]:
        """Yield what earlier strong accesses are to those of `part`, by op: races, or unordered."""
        form, (entry, other, at) = part.form, late
        numbers = self._op_at[at]
        for number in np.unique(numbers).tolist():
            earlier: Access = self._ops[number].form
            those = numbers == number
            if form.atomic or earlier.atomic:
                race = HazardKind.ATOMIC_RACE
            elif not form.writes:
                race = HazardKind.RAW
            else:
                race = HazardKind.WAW if table[0] else HazardKind.WAR
            strong = np.full(entry.shape, form.strong and _size(form) == _size(earlier))
            level = min(self._scopes.level(form), self._scopes.level(earlier))
            if level != OF_ALL:
                strong &= self._scopes.include(level, part.threads[entry], other)
            unordered = those & strong
            if table[0] and form.kind == "st":
                unordered &= ~same[entry]  # equal values may come in any order
            if form.atomic and earlier.atomic:
                unordered[:] = False
            relies = np.zeros(entry.shape, np.bool_)  # on lockstep execution
            if form.order == earlier.order == "volatile":
                relies = unordered & (in_shared | (part.threads[entry] // WARP == other // WARP))
            for kind, where, may_synchronize in (
                (race, those & ~strong, False),
                (race, relies, True),
                (HazardKind.UNORDERED, unordered & ~relies, True),
            ):
                yield _Pairs(kind, entry[where], other[where], at[where], may_synchronize)

    def _within(
        self, part: Batch, rows: Values, index: Values, values: Sequence[Values], *, in_shared: bool
    ) -> Iterator[_Pairs]:
        """Yield threads that write one cell by the same instruction."""
        form = part.form
        level = self._scopes.level(form)
        if form.atomic and (level == OF_ALL or self.shape.grid == 1 or form.is_barrier):
            return
        order = np.argsort(rows, kind="stable")
        one, next_ = order[:-1], order[1:]
        again = rows[one] == rows[next_]
        if not again.any():
            return
        one, next_ = one[again], next_[again]
        other, at = part.threads[one], np.full(one.size, self.clocks.now)
        together = self._scopes.include(level, part.threads[one], part.threads[next_])
        if form.atomic:
            apart = ~together
            yield _Pairs(HazardKind.ATOMIC_RACE, next_[apart], other[apart], at[apart])
            return
        stored = _stored(part, index, values)
        equal = stored[one] == stored[next_]
        strong = np.full(one.size, form.strong) & together
        weak = HazardKind.WAW if in_shared and form.order == "volatile" else HazardKind.UNORDERED
        for kind, where, may_synchronize in (
            (HazardKind.WAW, ~equal & ~strong, False),
            (HazardKind.SAME_VALUE, equal & ~strong, False),
            (weak, ~equal & strong, True),
        ):
            yield _Pairs(kind, next_[where], other[where], at[where], may_synchronize)

    def _report_all(self, part: Batch, space: MemorySpace, pairs: Sequence[_Pairs]) -> None:
        """Report the first of the pairs of each kind and earlier op, and how many there are."""
        for group in pairs:
            ops = self._op_at[group.at]
            for number in np.unique(ops).tolist():
                those = np.flatnonzero(ops == number)
                first = those[np.argmin(group.entry[those])]
                entry = int(group.entry[first])
                place = _Place(
                    space.name,
                    int(part.cells[entry]) * self._granule,
                    (
                        group.kind,
                        part.op,
                        int(part.threads[entry]),
                        int(group.other[first]),
                        int(group.at[first]),
                        those.size,
                    ),
                    self.clocks.now,
                    group.reasons or (self._reasons(part, group, first) if self._practice is not None else ()),
                )
                if group.may_synchronize:
                    self._weak.append(place)
                else:
                    self._log(place)

    def _reasons(self, part: Batch, pairs: _Pairs, first: int) -> tuple[UnorderedReason, ...]:
        """Return which barriers order a pair in practice only, and whether a value was not used; nothing if none do."""
        one = slice(first, first + 1)
        pair = pairs.entry[one], pairs.other[one], pairs.at[one]
        if not self._in_practice(part, *pair)[0]:
            return ()
        unused = () if self._used_in_practice(part, *pair)[0] else (UnorderedReason.UNUSED_BEFORE_ARRIVAL,)
        return (*self.by_weak_barriers(), *unused)

    def _log(self, place: _Place) -> None:
        kind, op, thread, other, at, count = place.arguments
        earlier = self._ops[self._op_at[at]]
        where = place.space, place.byte
        self.report_race(kind, (op, earlier), (thread, other), at, count, where, place.reasons, place.now)

    def _record(self, part: Batch, rows: Values) -> None:
        """Record the accesses."""
        form, now = part.form, self.clocks.now
        threads, blocks = part.threads + 1, self.shape.block_of(part.threads) + 1
        if form.kind == "st" and not form.strong:
            # Later accesses are ordered after the earlier ones if they are ordered after this write; if they are
            # not, they race with it.
            self._writer[rows], self._written_at[rows] = threads, now
            for kind, table in self._tables.items():
                read = rows[self._latest[kind][rows] > 0]
                only = self._thread[read]
                alone = only > 0
                table[read[alone], only[alone] - 1] = 0
                table[read[~alone]] = 0
                self._latest[kind][read] = 0
            self._thread[rows], self._block[rows] = 0, 0
        else:
            size = _BARRIER if form.is_barrier else _size(form)
            kind = (form.writes, self._scopes.level(form), size) if form.strong else _WEAK_READS
            self._table(kind)[rows, part.threads] = now
            if form.strong and form.kind == "st":
                self._stored.add(kind)
            self._latest[kind][rows] = now
        for single, numbers in ((self._thread, threads), (self._block, blocks)):
            before = single[rows]
            after = np.where((before == 0) | (before == numbers), numbers, SEVERAL)
            single[rows] = after
            differing = single[rows] != after
            if differing.any():
                single[rows[differing]] = SEVERAL
        self._accessed_at[rows] = now
        self._observations.record(part, rows)

    def _table(self, kind: _Class) -> Values:
        if kind not in self._tables:
            self._tables[kind] = np.zeros(self._shape, np.int32)
            self._latest[kind] = np.zeros(self._shape[0], np.int32)
        return self._tables[kind]


def _size(form: Access) -> int:
    return np.dtype(form.type).itemsize


def _stored(part: Batch, index: Values, values: Sequence[Values]) -> Values:
    """Return what each entry of a store writes."""
    table = np.stack([np.broadcast_to(value.reshape(-1), index.shape) for value in values])
    stored: Values = table[part.elements, part.lanes]
    return stored


def _same_values(part: Batch, space: MemorySpace, index: Values, values: Sequence[Values]) -> Values:
    """Return which entries of a store write what the memory holds."""
    data = space.view(part.form.type)
    stored = _stored(part, index, values)
    same: Values = data[index[part.lanes] + part.elements].view(stored.dtype) == stored
    return same
