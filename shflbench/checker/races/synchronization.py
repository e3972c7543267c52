"""Release and acquire: which accesses strong writes publish, and which threads learn of them by strong reads.

After the memory consistency model of the PTX ISA 9.0, chapter 8: a release pattern synchronizes with an acquire pattern
if a strong read observes the value of the strong write, or of an atomic that continues from it, and the scopes include
both threads. `__syncthreads()` completes an acquire pattern for all threads of its block, as the CUDA C++ Programming
Guide uses it in "Memory Fence Functions".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.checker.link.program import Op, Program
from shflbench.checker.machine.memory import MemorySpace
from shflbench.checker.machine.observer import Observer
from shflbench.checker.machine.state import State
from shflbench.checker.machine.threads import ThreadSet
from shflbench.checker.opcodes.forms import Access, Fence, Values
from shflbench.checker.races.clocks import Clocks
from shflbench.checker.races.fenced_accesses import FenceClocks
from shflbench.errors import EmulatorError

MOST_BYTES = 1 << 28  # of published clocks
SPACES = {"shared", "global", "module"}

Place = tuple[str, int, int]  # space, first byte, bytes


def publishes(program: Program) -> bool:
    """Return whether a thread of `program` can publish its accesses: it needs a fence or a release operation."""
    ops = [op for block in program.blocks.values() for op in (*block.ops, block.last) if op is not None]
    return any(isinstance(op.form, Fence) or (isinstance(op.form, Access) and op.form.releases) for op in ops)


@dataclass(slots=True, eq=False)
class _Published:
    """The clocks that a place in memory carries."""

    everywhere: Values | None = None  # for readers of any block
    in_block: dict[int, Values] = field(default_factory=dict)  # for readers of the same block as the writer


@dataclass(slots=True, eq=False)
class _Observed:
    """The clocks that a thread has read, and learns with its next fence."""

    everywhere: Values | None = None
    in_block: Values | None = None


class Synchronization(Observer):
    """Lets threads learn of one another's accesses; comes after all rules that compare an access with earlier ones."""

    def __init__(self, state: State, clocks: Clocks) -> None:
        """Start without published clocks."""
        self._shape, self._clocks, self._program = state.shape, clocks, state.program
        self._fences = (FenceClocks(state, clocks), FenceClocks(state, clocks))  # of any scope, of wide scopes
        self._places: dict[Place, _Published] = {}
        self._marked = {name: np.zeros(state.spaces[name].bytes.size, np.bool_) for name in SPACES}
        self._observed: dict[int, _Observed] = {}
        # What each thread has read, by place, width and order; published clocks never change once a place has them.
        self._seen: dict[int, dict[tuple[Place, bool, bool], _Published]] = {}
        self._fenced = False
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
            for thread, place in self._each(form, space, members.threads, index, marked=True):
                if form.kind == "ld":
                    self._read(form, thread, place)
                else:
                    del self._places[place]  # a weak write ends what synchronized by it

    def exchange(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, done: Values) -> None:
        """Read what places carry, and add to it where the atomic writes."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name not in SPACES or not (self._fenced or self._places or form.releases):
            return
        for position, (thread, place) in enumerate(self._each(form, space, members.threads, index)):
            if form.kind == "atom":
                self._read(form, thread, place)
            if done[position % done.size]:
                self._write(form, thread, place, follows=True)

    def fence(self, op: Op, threads: Values) -> None:
        """Complete acquire patterns, and begin release patterns."""
        form: Fence = op.form  # type: ignore[assignment]
        if form.order != "release" and self._observed:
            for thread in threads.tolist():
                self._learn(thread, wide=form.wide)
        if form.order != "acquire":
            self._fenced = True
            for fences in self._fences if form.wide else self._fences[:1]:
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
        for fences in self._fences if self._fenced else ():
            fences.synchronize_blocks(blocks)

    def release_to_barrier(self, threads: Values, meeting: int) -> None:
        """Complete the acquire patterns of threads that arrive at a barrier of a part of a block."""
        for thread in threads.tolist() if self._observed else ():
            for row in self._take(thread):
                self._clocks.add_to_meeting(meeting, row)

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
        if published is None:
            return
        in_block = published.in_block.get(thread // self._shape.lanes_per_block)
        everywhere = published.everywhere if form.wide else None
        if in_block is None and everywhere is None:
            return
        self.synchronized.add(place[:2])
        seen = self._seen.setdefault(thread, {})
        if seen.get((place, form.wide, form.acquires)) is published:
            return  # a thread that polls a place learns nothing new
        seen[place, form.wide, form.acquires] = published
        if form.acquires:  # from this place; what it has read from others takes a fence
            for row in (in_block, everywhere):
                if row is not None:
                    self._clocks.learn(thread, row)
            return
        observed = self._observed.setdefault(thread, _Observed())
        observed.in_block = _joined(observed.in_block, in_block)
        observed.everywhere = _joined(observed.everywhere, everywhere)

    def _write(self, form: Access, thread: int, place: Place, *, follows: bool) -> None:
        """Publish what happened before a strong write; an atomic `follows` the write that it replaces."""
        block = thread // self._shape.lanes_per_block
        published = _Published()
        before = self._places.get(place) if follows else None
        if before is not None:
            published.everywhere = before.everywhere if form.wide else None
            published.in_block = {key: row for key, row in before.in_block.items() if key == block}
        operation = self._clocks.joined(np.array([thread])) if form.releases else None
        narrow, wide = (fences.row(thread) if self._fenced else None for fences in self._fences)
        in_block = _joined(_joined(published.in_block.get(block), narrow), operation)
        if in_block is not None:
            published.in_block[block] = in_block
        if form.wide:
            published.everywhere = _joined(_joined(published.everywhere, wide), operation)
        if in_block is None and published.everywhere is None:
            self._places.pop(place, None)
            return
        self._places[place] = published
        self._marked[place[0]][place[1]] = True
        if len(self._places) * self._shape.lanes * 8 > MOST_BYTES:
            raise EmulatorError(
                f"{self._program.name} synchronizes by more than {len(self._places) - 1} places in memory",
                "Check a smaller launch.",
            )

    def _learn(self, thread: int, *, wide: bool) -> None:
        observed = self._observed.get(thread)
        if observed is None:
            return
        if observed.in_block is not None:
            self._clocks.learn(thread, observed.in_block)
            observed.in_block = None
        if wide and observed.everywhere is not None:
            self._clocks.learn(thread, observed.everywhere)
            observed.everywhere = None
        if observed.everywhere is None:
            del self._observed[thread]

    def _take(self, thread: int) -> list[Values]:
        """Return what a thread has observed, and forget it."""
        self._seen.pop(thread, None)
        observed = self._observed.pop(thread, None)
        if observed is None:
            return []
        return [row for row in (observed.in_block, observed.everywhere) if row is not None]


def _joined(one: Values | None, other: Values | None) -> Values | None:
    """Return the later accesses of both; neither is changed."""
    if one is None or other is None or one is other:
        return one if other is None else other
    return np.maximum(one, other)
