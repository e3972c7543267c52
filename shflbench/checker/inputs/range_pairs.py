"""Two buffers that hold a range per element: `for (j = start[c]; j < end[c]; j++)`, as of cells of a sorted list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.compared_constants import address_contents
from shflbench.emulator.dataflow.guards import INTEGERS, LESS, MORE
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.array_accesses import ArrayAccess
    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source


def range_pairs(accesses: Sequence[ArrayAccess], slicer: Slicer) -> dict[int, int]:
    """Return the pointers to the ends of ranges, each with the pointer to where the ranges begin.

    The kernel only reads both, at one index, and compares what it reads; addresses depend on the begins only.
    """
    stored = {item.pointer for item in accesses if isinstance(item.op.form, Access) and item.op.form.writes}
    by_op = {id(item.op): item for item in accesses if item.pointer not in stored}
    pairs = []
    for first, second in _compared_loads(slicer):
        one, other = by_op.get(id(first)), by_op.get(id(second))
        if one is not None and other is not None and _place(one) == _place(other):
            pairs += [(one.pointer, other.pointer), (other.pointer, one.pointer)]
    in_addresses = address_contents(slicer) if pairs else set()
    return {end: begin for end, begin in pairs if begin in in_addresses and end not in in_addresses}


def _place(item: ArrayAccess) -> tuple[Polynomial, int, int]:
    return item.offset, item.constant, item.element


def _compared_loads(slicer: Slicer) -> Iterator[tuple[Op, Op]]:
    """Yield two loads whose values a comparison by less or more compares."""
    for op in slicer.ops:
        words = set(op.instruction.modifiers)
        if has_role(op.instruction, OpcodeRole.COMPARISON) and words & (LESS | MORE) and words & INTEGERS:
            loads = [load for source in op.sources if (load := _load(source, slicer)) is not None]
            if len(loads) == 2:  # noqa: PLR2004  (both operands)
                yield loads[0], loads[1]


def _load(source: Source, slicer: Slicer) -> Op | None:
    """Return the only load that writes a register, which a loop may increment."""
    writers = slicer.writers(source.number) if isinstance(source, Slot) else []
    loads = [op for op in writers if isinstance(op.form, Access) and op.form.kind == "ld"]
    return loads[0] if len(loads) == 1 else None
