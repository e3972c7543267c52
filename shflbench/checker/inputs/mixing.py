"""Find which buffers of a kernel hold states, indices of neighbors, or where ranges begin, and mix their contents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.compared_constants import address_contents, compared_constants
from shflbench.checker.inputs.elements import element_of
from shflbench.checker.inputs.mixed_contents import PER_RANGE, MixedContents
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.elements import Element
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source

MOST_MARKS = 16  # values in one buffer
_PARTS = re.compile(r"[A-Z]?[a-z]+|.", re.DOTALL)  # words of a name, and what is between them
_UPPER = {"min": "max", "Min": "Max", "lower": "upper", "Lower": "Upper", "lo": "hi"}
DIVISORS = (1.0,)  # never zero, and with no remainder
MOST_OPS = 256  # to follow from a value to the loads that it is computed from


def mixed_contents(linked: LinkedKernel, spec: ArgumentSpec, chosen: Collection[str]) -> MixedContents | None:
    """Return contents for the `chosen` buffers of a kernel, None if its conditions compare none of them."""
    names, slicer = linked.kernel.pointers, linked.slicer
    elements = {
        part.offset: element
        for part in linked.kernel.parts
        if part.item.pointer and (element := element_of(part.item.element)) is not None and element.name != "bf16"
    }
    free = {start for start in names if names[start] in chosen and names[start] not in spec.zeroed}
    in_addresses = address_contents(slicer)
    constants = compared_constants(slicer)
    marks = {
        names[start]: values
        for start in sorted(constants.keys() & free - in_addresses)
        if start in elements and (values := _marks(elements[start], constants[start]))
    }
    divisors = _divisors(slicer) & free
    marks |= {names[start]: DIVISORS for start in divisors if start in elements and elements[start].kind in "iu"}
    limits = _limits({names[start] for start in free if start in elements})
    integers = {start for start in free if start in elements and elements[start].kind in "iu"}
    ranges = frozenset(names[start] for start in integers if names[start] in spec.offsets)
    others = {*marks, *ranges, *limits, *limits.values()}
    indexes = {start for start in integers if names[start] in spec.indexes and names[start] not in others}
    if not marks and not ranges and not limits:
        return None
    per_range = {start: _is_of_ranges(slicer, start, ranges, names) for start in sorted(indexes)}
    return MixedContents(
        {name: values for name, values in marks.items() if name not in limits.keys() | limits.values()},
        {names[start]: PER_RANGE if is_of else 1 for start, is_of in per_range.items()},
        ranges,
        frozenset(limits),
        frozenset(limits.values()),
    )


def _limits(names: Collection[str]) -> dict[str, str]:
    """Return the buffers of lower limits with those of upper ones, by their names: `box_min` and `box_max`."""
    pairs = {name: "".join(_UPPER.get(part, part) for part in _PARTS.findall(name)) for name in names}
    return {lower: upper for lower, upper in pairs.items() if upper != lower and upper in names}


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
    return _loads_of(slicer, op.place.base if op.place is not None else None)


def _divisors(slicer: Slicer) -> set[int]:
    """Return the pointers to integers that others are divided by."""
    divisors = [op.sources[1] for op in slicer.ops if has_role(op.instruction, OpcodeRole.DIVISION) and _is_integer(op)]
    return {pointer for value in divisors for load in _loads_of(slicer, value) for pointer in slicer.pointers(load)}


def _is_integer(op: Op) -> bool:
    return op.instruction.modifiers[-1][:1] in {"s", "u"}


def _loads_of(slicer: Slicer, value: Source | None) -> list[Op]:
    """Return the loads from memory that a value is computed from, without those behind them."""
    loads: list[Op] = []
    waiting, seen = [value.number] if isinstance(value, Slot) else [], set[int]()
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
