"""Release and acquire: which accesses strong writes publish, and which threads learn of them by strong reads.

After the memory consistency model of the PTX ISA 9.0, chapter 8: a release pattern synchronizes with an acquire pattern
if a strong read observes the value of the strong write, or of an atomic that continues from it, and the scopes include
both threads. Arrivals at an `mbarrier` synchronize with tests of its phase once this is complete, and those at the
barrier of a cluster with the end of the wait. `__syncthreads()` completes an acquire pattern for all threads of its
block, as the CUDA C++ Programming Guide uses it in "Memory Fence Functions".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op, Program
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, ClusterBarrier, Fence, Values
from shflbench.emulator.opcodes.mbarriers import is_fresh, phase_of
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.fenced_accesses import FenceClocks
from shflbench.emulator.races.scopes import Scopes
from shflbench.errors import EmulatorError

MOST_PUBLISHED_BYTES = 1 << 28  # of published clocks
SPACES = {"shared", "global", "module"}

_OLD_PHASES = 2  # barriers of a cluster after which all of its threads have waited for one

Place = tuple[str, int, int]  # space, first byte, bytes


def publishes(program: Program) -> bool:
    """Return whether a thread of `program` can publish its accesses: it needs a fence or a release operation."""
    return program.kept(_publishes)


def _publishes(program: Program) -> bool:
    ops = [op for block in program.blocks.values() for op in (*block.ops, block.last) if op is not None]
    return any(
        isinstance(op.form, Fence | ClusterBarrier) or (isinstance(op.form, Access) and op.form.releases) for op in ops
    )


# The clocks that a place in memory carries, for readers in one block or cluster, or for all: by level and group.
_Rows = dict[tuple[int, int], Values]


@dataclass(slots=True, eq=False)
class _Published:
    """The clocks that a place in memory carries."""

    rows: _Rows = field(default_factory=dict)
    phase: int = 0  # of a barrier in memory
    arriving: _Rows = field(default_factory=dict)  # the clocks of its current phase, which is not complete


class Synchronization(Observer):
    """Lets threads learn of one another's accesses; comes after all rules that compare an access with earlier ones."""

    def __init__(self, state: State, clocks: Clocks, *, in_practice: bool = False) -> None:
        """Start without published clocks; `in_practice`, arrivals at barriers order memory whatever they say."""
        self._shape, self._clocks, self._program = state.shape, clocks, state.program
        self._existing = state.existing.reshape(-1)
        self._clusters, self._scopes, self._in_practice = state.clusters, Scopes(state), in_practice
        self._fences = {level: FenceClocks(state, clocks) for level in self._scopes.levels}  # of this level at least
        self._meetings: dict[tuple[int, int], Values] = {}  # by cluster and number of its barrier: what arrivals know
        self._places: dict[Place, _Published] = {}
        self._marked = {name: np.zeros(state.spaces[name].bytes.size, np.bool_) for name in SPACES}
        self._observed: dict[int, dict[int, Values]] = {}  # what a thread learns with its next fence, by level
        # What each thread has read, by place, width and order; published clocks never change once a place has them.
        self._seen: dict[int, dict[tuple[Place, int, bool], _Rows]] = {}
        self._polled: dict[tuple[bytes, Place, int], _Rows] = {}  # what threads together have acquired from a place
        self._fenced = False
        # Of each thread, the last access before the last fence of initialized barriers, and before those fences that an
        # arrival at the barrier of the cluster followed.
        self._init_fenced = np.zeros(state.shape.lanes, np.int32)
        self.init_published = np.zeros(state.shape.lanes, np.int32)
        self.synchronized: set[tuple[str, int]] = set()  # space and first byte of the places that threads learned from

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Read or replace what places carry; atomics follow after their effect."""
        del values
        form: Access = op.form  # type: ignore[assignment]
        if form.atomic or space.name not in SPACES or (form.kind == "ld" and not form.strong):
            return
        if form.strong and form.kind == "st":
            if self._fenced or self._places or form.releases:
                for thread, place in self._each(form, space, members.threads, index):
                    self._write(form, thread, place, follows=False)
        elif self._places:
            if form.is_barrier and form.kind == "ld":
                self._settle_all(space, index)
            if form.kind == "ld" and self._polls_again(form, space, members.threads, index):
                return
            for thread, place in self._each(form, space, members.threads, index, marked=True):
                if form.kind == "ld":
                    self._read(form, thread, place)
                else:
                    del self._places[place]  # a weak write ends what synchronized by it

    def _polls_again(self, form: Access, space: MemorySpace, threads: Values, index: Values) -> bool:
        """Whether these threads have acquired what the one place that they read carries, all at once."""
        if not form.acquires or form.vector > 1 or (index != index[0]).any():
            return False
        size = np.dtype(form.type).itemsize
        place = (space.name, int(index[0]) * size, size)
        published = self._places.get(place)
        if published is None or not published.rows:
            return True
        key = threads.tobytes(), place, self._scopes.level(form)
        again = self._polled.get(key) is published.rows
        self._polled[key] = published.rows
        return again

    def exchange(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, done: Values) -> None:
        """Read what places carry, and add to it where the atomic writes."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name not in SPACES or not (self._fenced or self._places or form.releases or form.is_barrier):
            return
        if form.is_barrier:
            self._arrive(form, space, members.threads, index)
            return
        for position, (thread, place) in enumerate(self._each(form, space, members.threads, index)):
            if form.kind == "atom":
                self._read(form, thread, place)
            if done[position % done.size]:
                self._write(form, thread, place, follows=True)

    def fence(self, op: Op, threads: Values) -> None:
        """Complete acquire patterns, and begin release patterns."""
        form: Fence = op.form  # type: ignore[assignment]
        if form.only_init:
            self._init_fenced[threads] = self._clocks.now
            return
        if form.order != "release" and self._observed:
            for thread in threads.tolist():
                self._learn(thread, self._scopes.level(form))
        if form.order != "acquire":
            self._fenced = True
            for level, fences in self._fences.items():
                if level <= self._scopes.level(form):
                    fences.fence(threads)

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Complete the acquire patterns of the threads of these blocks, for all of them."""
        del op
        if self._observed:
            for thread in list(self._observed):
                block = thread // self._shape.lanes_per_block
                if block in blocks:
                    for row in self._take(thread):
                        self._clocks.learn_block(block, row)
        for fences in self._fences.values() if self._fenced else ():
            fences.synchronize_blocks(blocks)

    def synchronize_warps(self, warps: Values, op: Op | None = None) -> None:
        """Let all lanes of warps observe what any of them has observed."""
        del op
        if self._observed:
            for warp in sorted({thread // WARP for thread in self._observed} & set(warps.tolist())):
                every = np.arange(warp * WARP, (warp + 1) * WARP)
                self._share(every[self._existing[every]])

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Let the lanes of each warp that pass the same mask observe what any of them has observed."""
        if self._observed:
            for warp in sorted({thread // WARP for thread in self._observed} & set((threads // WARP).tolist())):
                of_warp = threads // WARP == warp
                for mask in np.unique(masks[of_warp]).tolist():
                    self._share(threads[of_warp & (masks == mask)])

    def release_to_barrier(self, threads: Values, meeting: int) -> None:
        """Complete the acquire patterns of threads that arrive at a barrier of a part of a block."""
        for thread in threads.tolist() if self._observed else ():
            for row in self._take(thread):
                self._clocks.add_to_meeting(meeting, row)

    def arrive_at_cluster(self, op: Op, threads: Values, phases: Values) -> None:
        """Publish what happened before the arrivals of threads, of relaxed ones only what a fence comes after."""
        form: ClusterBarrier = op.form  # type: ignore[assignment]
        self.init_published[threads] = self._init_fenced[threads]
        for phase in np.unique(phases).tolist():
            arriving = threads[phases == phase]
            for block in np.unique(self._shape.block_of(arriving)).tolist():
                those = arriving[self._shape.block_of(arriving) == block]
                key = int(self._clusters.of_block[block]), phase
                row = self._row(those, self._scopes.levels[-2], releases=form.order == "release" or self._in_practice)
                joined = _joined(self._meetings.get(key), row)
                if joined is not None:
                    self._meetings[key] = joined
                self._meetings.pop((key[0], phase - _OLD_PHASES), None)

    def leave_cluster(self, threads: Values, phases: Values, op: Op | None = None) -> None:
        """Let threads learn what the arrivals at the barrier of their cluster have published."""
        blocks = self._shape.block_of(threads)
        lanes = self._shape.lanes_per_block
        for block in np.unique(blocks).tolist():
            those, numbers = threads[blocks == block], phases[blocks == block]
            cluster = int(self._clusters.of_block[block])
            row = self._meetings.get((cluster, int(numbers[0])))
            if op is not None:
                self._clocks.barriers.append((self._clocks.now, np.array([block]), op))
            if row is None:
                continue
            if (numbers == numbers[0]).all() and those.size == self._clocks.living(block):
                self._clocks.learn_block(block, row)
                every = np.flatnonzero(self._existing[block * lanes : (block + 1) * lanes]) + block * lanes
                self._clocks.know_block(block, int(row[every].min()))
                continue
            for number in np.unique(numbers).tolist():
                row = self._meetings.get((cluster, number))
                if row is not None:
                    self._clocks.learn_all(those[numbers == number], row)

    def _row(self, threads: Values, level: int, *, releases: bool) -> Values | None:
        """Return what an operation by threads of one block publishes: all that they know, or what fences come after."""
        if releases:
            return self._clocks.joined(threads)
        row = None
        for thread in threads.tolist() if self._fenced else ():
            row = _joined(row, self._fences[level].row(thread))
        return row

    def _arrive(self, form: Access, space: MemorySpace, threads: Values, index: Values) -> None:
        """Publish what happened before arrivals at barriers in memory, for those that see the phase complete."""
        top = self._scopes.levels[-1] if self._in_practice else self._scopes.level(form)
        releases = form.releases or self._in_practice
        states = space.view("u8")
        for element in np.unique(index).tolist():
            place = (space.name, element * 8, 8)
            published = self._places.get(place) or _Published()
            arriving = threads[index == element]
            for block in np.unique(self._shape.block_of(arriving)).tolist():
                those = arriving[self._shape.block_of(arriving) == block]
                for level in self._scopes.levels:
                    row = self._row(those, level, releases=releases) if level <= top else None
                    key = level, self._scopes.group(level, int(those[0]))
                    joined = _joined(published.arriving.get(key), row)
                    if joined is not None:
                        published.arriving[key] = joined
            self._settle(published, states[element : element + 1])
            self._keep(place, published)

    def _settle_all(self, space: MemorySpace, index: Values) -> None:
        """Take phases of barriers in memory as complete that bytes of copies have completed."""
        for element in np.unique(index).tolist():
            if published := self._places.get((space.name, element * 8, 8)):
                self._settle(published, space.view("u8")[element : element + 1])

    @staticmethod
    def _settle(published: _Published, state: Values) -> None:
        """Publish what happened before the arrivals of a phase once this is complete."""
        phase = int(phase_of(state)[0])
        if phase == published.phase:
            return
        rows = {
            key: _joined(published.rows.get(key), published.arriving.get(key))
            for key in published.rows.keys() | published.arriving.keys()
        }
        published.rows = {key: row for key, row in rows.items() if row is not None}
        published.phase = phase
        if is_fresh(state)[0]:
            published.arriving = {}

    def _each(
        self, form: Access, space: MemorySpace, threads: Values, index: Values, *, marked: bool = False
    ) -> Iterable[tuple[int, Place]]:
        """Yield each thread with each place that it accesses; with `marked` only places that carry clocks."""
        size = np.dtype(form.type).itemsize
        for element in range(form.vector):
            first = (index + element) * size
            if marked:
                carrying = self._marked[space.name][first]
                if not carrying.any():
                    continue
                pairs = zip(threads[carrying].tolist(), first[carrying].tolist(), strict=True)
            else:
                pairs = zip(threads.tolist(), first.tolist(), strict=True)
            for thread, byte in pairs:
                place = (space.name, byte, size)
                if not marked or place in self._places:
                    yield thread, place

    def _read(self, form: Access, thread: int, place: Place) -> None:
        """Let a thread observe what a place carries, and learn it at once if the read acquires."""
        published = self._places.get(place)
        if published is None or not published.rows:
            return
        in_practice = self._in_practice and form.is_barrier
        level = self._scopes.levels[-1] if in_practice else self._scopes.level(form)
        seen, acquires = self._seen.setdefault(thread, {}), form.acquires or in_practice
        if seen.get((place, level, acquires)) is published.rows:
            return  # a thread that polls a place learns nothing new
        keys = [(at, self._scopes.group(at, thread)) for at in self._scopes.levels if at <= level]
        rows = {key[0]: published.rows[key] for key in keys if key in published.rows}
        if not rows:
            return
        self.synchronized.add(place[:2])
        seen[place, level, acquires] = published.rows
        if acquires:  # from this place; what it has read from others takes a fence
            for row in rows.values():
                self._clocks.learn(thread, row)
            return
        observed = self._observed.setdefault(thread, {})
        for at, row in rows.items():
            observed[at] = joined_rows(observed.get(at), row)

    def _write(self, form: Access, thread: int, place: Place, *, follows: bool) -> None:
        """Publish what happened before a strong write; an atomic `follows` the write that it replaces."""
        before = self._places.get(place) if follows else None
        operation = self._clocks.joined(np.array([thread])) if form.releases else None
        published = _Published()
        for level in self._scopes.levels:
            if level <= self._scopes.level(form):
                key = level, self._scopes.group(level, thread)
                fenced = self._fences[level].row(thread) if self._fenced else None
                row = _joined(_joined(before.rows.get(key) if before is not None else None, fenced), operation)
                if row is not None:
                    published.rows[key] = row
        if published.rows:
            self._keep(place, published)
        else:
            self._places.pop(place, None)

    def _keep(self, place: Place, published: _Published) -> None:
        """Let a place carry clocks; EmulatorError if too many do."""
        self._places[place] = published
        self._marked[place[0]][place[1]] = True
        if len(self._places) * self._shape.lanes * 8 > MOST_PUBLISHED_BYTES:
            raise EmulatorError(
                f"{self._program.name} synchronizes by more than {len(self._places) - 1} places in memory",
                "Check a smaller launch.",
            )

    def _learn(self, thread: int, top: int) -> None:
        """Let a thread learn what it has observed at levels up to `top`."""
        observed = self._observed.get(thread)
        if observed is None:
            return
        for level in [level for level in observed if level <= top]:
            self._clocks.learn(thread, observed.pop(level))
        if not observed:
            del self._observed[thread]

    def _share(self, threads: Values) -> None:
        """Let threads observe what any of them has observed; a fence of each completes its acquire pattern."""
        shared: dict[int, Values] = {}
        for thread in threads.tolist():
            for level, row in self._observed.get(thread, {}).items():
                shared[level] = joined_rows(shared.get(level), row)
        for thread in threads.tolist() if shared else ():
            self._observed[thread] = dict(shared)

    def _take(self, thread: int) -> list[Values]:
        """Return what a thread has observed, and forget it."""
        self._seen.pop(thread, None)
        return list(self._observed.pop(thread, {}).values())


def _joined(one: Values | None, other: Values | None) -> Values | None:
    """Return the later accesses of both; neither is changed."""
    if one is None:
        return other
    return one if other is None else joined_rows(one, other)


def joined_rows(one: Values | None, other: Values) -> Values:
    """Return the later accesses of two rows of which the first may be missing; neither is changed."""
    if one is None or one is other:
        return other
    both: Values = np.maximum(one, other)
    return both
