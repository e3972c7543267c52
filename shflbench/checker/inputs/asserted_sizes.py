"""The blocks and grids that assertions of a kernel specify: `assert(gridDim.x == 7)`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from shflbench.checker.inputs.compared_constants import EQUALITY
from shflbench.emulator.dataflow.index_values import IndexValues
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Service
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

AXES = "xyz"


def asserted_sizes(slicer: Slicer, register: str) -> dict[str, int]:
    """Return the only size along each axis that an `assert` of the kernel compares `%ntid` or `%nctaid` with."""
    known = slicer.kept(IndexValues.before_loops).known
    failures = [op for op in slicer.ops if isinstance(op.form, Service) and op.form.name == "__assertfail"]
    numbers: dict[str, set[int]] = {axis: set() for axis in AXES}
    for op in _comparisons(slicer, failures):
        constants = [source for source in op.sources if isinstance(source, int)]
        values = [known.get(source.number) for source in op.sources if isinstance(source, Slot)]
        for axis, constant in product(AXES, constants):
            if values == [{(f"{register}.{axis}",): 1}] and constant > 1:
                numbers[axis].add(constant)
    return {axis: next(iter(constants)) for axis, constants in numbers.items() if len(constants) == 1}


def _comparisons(slicer: Slicer, decided: Collection[Op]) -> Iterator[Op]:
    """Yield the comparisons by equality that decide whether ops run, also those that the code combines."""
    branches = [branch for op in decided for branch in slicer.all_conditions(op)]
    waiting = [op.guard.number for op in branches if op.guard is not None]
    seen: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        for op in slicer.writers(number):
            if not has_role(op.instruction, OpcodeRole.COMPARISON):
                waiting += [source.number for source in op.sources if isinstance(source, Slot) and source.type == "?"]
            elif EQUALITY & set(op.instruction.modifiers):
                yield op
