"""Loops whose iterations exchange values alike: how many there are decides nothing that several do not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.exchanges.specified import exchanges
from shflbench.emulator.dataflow.nests import exits_by_loop
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op


def conditions_of_alike(slicer: Slicer) -> set[int]:
    """Return the blocks that end in a branch by which all threads of a block leave such a loop at once, or skip it."""
    ops = [op for op in slicer.ops if exchanges(op)]
    alike: set[int] = set()
    ends: set[int] = set()
    for blocks, exits in _loops(ops, slicer):
        inside = [op for op in ops if slicer.block_of(op) in blocks]
        is_uniform = not slicer.of(exits, conditions_in=blocks).thread
        if is_uniform and all(_is_fixed(op, slicer) for op in inside):
            alike |= set(map(id, inside))
            ends |= {slicer.block_of(branch) for branch in exits}
    return ends | set(_skipping(ops, alike, slicer))


def _skipping(ops: list[Op], alike: set[int], slicer: Slicer) -> Iterator[int]:
    """Yield the blocks that end in a branch which decides for a whole block of threads whether only such loops run."""
    behind: dict[int, list[int]] = {}
    branches: dict[int, Op] = {}
    for op in ops if alike else ():
        for branch in slicer.all_conditions(op):
            branches[id(branch)] = branch
            behind.setdefault(id(branch), []).append(id(op))
    for number, branch in branches.items():
        if alike.issuperset(behind[number]) and not slicer.of([branch], address_only=True).thread:
            yield slicer.block_of(branch)


def _loops(ops: list[Op], slicer: Slicer) -> Iterator[tuple[set[int], list[Op]]]:
    """Yield each loop around one of the ops with the branches that leave it."""
    seen: set[frozenset[int]] = set()
    for op in ops:
        for blocks, exits in exits_by_loop(op, slicer):
            if slicer.block_of(op) in blocks and frozenset(blocks) not in seen:
                seen.add(frozenset(blocks))
                yield blocks, exits


def _is_fixed(op: Op, slicer: Slicer) -> bool:
    """Whether an op has the same address in each iteration."""
    base = op.place.base if op.place is not None else None
    return base is None or _is_computed_once(base.number, slicer, set())


def _is_computed_once(register: int, slicer: Slicer, seen: set[int]) -> bool:
    """Whether a register follows from numbers of the thread and parameters, without one that a loop changes."""
    if register in seen or slicer.special(register):
        return True
    seen.add(register)
    writers = slicer.writers(register)
    if len(writers) != 1 or (isinstance(writers[0].form, Access) and parameter_byte(writers[0]) is None):
        return False
    slots = [source for source in (*writers[0].sources, writers[0].guard) if isinstance(source, Slot)]
    return all(_is_computed_once(slot.number, slicer, seen) for slot in slots)
