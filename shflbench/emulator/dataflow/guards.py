"""Comparisons of an index with a number that protect accesses to memory: `if (i < n)`, and all its forms in PTX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.index_values import IndexValues
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Branch, Exit
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

LESS, MORE = {"lt", "le", "lo", "ls"}, {"gt", "ge", "hi", "hs"}
INTEGERS = {"s32", "u32", "s64", "u64"}
MOST_BRANCHES = 64  # of which the accesses behind them are searched for; kernels with guards have a few
MOST_DEPTH = 16  # predicates that are combined to one


@dataclass(frozen=True, slots=True)
class Guard:
    """An index that is less than a limit, or equal to it, where some accesses to memory are."""

    index: Polynomial
    limit: Polynomial
    accesses: frozenset[int]  # ids of the ops that run only if it holds; empty for a loop that ends where it does not
    others: frozenset[int]  # ids of those that run only if it does not


def guards(slicer: Slicer) -> tuple[Guard, ...]:
    """Return the comparisons that decide whether accesses to memory run."""
    return tuple(_guards(slicer, slicer.kept(IndexValues)))


def _guards(slicer: Slicer, values: IndexValues) -> Iterator[Guard]:
    search = _Search(slicer, values)
    yield from _of_minima(slicer, values)
    for op in search.accesses:
        if op.guard is not None:
            for index, limit in search.implied(op.guard, holds=True):
                yield Guard(index, limit, frozenset({id(op)}), frozenset())
    for op, predicate in search.branches()[:MOST_BRANCHES]:
        behind = {holds: search.behind(op, holds=holds) for holds in (True, False)}
        for holds, accesses in behind.items():
            if accesses or search.repeats(op, holds=holds):
                for index, limit in search.implied(predicate, holds=holds):
                    yield Guard(index, limit, accesses, behind[not holds])


def _of_minima(slicer: Slicer, values: IndexValues) -> Iterator[Guard]:
    """Yield that `min(i, n)` is at most `n`."""
    for op in slicer.ops:
        integers = op.instruction.modifiers[-1:] and op.instruction.modifiers[-1] in INTEGERS
        if has_role(op.instruction, OpcodeRole.MINIMUM) and integers and op.results[0] is not None:
            for source in op.sources:
                yield Guard(values.of(op.results[0]), values.of(source), frozenset(), frozenset())


class _Search:
    def __init__(self, slicer: Slicer, values: IndexValues) -> None:
        self._slicer, self._values = slicer, values
        self.accesses = [op for op in slicer.ops if isinstance(op.form, Access) and op.place is not None]

    def branches(self) -> list[tuple[Op, Slot]]:
        """Return the branches that compare numbers, with their predicates."""
        last = [block.last for block in self._slicer.program.blocks.values()]
        conditional = [(op, op.guard) for op in last if op is not None and isinstance(op.form, Branch | Exit)]
        return [
            (op, guard)
            for op, guard in conditional
            if guard is not None and any(any(self.implied(guard, holds=holds)) for holds in (True, False))
        ]

    def implied(self, predicate: Slot, *, holds: bool, depth: int = 0) -> Iterator[tuple[Polynomial, Polynomial]]:
        """Yield the pairs of which the first is less than the second, or equal, if the predicate holds, or does not."""
        writers = self._slicer.writers(predicate.number)
        if len(writers) != 1 or depth > MOST_DEPTH:
            return
        (op,), truth = writers, holds != predicate.negated
        match op.instruction.opcode, op.instruction.modifiers:
            case "setp", (relation, type_) if len(op.sources) == 2 and type_ in INTEGERS:  # noqa: PLR2004  (compared)
                first, second = (self._values.of(source) for source in op.sources)
                if relation in (LESS if truth else MORE):
                    yield first, second
                elif relation in (MORE if truth else LESS):
                    yield second, first
            case (("and" | "or" as combined), ("pred",)) if truth == (combined == "and"):
                for source in op.sources:
                    if isinstance(source, Slot):
                        yield from self.implied(source, holds=truth, depth=depth + 1)
            case "not", ("pred",) if isinstance(op.sources[0], Slot):
                yield from self.implied(op.sources[0], holds=not truth, depth=depth + 1)

    def behind(self, branch: Op, *, holds: bool) -> frozenset[int]:
        """Return the accesses that run only after `branch` with a predicate that holds, or that does not."""
        reached = reached_otherwise(self._slicer, branch, holds=holds)
        return frozenset(id(op) for op in self.accesses if self._slicer.block_of(op) not in reached)

    def repeats(self, branch: Op, *, holds: bool) -> bool:
        """Return whether a loop goes on only if the predicate of `branch`, at its end, holds, or does not."""
        start = self._slicer.block_of(branch)
        where_it_holds, where_not = self._slicer.successors(start)
        stays, ends = (where_it_holds, where_not) if holds else (where_not, where_it_holds)
        return stays in self._slicer.loop_blocks(branch) and ends not in self._slicer.loop_blocks(branch)


def reached_otherwise(slicer: Slicer, branch: Op, *, holds: bool) -> set[int]:
    """Return the blocks that control can reach without leaving `branch` where its predicate holds, or does not."""
    start, first = slicer.block_of(branch), min(slicer.program.blocks, default=-1)
    where_it_holds, where_not = slicer.successors(start)
    seen, waiting = {first}, [first]
    while waiting:
        block = waiting.pop()
        for end in [where_not if holds else where_it_holds] if block == start else slicer.successors(block):
            if end not in seen:
                seen.add(end)
                waiting.append(end)
    return seen
