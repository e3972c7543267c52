"""Members of vectors, arrays and maps of host code, whose elements lie in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.declarations import from_list
from shflbench.cuda_sources.host.records import entry_with_key, is_record
from shflbench.cuda_sources.host.smart_pointers import exchange
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, HostElement, Memory, Pointer, Structure, byte_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame


def call_of_vector(run: HostRun, vector: Structure, name: str, given: Sequence[Reference], frame: HostFrame) -> object:
    """Return the result of a member of a vector or a map."""
    if name == "swap" and given:
        exchange(Cell(vector), given[0])
        return UNKNOWN
    if name == "at" and given and (entry := entry_with_key(run, vector, given[0].load(), frame)) is not None:
        return entry.load()
    return _of_vector(vector, name, _elements(run, vector, name, [item.load() for item in given], frame))


def _elements(
    run: HostRun, vector: Structure, name: str, given: Sequence[object], frame: HostFrame
) -> Sequence[object]:
    """Return the arguments of a member of a vector, those of a new element as one."""
    if name == "emplace_back" and len(given) > 1 and is_record(run, vector.element):
        return [run.constructed(vector.element, given, frame).value]
    return [from_list(run, vector.element, item, frame) for item in given] if name == "push_back" else given


def _of_vector(  # noqa: C901, PLR0911  (the members of a vector)
    vector: Structure, name: str, given: Sequence[object]
) -> object:
    memory, size = vector.memory, vector.stride
    if memory is None:
        return UNKNOWN
    count = memory.size // size if memory.size is not None and size else None
    if name in {"size", "length"}:
        return count if count is not None else UNKNOWN
    if name == "empty":
        return int(count == 0) if count is not None else UNKNOWN
    if name in {"data", "begin", "cbegin"}:
        return Pointer(memory, 0, vector.element)
    if name in {"end", "cend"}:
        return Pointer(memory, memory.size, vector.element)
    if name in {"resize", "assign"} and given:
        wanted = given[0]
        memory.forget()
        memory.size = byte_count(wanted * size) if isinstance(wanted, int) and size else None
        if name == "assign" and len(given) > 1 and given[1] == 0 and memory.size is not None:
            memory.fill(0, 0, memory.size)
    elif name in {"push_back", "emplace_back"} and given:
        if count is None or size is None:
            memory.forget()
            return UNKNOWN
        _append(memory, vector, given[0], count * size)
    elif name == "clear":
        memory.forget()
        memory.size = 0
    elif name in {"back", "front"} and count:
        return memory.load((count - 1) * (size or 1) if name == "back" else 0, vector.element)
    elif name not in {"reserve", "shrink_to_fit"}:
        memory.forget()
        memory.size = None
    return UNKNOWN


def _append(memory: Memory, vector: Structure, value: object, end: int) -> None:
    size = vector.element.stride
    data, known, objects = memory.contents() or bytes(memory.data), bytes(memory.known), dict(memory.objects)
    if memory.filled is not None:
        known = b"\1" * end
    memory.forget()
    memory.size = end + size
    memory.objects.update(objects)
    if len(data) == end and vector.element.format:
        memory.data, memory.known = bytearray(data + bytes(size)), bytearray(known + b"\0" * size)
    HostElement(memory, end, vector.element).store(value)
