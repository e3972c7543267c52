"""Comparisons for equality that hold wherever an op runs: `if (i < n && keys[i] == key) *place = i;`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.guards import MOST_DEPTH, reached_otherwise
from shflbench.emulator.link.program import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

_EQUAL, _UNEQUAL = {"eq"}, {"ne", "neu"}


def equalities(op: Op, slicer: Slicer) -> Iterator[Op]:
    """Yield the comparisons of two values that are equal wherever `op` runs."""
    if op.guard is not None:
        yield from _implied(op.guard, slicer, holds=True)
    block = slicer.block_of(op)
    for branch in slicer.all_conditions(op):
        for holds in (True, False):
            if branch.guard is not None and block not in reached_otherwise(slicer, branch, holds=holds):
                yield from _implied(branch.guard, slicer, holds=holds)


def _implied(predicate: Slot, slicer: Slicer, *, holds: bool, depth: int = 0) -> Iterator[Op]:
    """Yield the comparisons of equal values if the predicate holds, or does not."""
    writers = slicer.writers(predicate.number)
    if len(writers) != 1 or depth > MOST_DEPTH:
        return
    (op,), truth = writers, holds != predicate.negated
    match op.instruction.opcode, op.instruction.modifiers:
        case "setp", (relation, _) if len(op.sources) == 2:  # noqa: PLR2004  (compared)
            if relation in (_EQUAL if truth else _UNEQUAL):
                yield op
        case (("and" | "or" as combined), ("pred",)) if truth == (combined == "and"):
            for source in op.sources:
                if isinstance(source, Slot):
                    yield from _implied(source, slicer, holds=truth, depth=depth + 1)
        case "not", ("pred",) if isinstance(op.sources[0], Slot):
            yield from _implied(op.sources[0], slicer, holds=not truth, depth=depth + 1)
