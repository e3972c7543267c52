"""Find which buffers of a kernel hold states, indices of neighbors, or where ranges begin, and mix their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.compared_constants import address_contents, compared_constants
from shflbench.checker.inputs.elements import element_of
from shflbench.checker.inputs.mixed_contents import PER_RANGE, MixedContents
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shflbench.checker.inputs.elements import Element
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.inputs.wishes import Wishes
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

MOST_MARKS = 16  # values in one buffer
MOST_OPS = 256  # to follow from an address to the loads that it is computed from


def mixed_contents(linked: LinkedKernel, wishes: Wishes, derived: Collection[str]) -> MixedContents | None:
    """Return contents for the `derived` buffers of a kernel, None if its conditions compare none of them."""
    names, slicer = linked.kernel.pointers, linked.slicer
    elements = {
        part.offset: element
        for part in linked.kernel.parts
        if part.item.pointer and (element := element_of(part.item.element)) is not None and element.name != "bf16"
    }
    free = {start for start in names if names[start] in derived and names[start] not in wishes.zeroed}
    in_addresses = address_contents(slicer)
    constants = compared_constants(slicer)
    marks = {
        names[start]: values
        for start in sorted(constants.keys() & free - in_addresses)
        if start in elements and (values := _marks(elements[start], constants[start]))
    }
    integers = {start for start in free if start in elements and elements[start].kind in "iu"}
    ranges = frozenset(names[start] for start in integers if names[start] in wishes.offsets)
    indexes = {start for start in integers if names[start] in wishes.indexes} - {
        start for start in names if names[start] in marks or names[start] in wishes.offsets
    }
    if not marks and not ranges:
        return None
    per_range = {start: _is_of_ranges(slicer, start, ranges, names) for start in sorted(indexes)}
    return MixedContents(marks, {names[start]: PER_RANGE if is_of else 1 for start, is_of in per_range.items()}, ranges)


def _marks(element: Element, compared: Collection[tuple[float, bool]]) -> tuple[float, ...]:
    """Return the values that fulfill conditions and those that do not: constants, and values beside limits."""
    beside = {value + more for value, equality in compared for more in ((0,) if equality else (-1, 0, 1))}
    if element.kind == "b":
        return (0.0, 1.0)
    limits = np.finfo(element.numpy) if element.kind == "f" else np.iinfo(element.numpy)
    values = sorted(value for value in beside if float(limits.min) <= value <= float(limits.max))[:MOST_MARKS]
    if len(values) == 1 and values[0] + 1 <= float(limits.max):
        values.append(values[0] + 1)
    return tuple(values)


def _is_of_ranges(slicer: Slicer, start: int, ranges: Collection[str], names: Mapping[int, str]) -> bool:
    """Whether elements are read at places that come from where ranges begin, and not from other contents."""
    loads = [
        op for op in slicer.ops if isinstance(op.form, Access) and op.form.kind == "ld" and start in slicer.pointers(op)
    ]
    pointers = {pointer for op in loads for load in _loads_of_address(slicer, op) for pointer in slicer.pointers(load)}
    return bool(pointers) and {names.get(pointer, "") for pointer in pointers} <= set(ranges)


def _loads_of_address(slicer: Slicer, op: Op) -> list[Op]:
    """Return the loads from memory that the address of an access is computed from, without those behind them."""
    base = op.place.base if op.place is not None else None
    loads: list[Op] = []
    waiting, seen = [base.number] if base is not None else [], set[int]()
    while waiting and len(seen) < MOST_OPS:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        for writer in slicer.writers(number):
            if isinstance(writer.form, Access):
                loads += [writer] if parameter_byte(writer) is None else []
            else:
                waiting += [source.number for source in writer.sources if isinstance(source, Slot)]
    return loads
