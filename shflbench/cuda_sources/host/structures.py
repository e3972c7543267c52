"""Structures of host code as the bytes that a kernel gets, with arrays and unions in them, or in arrays."""

from __future__ import annotations

import functools
import re
import struct
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import is_vector
from shflbench.cuda_sources.host.types import HostType, format_of
from shflbench.cuda_sources.host.values import (
    UNKNOWN,
    Cell,
    HostElement,
    Memory,
    Pointer,
    Structure,
    as_type,
    target_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources.host.interface import Reference
    from shflbench.cuda_sources.kernel_file import Field

_STEP = re.compile(r"([A-Za-z_]\w*)|\[(\d+)\]")
MOST_KEPT = 4096  # members of structures; an array of structures asks for the same ones for each element


def members(value: Structure) -> Iterator[tuple[str, object]]:
    """Yield the members of a structure by the names that its layout gives them: `size`, `offsets[1]`, `origin.x`.

    A member of a union that nothing was assigned to has the number that the bytes of the others make.
    """
    bytes_ = pack(value)
    for part in value.type.members:
        given, type_ = _at(value, part.name), _type_of(part)
        if given is UNKNOWN and type_ is not None:
            given = bytes_.load(part.offset, type_)
        yield part.name, given


def pack(value: Structure) -> Memory:
    """Return the bytes of a structure; those that belong to no member are zero, and those of pointers are unknown."""
    size = value.type.size or 0
    if not value.type.members:
        return Memory(value.type.size)
    result = Memory(size, data=bytearray(size), known=bytearray(b"\1" * size))
    given = [(part, _type_of(part), _at(value, part.name)) for part in value.type.members]
    for part, _, _ in given:
        result.known[part.offset : part.offset + part.size] = bytes(part.size)
    for part, type_, number in given:  # after the unknown members of a union
        if type_ is not None and isinstance(number, int | float):
            result.put(part.offset, type_, number)
    return result


def with_structures(memory: Memory) -> Memory:
    """Return memory with the bytes of the structures that lie in it, where it has any."""
    inside = {place: item for place, item in memory.objects.items() if isinstance(item, Structure)}
    if not inside or memory.size is None:
        return memory
    result = Memory(memory.size, memory.device, bytearray(memory.data), bytearray(memory.known), memory.filled)
    for place, item in inside.items():
        bytes_ = pack(item)
        result.copy(place, bytes_, 0, bytes_.size)
    return result


def zero(value: Structure) -> None:
    """Set the numbers, pointers and arrays of a structure to zero, as `memset` does."""
    for cell in value.fields.values():
        if isinstance(cell.value, Structure):
            zero(cell.value)
        elif isinstance(cell.value, Pointer) and cell.type.is_array:
            cell.value.memory.fill(0, 0, cell.type.size)
        elif cell.type.format or cell.type.is_pointer:
            cell.value = 0


def fields_of_vector(type_: HostType, values: Sequence[object], *, zeroed: bool) -> dict[str, Cell]:
    """Return the elements of a vector of CUDA, such as `float4`; none for other types."""
    types = {part.name: _type_of(part) for part in type_.members if is_vector(type_.name)}
    given = [*values, *([0 if zeroed or values else UNKNOWN] * len(types))]
    return {
        name: Cell(as_type(value, number), number)
        for (name, number), value in zip(types.items(), given, strict=False)
        if number is not None
    }


def copy_into(target: Reference, source: object) -> None:
    """Store in a variable what a pointer points to, as a copy of all bytes of the variable does."""
    if isinstance(source, Pointer):
        source = Pointer(source.memory, source.offset, target.type)
    target.store(target_value(source))


def _at(value: Structure, path: str) -> object:
    """Return the value of a member, or of an element of an array in it."""
    place: object = value
    for name, number in _steps(path):
        if name:
            cell = place.fields.get(name) if isinstance(place, Structure) else None
            if cell is None:
                return UNKNOWN
            place = cell.value
        elif isinstance(place, Pointer) and place.offset is not None:
            element = place.target
            while element.is_array and element.target is not None:  # a layout numbers all elements of rows
                element = element.target
            place = HostElement(place.memory, place.offset + number * (element.size or 0), element).load()
        else:
            return UNKNOWN
    return place


@functools.lru_cache(MOST_KEPT)
def _steps(path: str) -> tuple[tuple[str, int], ...]:
    """Return the steps to a member: `offsets[1]` is ("offsets", 0), ("", 1)."""
    return tuple((step[1] or "", int(step[2] or 0)) for step in _STEP.finditer(path))


@functools.lru_cache(MOST_KEPT)
def _type_of(part: Field) -> HostType | None:
    """Return the type of a member that is a number, or may be null."""
    form = "Q" if part.pointer else format_of(part.element)  # of pointers, null is the only number
    return HostType(part.type, part.size, form) if form and struct.calcsize(form) == part.size else None
