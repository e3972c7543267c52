"""Reaching definitions: the instructions that may have written the value that an instruction reads.

Kildall, "A Unified Approach to Global Program Optimization", 1973.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op


# A register, the ids of the ops that may have written it, and of those that did so before the region of a walk.
WrittenRegister: TypeAlias = "tuple[int, frozenset[int], frozenset[int]]"


@dataclass(frozen=True, slots=True)
class ReachingOps:
    """The instructions that may have written a register, and the ids of those that did so before the region."""

    register: int
    ops: Sequence[Op]
    before: frozenset[int]

    @property
    def are_all_before(self) -> bool:
        """Whether all of them may have done so before the region."""
        return bool(self.ops) and all(id(op) in self.before for op in self.ops)

    @property
    def key(self) -> WrittenRegister:
        """What is equal where the same instructions reach."""
        return self.register, frozenset(map(id, self.ops)), self.before


class ReachingWriters:
    """The writers of registers whose values reach an instruction.

    In a region, which is the code behind a block up to some others, those that reach it from there.
    """

    def __init__(self, slicer: Slicer, start: int | None = None, region: Collection[int] = ()) -> None:
        """Start without registers; each is followed when it is read."""
        self._slicer, self._start, self._region = slicer, start, region
        self._everywhere = self if start is None else slicer.kept(ReachingWriters)
        self._at_start: dict[int, dict[int, list[Op]]] = {}  # register → block → those that reach its start
        self._from_start: dict[int, dict[int, list[Op]]] = {}  # likewise those that come from before the region
        self._places: dict[int, int] = self._everywhere._places if start is not None else _places(slicer)  # noqa: SLF001

    def at(self, register: int, reader: Op) -> ReachingOps:
        """Return the instructions that may have written what `reader` reads from a register, with where they did."""
        before = self._from_before(register, reader)
        return ReachingOps(register, self.of(register, reader), frozenset(map(id, before)))

    def of(self, register: int, reader: Op) -> list[Op]:
        """Return the instructions that may have written what `reader` reads from a register."""
        writers = self._slicer.writers(register)
        if len(writers) < 2:  # noqa: PLR2004  (a choice)
            return writers
        block = self._slicer.block_of(reader)
        if self._start is not None and block not in self._region:
            return self._everywhere.of(register, reader)
        last, is_certain = self._last(register, self._slicer.ops_in(block)[: self._places[id(reader)]])
        return last if is_certain else [*last, *self._reaching(register, block, last)]

    def _from_before(self, register: int, reader: Op) -> list[Op]:
        """Return those of the instructions that may have written it before the start of the region."""
        block = self._slicer.block_of(reader)
        if self._start is None or block not in self._region:
            return []
        if self._last(register, self._slicer.ops_in(block)[: self._places[id(reader)]])[1]:
            return []
        if register not in self._from_start:
            ends = self._ends(register)
            self._from_start[register] = self._spread({self._start: ends[self._start]}, ends)
        return self._from_start[register].get(block, [])

    def at_end(self, register: int, block: int) -> list[Op]:
        """Return the instructions that may have written what a register holds at the end of a block."""
        last, is_certain = self._last(register, self._slicer.ops_in(block))
        return last if is_certain else [*last, *self._reaching(register, block, last)]

    def _reaching(self, register: int, block: int, last: Collection[Op]) -> list[Op]:
        """Return the writers that reach the start of a block, without those that are `last` in it."""
        if register not in self._at_start:
            self._at_start[register] = self._follow(register)
        return [op for op in self._at_start[register].get(block, []) if op not in last]

    def _last(self, register: int, ops: list[Op]) -> tuple[list[Op], bool]:
        """Return the last writers of a register, and whether one of them always writes."""
        last: list[Op] = []
        for op in reversed(ops):
            if any(slot is not None and slot.number == register for slot in op.results):
                last.append(op)
                if op.guard is None:
                    return last, True
        return last, False

    def _follow(self, register: int) -> dict[int, list[Op]]:
        """Return the writers that reach the start of each block."""
        ends = self._ends(register)
        return self._spread(ends, ends)

    def _ends(self, register: int) -> dict[int, tuple[list[Op], bool]]:
        """Return the last writers of a register in each block, and whether they replace all others."""
        blocks = dict.fromkeys(self._slicer.block_of(op) for op in self._slicer.writers(register))
        ends = {block: self._last(register, self._slicer.ops_in(block)) for block in blocks}
        if self._start is None:
            return ends
        begun = self._everywhere.at_end(register, self._start)
        return {self._start: (begun, True), **{block: end for block, end in ends.items() if block in self._region}}

    def _spread(
        self, begins: Mapping[int, tuple[list[Op], bool]], ends: Mapping[int, tuple[list[Op], bool]]
    ) -> dict[int, list[Op]]:
        """Return the writers that reach the start of each block from the ends of some, which others may replace."""
        reached: dict[int, list[Op]] = {}
        for start, (last, _) in begins.items():
            for writer in last:
                waiting = [start]
                while waiting:
                    for block in self._slicer.successors(waiting.pop()):
                        if self._start is not None and block not in self._region:
                            continue
                        known = reached.setdefault(block, [])
                        if writer not in known:
                            known.append(writer)
                            if not ends.get(block, (last, False))[1]:
                                waiting.append(block)
        return reached


def _places(slicer: Slicer) -> dict[int, int]:
    """Return the place of each op in its block, by the id of the op."""
    return {id(op): place for block in slicer.program.blocks for place, op in enumerate(slicer.ops_in(block))}
