"""Footprints: what the threads of a launch access in the memory that launches share, and how it is ordered.

For each cell and kind of access, the last one is kept: the instruction, the thread, and its number. The accesses of
threads that are ordered after a wait are kept apart from the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.checker.dependent.grid_order import GridOrder, TriggerOrder
from shflbench.emulator.dataflow.polynomials import reads
from shflbench.emulator.link.layout import WORKSPACE
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.cells import batch, granule_of
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.synchronization import Synchronization, publishes

READ, READ_ONLY, WRITE = "read", "read-only", "write"
STRONG_READ, STRONG_WRITE, STRONG_UPDATE = "strong read", "strong write", "strong update"  # which reads and writes
WRITING = frozenset({WRITE, STRONG_WRITE, STRONG_UPDATE})
STRONG = frozenset({STRONG_READ, STRONG_WRITE, STRONG_UPDATE})


@dataclass(frozen=True, slots=True)
class GridAccess:
    """A kind of access: what it does, whether its thread is ordered after a wait, and its order with the trigger."""

    action: str
    waited: bool
    trigger: TriggerOrder

    @property
    def writes(self) -> bool:
        """Whether memory changes."""
        return self.action in WRITING

    @property
    def is_strong(self) -> bool:
        """Whether strong accesses of other launches do not race with it."""
        return self.action in STRONG

    @property
    def reads_strongly(self) -> bool:
        """Whether its thread may learn from it what another launch has written."""
        return self.action in {STRONG_READ, STRONG_UPDATE}


@dataclass(slots=True, eq=False)
class LastAccesses:
    """The last access of one kind to each cell of one space."""

    ops: Values  # number of the instruction from 1; 0: none
    threads: Values

    @classmethod
    def of(cls, cells: int) -> "LastAccesses":
        """Return accesses to none of so many cells."""
        return cls(np.zeros(cells, np.int32), np.zeros(cells, np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRange:
    """A buffer, or a variable of the device, as cells of a space."""

    space: str
    start: int  # first byte
    end: int


class GridFootprint(Observer):
    """Records the accesses of one launch to global memory."""

    def __init__(self, state: State, clocks: Clocks, order: GridOrder, known: GridOrder | None) -> None:
        """Start without accesses; `known` is the order of an equal run before, which has ended."""
        self.program, self.shape, self.order, self._known = state.program, state.shape, order, known
        self.granule = granule_of(state.program)
        self.ops: list[Op] = []
        self.accesses: dict[tuple[str, GridAccess], LastAccesses] = {}
        self.buffers = [MemoryRange("global", *part) for part in state.buffers]
        self.variables = {
            place.name: MemoryRange("module", place.start, place.start + place.size)
            for place in state.program.symbols
            if place.space == "global" and place.name != WORKSPACE
        }
        self._clocks, self._numbers = clocks, dict[int, int]()
        self._read_registers = {register for op in state.program.ops() for register in reads(op)}
        self._cells = {name: state.spaces[name].bytes.size // self.granule for name in ("global", "module")}

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Record an access to memory that other launches can access, too."""
        del values
        if space.name not in self._cells:
            return
        part = batch(op, members, index, self.granule)
        self._record(op, self._action(op), space.name, (part.threads, part.cells), lasts=part.form.asynchronous)

    def _action(self, op: Op) -> str:
        """Return what an access does, of a weak atomic that it writes; strong ones have the scope of the device.

        A strong atomic whose result no instruction reads only writes: the machine code has a `red` for it.
        """
        form: Access = op.form  # type: ignore[assignment]
        is_strong = form.strong and (form.wide or form.order == "volatile")
        if is_strong and form.kind == "atom":
            results = {slot.number for slot in op.results if slot is not None}
            return STRONG_WRITE if results.isdisjoint(self._read_registers) else STRONG_UPDATE
        if form.writes:
            return STRONG_WRITE if is_strong else WRITE
        if form.non_coherent:
            return READ_ONLY
        return STRONG_READ if is_strong else READ

    def start_copy(self, copy: BulkCopy) -> None:
        """Record what a bulk copy, or an asynchronous store, accesses, as its thread starts it."""
        for action, region in ((READ, copy.source), (WRITE, copy.target)):
            if region is not None and region.space in self._cells:
                cells = np.arange(region.start // self.granule, -(-region.end // self.granule))
                threads = np.full(cells.shape, copy.thread)
                self._record(copy.op, action, region.space, (threads, cells), lasts=True)

    def _record(self, op: Op, action: str, space: str, pairs: tuple[Values, Values], *, lasts: bool) -> None:
        """Record accesses, as threads with cells; one that `lasts` may happen after the trigger that follows it."""
        threads, cells = pairs
        number = self._numbers.setdefault(id(op), len(self.ops) + 1)
        if number > len(self.ops):
            self.ops.append(op)
        waited = self.order.after_wait(threads)
        for trigger, of_trigger in self._by_trigger(action, threads).items():
            order = TriggerOrder.NONE if lasts and trigger is TriggerOrder.BEFORE else trigger
            for after in (True, False):
                chosen = of_trigger & (waited if after else ~waited)
                if chosen.any():
                    last = self._last(space, GridAccess(action, after, order))
                    last.ops[cells[chosen]], last.threads[cells[chosen]] = number, threads[chosen]

    def _by_trigger(self, action: str, threads: Values) -> Mapping[TriggerOrder, Values | bool]:
        """Return which accesses have which order with the trigger of their block."""
        if self._known is None:
            return {TriggerOrder.ENDS: True}
        return self._known.trigger_order(threads, self._clocks.now, writes=action in WRITING)

    def kinds(self, space: str) -> Iterator[tuple[GridAccess, LastAccesses]]:
        """Yield the kinds of access to a space."""
        return ((kind, last) for (name, kind), last in self.accesses.items() if name == space)

    def _last(self, space: str, kind: GridAccess) -> LastAccesses:
        known = self.accesses.get((space, kind))
        if known is None:
            known = self.accesses[space, kind] = LastAccesses.of(self._cells[space])
        return known


def observers(state: State, known: GridOrder | None) -> tuple[GridFootprint, list[Observer]]:
    """Return what records a launch, and the observers that it needs, itself included.

    Which accesses come before the trigger of their block is known at the end of a run only: an equal run after it gets
    its order as `known`. Without one, no block is taken to have a trigger.
    """
    clocks = Clocks(state)
    order = GridOrder(state, clocks)
    footprint = GridFootprint(state, clocks, order, known)
    synchronization = [Synchronization(state, clocks)] if publishes(state.program) else []
    return footprint, [clocks, order, footprint, *synchronization]
