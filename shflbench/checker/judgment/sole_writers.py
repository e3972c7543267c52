"""Stores to one place by the thread whose own element equals a value: `if (keys[i] == key) *place = i;`.

Two threads race only if their elements are equal, which the caller may exclude, as it may for the indices of a scatter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.judgment.one_place import numbers_of_thread, of_thread
from shflbench.emulator.dataflow.equalities import equalities
from shflbench.emulator.dataflow.index_values import IndexValues
from shflbench.emulator.dataflow.polynomials import difference
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.judgment.observations import Observation
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source

DEEPEST = 16  # instructions between a loaded element and its comparison: conversions, a mask, a shift


def compared_elements(observation: Observation, slicer: Slicer) -> set[int]:
    """Return the pointers whose elements choose the threads that race: all by one instruction, an element per thread.

    Elements that are compared with other contents do not count: the maximum of a block equals one of them at least.
    """
    hazard = observation.hazard
    ops = slicer.ops_of(hazard.instruction)
    if observation.kind is not HazardKind.WAW or hazard.other not in {None, hazard.instruction} or len(ops) != 1:
        return set()
    pointers = set[int]()
    for comparison in equalities(ops[0], slicer):
        sides = [list(_loads(source, slicer, 0)) for source in comparison.sources]
        loads = [*sides[0], *sides[1]]
        if not all(sides) and any(_differs(load, observation, slicer) for load in loads):
            pointers |= {pointer for load in loads for pointer in slicer.pointers(load)}
    return pointers


def _loads(source: Source, slicer: Slicer, depth: int) -> Iterator[Op]:
    """Yield the loads from memory that a value is computed from."""
    for writer in slicer.writers(source.number) if isinstance(source, Slot) and depth < DEEPEST else ():
        if not isinstance(writer.form, Access):
            for other in writer.sources:
                yield from _loads(other, slicer, depth + 1)
        elif writer.form.space != "param":
            yield writer


def _differs(load: Op, observation: Observation, slicer: Slicer) -> bool:
    """Whether the two threads of a race load different elements."""
    if load.place is None:
        return False
    address, shape = slicer.kept(IndexValues).address(load.place), observation.launches[0].launch.shape
    numbers = [numbers_of_thread(shape, *thread) for thread in observation.hazard.threads]
    first, *others = (of_thread(address, number) for number in numbers)
    return first is not None and any(other is not None and bool(difference(first, other)) for other in others)
