"""Accesses of a dependent launch that race with those of a launch before it in its chain.

Two accesses of different launches to the same bytes race if at least one writes, they are not both strong, and the
launch of the earlier one is not known to have completed: see docs/explanation/dependent-launches.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.dependent.chain_order import completed_launches
from shflbench.checker.dependent.footprints import READ_ONLY
from shflbench.checker.dependent.grid_order import NEVER, TriggerOrder
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from shflbench.checker.dependent.chain_order import Completed
    from shflbench.checker.dependent.footprints import GridAccess, GridFootprint, LastAccesses, MemoryRange
    from shflbench.emulator.link.program import Op
    from shflbench.emulator.opcodes.forms import Values


class MissingOrder(Enum):
    """Why nothing orders an access after those of an earlier launch."""

    WAITS_LATER = "the thread waits for the launch before only afterwards"
    NEVER_WAITS = "no wait comes before it, in the thread or before a barrier"
    NOT_PASSED_ON = "the launch between completes without waiting"
    BEGINS_EARLY = "the launch between lets the next one begin before its own wait"
    READ_BEFORE_TRIGGER = "no text says that the trigger comes after the reads before it"
    FENCED_BEFORE_TRIGGER = "one text takes a fence before the trigger as enough, another one demands the wait"
    BY_A_FLAG = "threads of both launches access a flag, which may order them"
    READ_ONLY_PATH = "the read-only path is not coherent"


# Where texts differ, or code by NVIDIA relies on an order that no text gives; and what is not followed.
DOUBTFUL = frozenset(
    {
        MissingOrder.READ_BEFORE_TRIGGER,
        MissingOrder.FENCED_BEFORE_TRIGGER,
        MissingOrder.BY_A_FLAG,
        MissingOrder.READ_ONLY_PATH,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class OverlappingLaunch:
    """One launch of a chain, as it ran: its footprint, and what its buffers are for the whole chain."""

    footprint: GridFootprint
    identities: Sequence[Hashable]  # of each buffer

    @property
    def ranges(self) -> list[tuple[Hashable, MemoryRange]]:
        """The memory that launches may share, with what it is for all of them; two buffers may be the same one."""
        variables = ((("variable", name), part) for name, part in self.footprint.variables.items())
        return [*zip(self.identities, self.footprint.buffers, strict=False), *variables]


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """Accesses of two instructions to the same bytes, of which the later launch's is not ordered after the other."""

    kind: HazardKind
    missing: MissingOrder
    launches: tuple[int, int]  # numbers in the chain: of the later one, and of the earlier one
    ops: tuple[Op, Op]  # likewise
    threads: tuple[int, int]
    memory: Hashable
    byte: int  # first one
    count: int  # cells

    @property
    def place(self) -> Hashable:
        """What conflicts of the same instructions have in common."""
        return self.kind, self.launches, *map(id, self.ops), self.memory


def conflicts(chain: Sequence[OverlappingLaunch]) -> list[Conflict]:
    """Return the conflicts of the last launch of a chain with those before it, the nearest one first."""
    grid_orders = [item.footprint.order for item in chain]
    completed = completed_launches(grid_orders)[-1]
    last = len(chain) - 1
    before = [number for number in reversed(range(last)) if number not in completed.at_start]
    every = [conflict for number in before for conflict in _between(chain, last, number, completed)]
    certain = {conflict.place for conflict in every if conflict.missing not in DOUBTFUL}
    return [conflict for conflict in every if conflict.missing not in DOUBTFUL or conflict.place not in certain]


def _between(chain: Sequence[OverlappingLaunch], last: int, number: int, completed: Completed) -> Iterator[Conflict]:
    """Yield the conflicts of the last launch with one of those before it."""
    later, earlier = chain[last], chain[number]
    has_flag = _has_flag(later, earlier)
    for memory, mine, other in _common(later, earlier):
        pairs = product(later.footprint.kinds(mine.space), earlier.footprint.kinds(other.space))
        for (kind, accesses), (other_kind, others) in pairs:
            is_ordered = kind.waited and number in completed.after_wait
            hazard = _hazard(kind, other_kind, is_ordered=is_ordered)
            if hazard is not None:
                pair = _Pair(chain, (last, number), (kind, other_kind), memory, has_flag)
                cells = _Cells.of(later, mine, accesses), _Cells.of(earlier, other, others)
                yield from pair.conflicts(hazard, *cells)


def _common(
    later: OverlappingLaunch, earlier: OverlappingLaunch
) -> Iterator[tuple[Hashable, MemoryRange, MemoryRange]]:
    """Yield the memory that two launches share: what it is, and where it lies in either."""
    for (memory, mine), (other_memory, other) in product(later.ranges, earlier.ranges):
        if memory == other_memory:
            yield memory, mine, other


