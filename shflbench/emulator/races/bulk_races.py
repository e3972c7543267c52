"""Find accesses that are not ordered with a bulk copy or an asynchronous store.

A copy has happened before an access of a thread that has observed its completion: a phase of the barrier that counted
its bytes, or its group, or that knows of what another thread did after such an observation (PTX ISA 9.0, 9.7.9.25.2).
Accesses before a copy have to be known to the thread that starts it. As bulk copies access memory by the async proxy,
a `fence.proxy.async` has to lie between: by the thread of the access, by that of the copy, or by one that knows of the
access and that the thread of the copy knows of. Completion itself is such a fence for what the copy has written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy, Region
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.opcodes.mbarriers import PHASES, phase_of
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.facts import UnorderedReason
from shflbench.emulator.races.hazards import HazardKind, HazardLog
from shflbench.emulator.races.load_uses import NEVER
from shflbench.emulator.races.proxy_fences import ProxyFences
from shflbench.emulator.races.rule import Rule
from shflbench.emulator.races.scopes import Scopes
from shflbench.emulator.races.tracked import TrackedRaces

MOST_KEPT = 64  # copies after another one to the same target: each costs time at every later access


@dataclass(slots=True, eq=False)
class _Followed:
    """A copy with what threads know of it: the number of the access after which each has observed it, 0 for none."""

    copy: BulkCopy
    done_at: Values
    read_at: Values  # that its source was read
    known_to: set[int] = field(default_factory=set)  # blocks of which a thread knew of it when it exited
    is_replaced: bool = False  # by a later copy to the same target, and kept only for its source


class BulkRaces(Rule):
    """Compares bulk copies with earlier accesses and copies, and later accesses with the copies."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog, tracked: TrackedRaces) -> None:
        """Start without copies; `tracked` keeps the earlier accesses."""
        super().__init__(state, clocks, log)
        self._tracked, self._scopes = tracked, Scopes(state)
        self._active: list[_Followed] = []
        self._in_groups: dict[BulkCopy, _Followed] = {}  # those that their threads may wait for
        self._fences = ProxyFences(state, clocks)
        self._ended_at: dict[int, Op | None] = {}

    def proxy_fence(self, op: Op, threads: Values) -> None:
        """Keep which accesses a fence between the proxies comes after."""
        self._fences.add(op, threads)

    def start_copy(self, copy: BulkCopy) -> None:
        """Compare a copy with what came before it."""
        for other in self._active:
            if copy.meets(other.copy):
                self._compare(copy, other)
        if copy.source is not None:
            self._after_accesses(copy, copy.source, reads=True)
        self._after_accesses(copy, copy.target, reads=False)
        self._after_initialization(copy)
        lanes = self.shape.lanes
        followed = _Followed(copy, np.zeros(lanes, np.int32), np.zeros(lanes, np.int32))
        self._replace(copy)
        self._active.append(followed)
        if copy.barrier is None:
            self._in_groups[copy] = followed

    def wait_copies(self, thread: int, copies: Sequence[BulkCopy], *, only_read: bool) -> None:
        """Let a thread know that copies are complete, or that they have read their sources."""
        for copy in copies:
            followed = self._in_groups[copy] if only_read else self._in_groups.pop(copy)
            for at in (followed.read_at,) if only_read else (followed.read_at, followed.done_at):
                at[thread] = at[thread] or self.clocks.now

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Compare an access with the copies, or let threads observe their completion."""
        if not self._active:
            return
        form: Access = op.form  # type: ignore[assignment]
        if form.is_barrier:
            if form.acquires and space.name == "shared":
                self._observe(space, members.threads, index)
            return
        size = np.dtype(form.type).itemsize
        first = index * size
        low, high = int(first.min()), int(first.max()) + size * form.vector
        whole = Region(space.name, low, high)
        for followed in self._active:
            copy = followed.copy
            if not followed.is_replaced and copy.target.overlaps(whole):
                hit = self._hits(first, size * form.vector, copy.target)
                strong = self._morally_strong(copy, form, members.threads)
                kind = HazardKind.RAW if not form.writes else HazardKind.WAW
                self._report_unknown(kind, op, members.threads[hit & ~strong], followed, followed.done_at)
                if not form.atomic:  # additions of one word may come in any order
                    self._report_unknown(
                        HazardKind.UNORDERED, op, members.threads[hit & strong], followed, followed.done_at
                    )
            if form.writes and copy.source is not None and copy.source.overlaps(whole):
                hit = self._hits(first, size * form.vector, copy.source)
                self._report_unknown(HazardKind.WAR, op, members.threads[hit], followed, followed.read_at)

    def end(self, threads: Values, op: Op | None) -> None:
        """Keep whether exiting threads know of the copies that access the shared memory of their block."""
        for block in np.unique(self.shape.block_of(threads)).tolist():
            self._ended_at[block] = op
            those = threads[self.shape.block_of(threads) == block]
            for followed in self._active:
                for owner, is_written in self._owners(followed):
                    at = followed.done_at if is_written else followed.read_at
                    if owner == block and block not in followed.known_to and self._knows(those, at).any():
                        followed.known_to.add(block)

    def finish(self) -> None:
        """Report copies that may access the shared memory of a block that has ended."""
        alive = np.asarray(self.state.alive.reshape(self.shape.grid, -1).any(axis=1))
        for followed in self._active:
            copy = followed.copy
            for block, _ in self._owners(followed):
                if block not in followed.known_to and not alive[block]:
                    pair = np.array([copy.thread, block * self.shape.lanes_per_block])
                    self.report(HazardKind.UNFINISHED_COPY, copy.op, pair, 1, self._ended_at.get(block))

    def _owners(self, followed: _Followed) -> Iterator[tuple[int, bool]]:
        """Yield the blocks whose shared memory a copy accesses, and whether it writes there."""
        copy, part_of = followed.copy, self.state.spaces["shared"].part_of
        if copy.source is not None and copy.source.space == "shared":
            yield part_of(copy.source.start), False
        if copy.target.space == "shared" and not followed.is_replaced:
            yield part_of(copy.target.start), True

    def _observe(self, space: MemorySpace, threads: Values, index: Values) -> None:
        """Let threads observe the copies that a phase counted which they see complete."""
        barriers = np.unique(index)
        phases = dict(zip(barriers.tolist(), phase_of(space.view("u8")[barriers]).tolist(), strict=True))
        for followed in self._active:
            copy = followed.copy
            if copy.phase is None or copy.barrier not in phases:
                continue
            if not 0 < (phases[copy.barrier] - copy.phase) % PHASES < PHASES // 2:
                continue
            seen = threads[index == copy.barrier]
            fresh = seen[followed.done_at[seen] == 0]
            followed.done_at[fresh] = followed.read_at[fresh] = self.clocks.now

    def _knows(self, threads: Values, at: Values) -> Values:
        """Return which threads know that a copy is complete, given when threads have observed that."""
        known: Values = at[threads] > 0
        observers = np.flatnonzero(at)
        if observers.size and not known.all():
            known = known | (self.clocks.knows(threads[:, None], observers[None, :]) >= at[observers]).any(axis=1)
        return known

    @staticmethod
    def _hits(first: Values, size: int, region: Region) -> Values:
        hits: Values = (first < region.end) & (first + size > region.start)
        return hits

    def _report_unknown(self, kind: HazardKind, op: Op, threads: Values, followed: _Followed, at: Values) -> None:
        if not threads.size:
            return
        unknown = threads[~self._knows(threads, at)]
        if unknown.size:
            region = followed.copy.target if kind is not HazardKind.WAR else followed.copy.source
            self._report(kind, op, (int(unknown[0]), followed.copy), region, int(unknown.size))

    def _report(
        self, kind: HazardKind, op: Op, pair: tuple[int, BulkCopy], region: Region | None, count: int = 1
    ) -> None:
        thread, copy = pair
        place = None if region is None else (region.space, region.start, region.end - region.start)
        self.report(kind, op, np.array([thread, copy.thread]), count, copy.op, place=place)

    def _compare(self, copy: BulkCopy, other: _Followed) -> None:
        """Compare a copy with an earlier one."""
        thread = np.array([copy.thread])
        earlier = other.copy
        pairs = []
        if not other.is_replaced and not self._are_atomic(copy, earlier):
            pairs.append((HazardKind.WAW, copy.target, earlier.target, other.done_at))
        if not other.is_replaced and copy.source is not None:
            pairs.append((HazardKind.RAW, copy.source, earlier.target, other.done_at))
        if earlier.source is not None:
            pairs.append((HazardKind.WAR, copy.target, earlier.source, other.read_at))
        for kind, mine, theirs, at in pairs:
            if mine.overlaps(theirs) and not self._knows(thread, at)[0]:
                self._report(kind, copy.op, (copy.thread, earlier), mine)

    def _after_accesses(self, copy: BulkCopy, region: Region, *, reads: bool) -> None:
        """Compare a copy, which reads a region or writes it, with earlier accesses by threads."""
        for writes, threads, numbers in self._tracked.earlier_accesses(region.space, region.start, region.end):
            if reads and not writes:
                continue
            known = (threads == copy.thread) | (
                numbers <= self.clocks.knows(np.full(threads.shape, copy.thread), threads)
            )
            strong = ~known & self._strong_accesses(copy, threads, numbers)
            known |= strong
            plain = strong & ~self._are_atomics(numbers)
            self._report_earlier(HazardKind.UNORDERED, copy, region, threads[plain], numbers[plain])
            if not writes:
                self._report_unordered_reads(copy, region, threads[~known], numbers[~known])
            else:
                race = HazardKind.RAW if reads else HazardKind.WAW
                self._report_earlier(race, copy, region, threads[~known], numbers[~known])
            if copy.by_proxy and known.any():
                late = ~self._fences.lie_after(copy, region, threads[known], numbers[known])
                self._report_without_fence(copy, region, threads[known][late], numbers[known][late], writes=writes)

    def _after_initialization(self, copy: BulkCopy) -> None:
        """Report a copy whose barrier may not have been initialized, as far as its thread knows."""
        if copy.barrier is None:
            return
        region = Region("shared", copy.barrier * 8, copy.barrier * 8 + 8)
        for _, threads, numbers in self._tracked.earlier_accesses(*region):
            earlier = self._tracked.op_at(int(numbers[0]))
            is_first = isinstance(earlier.form, Access) and earlier.form.is_barrier and earlier.form.kind == "st"
            known = (threads == copy.thread) | self._tracked.happened_before(copy.thread, threads, numbers)
            if is_first and not known.all():
                self._report_earlier(HazardKind.ATOMIC_RACE, copy, region, threads[~known], numbers[~known])

    def _report_without_fence(
        self, copy: BulkCopy, region: Region, threads: Values, numbers: Values, *, writes: bool
    ) -> None:
        """Report accesses that a copy comes after without a proxy fence; reads are doubtful if their value was used."""
        used = np.zeros(threads.shape, np.bool_) if writes else self._are_used(self.clocks, copy, threads, numbers)
        self._report_earlier(HazardKind.PROXY_ORDER, copy, region, threads[used], numbers[used])
        reasons = () if writes else (UnorderedReason.UNUSED_BEFORE_COPY,)
        self._report_earlier(HazardKind.PROXY_RACE, copy, region, threads[~used], numbers[~used], reasons)

    def _report_unordered_reads(self, copy: BulkCopy, region: Region, threads: Values, numbers: Values) -> None:
        """Report reads that nothing orders before the copy that overwrites them, or a barrier only in practice."""
        practice, known = self.clocks.practice, np.zeros(threads.shape, np.bool_)
        if practice is not None:
            known = numbers <= practice.knows(np.full(threads.shape, copy.thread), threads)
        used = known.copy()
        if practice is not None:
            used &= self._are_used(practice, copy, threads, numbers, in_scope=True)
        self._report_earlier(HazardKind.WEAK_ORDER, copy, region, threads[used], numbers[used])
        unused = known & ~used
        reasons = (*self.by_weak_barriers(), UnorderedReason.UNUSED_BEFORE_ARRIVAL)
        self._report_earlier(HazardKind.WAR, copy, region, threads[unused], numbers[unused], reasons)
        self._report_earlier(HazardKind.WAR, copy, region, threads[~known], numbers[~known])

    def _are_used(
        self, clocks: Clocks, copy: BulkCopy, threads: Values, numbers: Values, *, in_scope: bool = False
    ) -> Values:
        """Return of which reads the value was used before a copy, as far as `clocks` know; `in_scope`, or released."""
        copier = np.full(threads.shape, copy.thread)
        at = self._tracked.uses.used_at(threads, numbers, copier if in_scope else None)
        known = (threads == copy.thread) | (at <= clocks.knows(copier, threads))
        used: Values = known & (at < NEVER)
        return used

    def _report_earlier(  # noqa: PLR0913, PLR0917  (the copy and what came before it)
        self,
        kind: HazardKind,
        copy: BulkCopy,
        region: Region,
        threads: Values,
        numbers: Values,
        reasons: tuple[UnorderedReason, ...] = (),
    ) -> None:
        if threads.size:
            earlier = self._tracked.op_at(int(numbers[0]))
            pair = np.array([copy.thread, threads[0]])
            place = (region.space, region.start, region.end - region.start)
            self.report(kind, copy.op, pair, int(threads.size), earlier, place=place, reasons=reasons)

    def _replace(self, copy: BulkCopy) -> None:
        """Drop the copies to the same target as a new one: accesses that are ordered with it are with them, or race.

        Those from other sources are kept for these, and those that combine values unless their end is known.
        """
        for other in [other for other in self._active if self._replaces(copy, other)]:
            if other.copy.source is None or other.copy.source == copy.source:
                self._active.remove(other)
            else:
                other.is_replaced = True
        kept = [other for other in self._active if other.is_replaced or other.copy.target == copy.target]
        if len(kept) > MOST_KEPT:
            self._active.remove(kept[0])

    def _replaces(self, copy: BulkCopy, other: _Followed) -> bool:
        """Return whether accesses to a target are ordered with an earlier copy to it if they are with a new one."""
        if other.is_replaced or other.copy.target != copy.target:
            return False
        return other.copy.update is None or bool(self._knows(np.array([copy.thread]), other.done_at)[0])

    def _are_atomic(self, one: BulkCopy, other: BulkCopy) -> bool:
        """Return whether both combine values with the same memory, as relaxed operations of one cluster."""
        both = one.update is not None and other.update is not None and one.target == other.target
        pair = np.array([one.thread]), np.array([other.thread])
        return both and bool(self._scopes.include(self._scopes.of_cluster, *pair)[0])

    def _morally_strong(self, copy: BulkCopy, form: Access, threads: Values) -> Values:
        """Return which threads' accesses are strong as a copy is that combines values, of one size and in scope.

        Volatile accesses to shared memory count as weak ones, as in `tracked.py`.
        """
        size = copy.target.end - copy.target.start
        is_strong = form.strong and form.order != "volatile"
        if copy.update is None or not is_strong or np.dtype(form.type).itemsize * form.vector != size:
            return np.zeros(threads.shape, np.bool_)
        level = min(self._scopes.level(form), self._scopes.of_cluster)
        return self._scopes.include(level, threads, np.array([copy.thread]))

    def _are_atomics(self, numbers: Values) -> Values:
        """Return which accesses are atomics."""
        atomics = [n for n in np.unique(numbers).tolist() if self._tracked.op_at(n).form.atomic]  # type: ignore[union-attr]
        return np.isin(numbers, atomics)

    def _strong_accesses(self, copy: BulkCopy, threads: Values, numbers: Values) -> Values:
        """Return which earlier accesses do not race with a copy because both are strong."""
        strong = np.zeros(threads.shape, np.bool_)
        for number in np.unique(numbers).tolist() if copy.update is not None else ():
            those = numbers == number
            form: Access = self._tracked.op_at(number).form  # type: ignore[assignment]
            strong[those] = self._morally_strong(copy, form, threads[those])
        return strong
