"""The registers that hold values at the start of a basic block which some instruction may still read."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from shflbench.emulator.link.barrier_loops import successors
from shflbench.emulator.link.program import Slot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.link.program import BasicBlock, Program


def live_registers(program: Program) -> Mapping[int, int]:
    """Return the live registers at the start of each block, as bits at their numbers."""
    order = sorted(program.blocks, reverse=True)
    effects = {start: _uses_and_definitions(program.blocks[start]) for start in order}
    after = {start: tuple(successors(program.blocks[start])) for start in order}
    live = dict.fromkeys(order, 0)
    changed = True
    while changed:
        changed = False
        for start in order:
            uses, definitions = effects[start]
            at_end = 0
            for block in after[start]:
                at_end |= live[block]
            at_start = uses | at_end & ~definitions
            if at_start != live[start]:
                live[start], changed = at_start, True
    return live


def _uses_and_definitions(block: BasicBlock) -> tuple[int, int]:
    """Return the registers that a block reads before it writes them, and those that it writes in any case."""
    uses = definitions = 0
    for op in chain(block.ops, () if block.last is None else (block.last,)):
        for slot in (*op.sources, op.guard, op.place.base if op.place is not None else None):
            if isinstance(slot, Slot):
                uses |= 1 << slot.number & ~definitions
        for slot in op.results if op.guard is None else ():
            if slot is not None:
                definitions |= 1 << slot.number
    return uses, definitions