def _has_flag(later: OverlappingLaunch, earlier: OverlappingLaunch) -> bool:
    """Whether threads of the later launch read strongly, before a wait, what the earlier one writes strongly."""
    for _, mine, other in _common(later, earlier):
        reads = [last for kind, last in later.footprint.kinds(mine.space) if kind.reads_strongly and not kind.waited]
        writes = [last for kind, last in earlier.footprint.kinds(other.space) if kind.writes and kind.is_strong]
        for one, another in product(reads, writes):
            if _Cells.of(later, mine, one).common(_Cells.of(earlier, other, another))[2].size:
                return True
    return False


def _hazard(kind: GridAccess, other: GridAccess, *, is_ordered: bool) -> HazardKind | None:
    """Return what two accesses to the same bytes are; None if they do not race."""
    if is_ordered:
        return HazardKind.DEPENDENT_READ_ONLY if kind.action == READ_ONLY and other.writes else None
    if not (kind.writes or other.writes) or (kind.is_strong and other.is_strong):
        return None
    if not kind.writes:
        return HazardKind.DEPENDENT_RAW
    if other.writes:
        return HazardKind.DEPENDENT_WAW
    # A block without a trigger must end before the next launch begins, and so before every later one.
    return None if other.trigger is TriggerOrder.ENDS else HazardKind.DEPENDENT_WAR


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The accesses to one buffer, per unit of some bytes."""

    unit: int
    ops: Values
    threads: Values

    def common(self, other: _Cells) -> tuple[_Cells, _Cells, Values]:
        """Return both per unit of the same bytes, and the numbers of the units that both access."""
        unit = min(self.unit, other.unit)
        mine, others = self.divided(unit), other.divided(unit)
        size = min(mine.ops.size, others.ops.size)
        return mine, others, np.flatnonzero((mine.ops[:size] != 0) & (others.ops[:size] != 0))

    @classmethod
    def of(cls, launch: OverlappingLaunch, part: MemoryRange, accesses: LastAccesses) -> _Cells:
        unit = launch.footprint.granule
        cells = slice(part.start // unit, -(-part.end // unit))
        return cls(unit, accesses.ops[cells], accesses.threads[cells])

    def divided(self, unit: int) -> _Cells:
        """Return the accesses per smaller unit."""
        times = self.unit // unit
        if times == 1:
            return self
        return _Cells(unit, *(np.repeat(values, times) for values in (self.ops, self.threads)))


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Two kinds of access to one buffer, of two launches of a chain."""

    chain: Sequence[OverlappingLaunch]
    launches: tuple[int, int]
    kinds: tuple[GridAccess, GridAccess]
    memory: Hashable
    has_flag: bool

    def conflicts(self, hazard: HazardKind, mine: _Cells, others: _Cells) -> Iterator[Conflict]:
        """Yield a conflict per pair of instructions and missing order."""
        mine, others, both = mine.common(others)
        missing = self._missing(hazard, mine, both)
        for order in MissingOrder:
            cells = both[missing == order.name]
            yield from self._of_ops(hazard, order, (mine, others), cells)

    def _of_ops(
        self, hazard: HazardKind, missing: MissingOrder, pair: tuple[_Cells, _Cells], cells: Values
    ) -> Iterator[Conflict]:
        mine, others = pair
        numbers = np.stack([mine.ops[cells], others.ops[cells]])
        different, first, counts = np.unique(numbers, axis=1, return_index=True, return_counts=True)
        for place, (op, other) in enumerate(different.T.tolist()):
            cell = int(cells[first[place]])
            later, earlier = (self.chain[number].footprint for number in self.launches)
            yield Conflict(
                hazard,
                missing,
                self.launches,
                (later.ops[op - 1], earlier.ops[other - 1]),
                (int(mine.threads[cell]), int(others.threads[cell])),
                self.memory,
                cell * mine.unit,
                int(counts[place]),
            )

    def _missing(self, hazard: HazardKind, mine: _Cells, cells: Values) -> Values:
        """Return the name of the missing order of each cell."""
        same = self._of_all(hazard)
        if same is not None:
            return np.full(cells.shape, same.name, object)
        waits = self.chain[self.launches[0]].footprint.order.waited_at[mine.threads[cells]] != NEVER
        return np.where(waits, MissingOrder.WAITS_LATER.name, MissingOrder.NEVER_WAITS.name).astype(object)

    def _of_all(self, hazard: HazardKind) -> MissingOrder | None:
        """Return the order that all of these accesses lack; None if it depends on the thread."""
        (last, number), (kind, other_kind) = self.launches, self.kinds
        if hazard is HazardKind.DEPENDENT_READ_ONLY:
            return MissingOrder.READ_ONLY_PATH
        if kind.waited:
            return MissingOrder.NOT_PASSED_ON
        if number < last - 1:
            return MissingOrder.BEGINS_EARLY
        if self.has_flag:
            return MissingOrder.BY_A_FLAG
        if other_kind.trigger is not TriggerOrder.BEFORE:
            return None
        return MissingOrder.FENCED_BEFORE_TRIGGER if other_kind.writes else MissingOrder.READ_BEFORE_TRIGGER
