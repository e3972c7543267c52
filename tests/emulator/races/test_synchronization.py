"""Races in random programs with barriers, fences and strong accesses, compared with explicit sets of accesses."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import Shape, scatter
from shflbench.emulator.opcodes.forms import Access, Fence
from shflbench.emulator.opcodes.memory_access import UPDATES
from shflbench.emulator.ptx.syntax import PtxInstruction
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import HazardKind, HazardLog
from shflbench.emulator.races.synchronization import Synchronization
from shflbench.emulator.races.tracked import TrackedRaces
from tests.emulator.threads import program

SHAPE = Shape(2, 64)
THREADS = (0, 1, 32, 64, 65, 96)  # two of one warp, and one of the other, in each of two blocks
CELLS = 6
FLAGS = (4, 5)  # cells that threads mostly access with strong operations
STEPS = 40
RACES = {HazardKind.RAW, HazardKind.WAR, HazardKind.WAW, HazardKind.ATOMIC_RACE}

Known = frozenset[int]  # numbers of accesses


def op(form: Any, number: int) -> Op:
    return Op(form, (), (), None, None, 0, PtxInstruction("op", (), (), None, None, f"{number}", number))


def access(kind: str, order: str = "weak", scope: str = "") -> Access:
    update = UPDATES["add"] if kind in {"atom", "red"} else None
    return Access(kind, "global", "u8", (), ("u8",), 1, update, order, scope)


FORMS = [
    *(access("ld"), access("st")),
    *(access(kind, "relaxed", scope) for kind in ("ld", "st", "atom", "red") for scope in ("cta", "gpu")),
    *(access("ld", "acquire", scope) for scope in ("cta", "gpu")),
    *(access("st", "release", scope) for scope in ("cta", "gpu")),
    *(access("atom", "acq_rel", scope) for scope in ("cta", "gpu")),
]
ATOMICS = [form for form in FORMS if form.atomic]


@dataclass
class Event:
    """One access, with all accesses that happened before it."""

    thread: int
    cell: int
    form: Access
    before: Known


@dataclass
class Released:
    """What a strong write publishes: accesses, to one block or to all."""

    known: Known
    block: int | None


@dataclass
class Chain:
    """Strong writes to a cell that continue one another, and the last access of each thread that observed them."""

    key: int  # of the block whose threads are in scope; -1: of all
    writes: list[int] = field(default_factory=list)
    observers: dict[int, int] = field(default_factory=dict)


@dataclass
class Memory:
    """The memory model in sets: what each thread knows, has fenced, and has observed."""

    knows: dict[int, Known] = field(default_factory=lambda: dict.fromkeys(THREADS, frozenset()))
    # By thread and whether the scope is wide: what it knew at its last fence, and its own accesses before that.
    fenced: dict[tuple[int, bool], Known] = field(default_factory=dict)
    before_fence: dict[tuple[int, bool], Known] = field(default_factory=dict)
    at_barrier: dict[tuple[int, bool], Known] = field(default_factory=dict)
    observed: dict[tuple[int, bool], Known] = field(default_factory=dict)
    carried: dict[int, list[Released]] = field(default_factory=dict)
    events: dict[int, Event] = field(default_factory=dict)
    chains: dict[int, Chain] = field(default_factory=dict)

    def own(self, thread: int) -> Known:
        return frozenset(number for number, event in self.events.items() if event.thread == thread)

    def barrier(self, threads: list[int]) -> None:
        together = frozenset[int]().union(*(self.knows[thread] for thread in threads))
        for thread in threads:
            for wide in (False, True):
                together |= self.observed.pop((thread, wide), frozenset())
                self.at_barrier[thread, wide] = self.before_fence.get((thread, wide), frozenset())
        for thread in threads:
            self.knows[thread] = together

    def meet(self, threads: list[int]) -> None:
        together = frozenset[int]().union(*(self.knows[thread] for thread in threads))
        for thread in threads:
            self.knows[thread] = together

    def fence(self, thread: int, *, wide: bool) -> None:
        for scope in (False, True) if wide else (False,):
            self.knows[thread] |= self.observed.pop((thread, scope), frozenset())
        for scope in (False, True) if wide else (False,):
            self.fenced[thread, scope] = self.knows[thread]
            self.before_fence[thread, scope] = self.own(thread)

    def published(self, thread: int, *, wide: bool) -> Known:
        """Return what a strong write publishes because of fences."""
        known = self.fenced.get((thread, wide), frozenset())
        for other in THREADS:
            for fences in (self.before_fence, self.at_barrier):
                before = fences.get((other, wide), frozenset())
                if before <= self.knows[thread] and other != thread:
                    known |= before
                    break
        return known

    def access(self, number: int, thread: int, cell: int, form: Access) -> None:
        block = thread // SHAPE.block
        self.events[number] = Event(thread, cell, form, self.knows[thread] | self.seen(thread, cell))
        self.knows[thread] |= {number}
        self.observe(number, thread, cell, form)
        if not form.strong:
            if form.writes:
                self.carried.pop(cell, None)
            return
        if form.kind in {"ld", "atom"}:
            for released in self.carried.get(cell, ()):
                if released.block == block or (released.block is None and form.wide):
                    key = (thread, released.block is None)
                    if form.acquires:
                        self.knows[thread] |= released.known
                    else:
                        self.observed[key] = self.observed.get(key, frozenset()) | released.known
        if form.writes:
            before = self.carried.get(cell, []) if form.atomic else []
            kept = [item for item in before if item.block == block or (item.block is None and form.wide)]
            operation = self.knows[thread] if form.releases else frozenset()
            kept.append(Released(self.published(thread, wide=False) | operation, block))
            if form.wide:
                kept.append(Released(self.published(thread, wide=True) | operation, None))
            self.carried[cell] = kept

    def seen(self, thread: int, cell: int) -> Known:
        """Return the writes to a cell that a thread has observed, by itself or by others that it knows of."""
        chain = self.chains.get(cell)
        if chain is None:
            return frozenset()
        last = max((number for number in chain.observers.values() if number in self.knows[thread]), default=0)
        return frozenset(number for number in chain.writes if number <= last)

    def observe(self, number: int, thread: int, cell: int, form: Access) -> None:
        """Continue the chain of a cell, or begin one."""
        key, chain = -1 if form.wide else thread // SHAPE.block, self.chains.get(cell)
        if not form.strong:
            if form.writes:
                self.chains.pop(cell, None)
            return
        if form.writes and (chain is None or chain.key != key or not form.atomic):
            chain = self.chains[cell] = Chain(key)
        if chain is None or chain.key != key:
            return
        if form.writes:
            chain.writes.append(number)
        if form.kind in {"ld", "atom"}:
            chain.observers[thread] = number

    def racing_cells(self) -> set[int]:
        numbers = sorted(self.events)
        return {
            self.events[later].cell
            for place, later in enumerate(numbers)
            for earlier in numbers[:place]
            if self.race(earlier, later)
        }

    def race(self, earlier: int, later: int) -> bool:
        one, other = self.events[earlier], self.events[later]
        if one.cell != other.cell or one.thread == other.thread or earlier in other.before:
            return False
        if not (one.form.writes or other.form.writes):
            return False
        same_block = one.thread // SHAPE.block == other.thread // SHAPE.block
        in_scope = same_block or (one.form.wide and other.form.wide)
        return not (one.form.strong and other.form.strong and in_scope)


@pytest.mark.parametrize("seed", range(60))
def test_the_cells_with_races_are_those_of_the_memory_model(seed: int) -> None:
    random = np.random.default_rng(seed)
    space = MemorySpace("global", 1, 8 * CELLS)
    state = State(program(""), SHAPE, 0, space)
    state.alive[:] = True
    clocks, log, memory = Clocks(state), HazardLog(), Memory()
    synchronization = Synchronization(state, clocks)
    tracked = TrackedRaces(state, clocks, log, {"global": np.arange(CELLS)}, synchronization)
    observers = (clocks, tracked, synchronization)
    cells: dict[int, int] = {}
    for step in range(1, STEPS + 1):
        thread = int(random.choice(THREADS))
        match random.choice(["access", "fence", "barrier", "warps"], p=[0.7, 0.18, 0.06, 0.06]):
            case "fence":
                wide = bool(random.integers(2))
                for observer in observers:
                    observer.fence(op(Fence("acq_rel", "gpu" if wide else "cta"), step), np.array([thread]))
                memory.fence(thread, wide=wide)
            case "barrier":
                for observer in observers:
                    observer.synchronize_blocks(np.array([thread // SHAPE.block]))
                memory.barrier([item for item in THREADS if item // SHAPE.block == thread // SHAPE.block])
            case "warps":
                for observer in observers:
                    observer.synchronize_warps(np.array([thread // WARP]))
                memory.meet([item for item in THREADS if item // WARP == thread // WARP])
            case _:
                form, cells[step] = draw(random)
                execute(observers, space, op(form, step), thread, cells[step])
                memory.access(clocks.now, thread, cells[step], form)
    racing = {cells[item.instruction.line] for item in log.list() if item.kind in RACES}
    assert racing == memory.racing_cells()


def draw(random: np.random.Generator) -> tuple[Access, int]:
    """Return an access and its cell."""
    if random.random() < 0.6:
        return FORMS[int(random.integers(2, len(FORMS)))], int(random.choice(FLAGS))
    return FORMS[int(random.integers(2))], int(random.integers(CELLS))


def execute(observers: tuple[Observer, ...], space: MemorySpace, instruction: Op, thread: int, cell: int) -> None:
    members, index = scatter(np.array([thread])), np.array([cell])
    for observer in observers:  # each instruction stores another value
        observer.access(instruction, members, space, index, [np.array([instruction.instruction.line], np.uint64)])
    for observer in observers if instruction.form in ATOMICS else ():
        observer.exchange(instruction, members, space, index, np.array([True]))
