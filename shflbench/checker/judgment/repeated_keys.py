"""Keys that code expects to repeat: it claims a place for a key by compare-and-swap, or finds the same key there.

    found = atomicCAS(&keys[slot], EMPTY, key);
    if (found == EMPTY || found == key) values[slot] = value;

Several threads with one key write one place, and the second comparison is there for them alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.compared_constants import EQUALITY
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op


def repeated_keys(slicer: Slicer) -> set[int]:
    """Return the pointers to the keys that a kernel expects to repeat."""
    compared = [
        _registers(op)
        for op in slicer.ops
        if has_role(op.instruction, OpcodeRole.COMPARISON) and EQUALITY & set(op.instruction.modifiers)
    ]
    pointers = set[int]()
    for swap in slicer.ops:
        if not isinstance(swap.form, Access) or "cas" not in swap.instruction.modifiers:
            continue
        previous, key = next(iter(swap.results), None), swap.sources[-1]
        if previous is not None and isinstance(key, Slot) and {previous.number, key.number} in compared:
            writers = slicer.writers(key.number)
            pointers |= slicer.of(writers, address_only=True).contents
            pointers |= {start for op in writers for start in slicer.pointers(op)}
    return pointers


def _registers(op: Op) -> set[int]:
    return {source.number for source in op.sources if isinstance(source, Slot)}
