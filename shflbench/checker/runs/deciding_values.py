"""Find the arguments that decide where and how often a kernel accesses memory: only their own values are legal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.compared_constants import structural_values
from shflbench.core.symbols import variable_name

if TYPE_CHECKING:
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.emulator.dataflow.slices import Slice, Slicer


def structural_numbers(linked: LinkedKernel) -> frozenset[str]:
    """Return the names of the numbers on which addresses, iterations or branches depend: sizes, flags, null."""
    slicer = linked.slicer
    bytes_ = slicer.kept(structural_values).parameters | slicer.kept(_conditions).parameters
    return frozenset(
        part.name
        for part in linked.kernel.parts
        if part.item.pointer or any(part.offset <= byte < part.offset + part.item.size for byte in bytes_)
    )


def deciding_contents(linked: LinkedKernel) -> frozenset[str]:
    """Return the names of the buffers and variables with contents on which branches depend."""
    slicer = linked.slicer
    conditions = slicer.kept(_conditions)
    names = {name for start, name in linked.kernel.pointers.items() if start in conditions.contents}
    return frozenset(names | set(map(variable_name, conditions.variables)))


def index_variables(linked: LinkedKernel) -> frozenset[str]:
    """Return the names of the variables of the device whose contents are addresses, or numbers of iterations."""
    return frozenset(map(variable_name, linked.slicer.kept(structural_values).variables))


def _conditions(slicer: Slicer) -> Slice:
    """Return what the guards of instructions depend on."""
    guards = {op.guard.number for op in slicer.ops if op.guard is not None}
    return slicer.of([op for number in guards for op in slicer.writers(number)], address_only=True)
