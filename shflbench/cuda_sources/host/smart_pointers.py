"""Smart pointers of host code: `std::unique_ptr`, `std::shared_ptr`, `thrust::device_ptr`.

A variable of such a type has the value of a plain pointer, so that what is known of one holds for the other: memory is
not followed to the end of its lifetime, which no launch depends on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.types import UNKNOWN_TYPE
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, CellAddress, Pointer, Structure, byte_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame

MAKERS = frozenset(
    {"make_unique", "make_shared", "make_unique_for_overwrite", "make_shared_for_overwrite", "device_malloc"}
)
_MEMBERS = frozenset({"get", "reset", "release", "swap"})


def make(run: HostRun, name: str, template: Sequence[object], given: Sequence[Reference], frame: HostFrame) -> object:
    """Return what `std::make_unique<T[]>(n)` or `std::make_shared<T>(a, b)` points to."""
    text = str(template[0]).strip() if template else ""
    values = [item.load() for item in given]
    if not text or (name != "device_malloc" and not text.endswith("]")):
        return CellAddress(run.constructed(run.type(text, frame), values, frame))
    element = run.type(text.partition("[")[0], frame)
    count = values[0] if values else UNKNOWN
    size = byte_count(count * element.size) if isinstance(count, int) and element.size is not None else None
    memory = run.state.memory(size, device=name == "device_malloc")
    if name in {"make_unique", "make_shared"} and size is not None:
        memory.fill(0, 0, size)
    return Pointer(memory, 0, element)


def is_member(place: Reference, value: object, name: str) -> bool:
    """Whether `value.name(…)` is a call of a member of a smart pointer; other pointers have no members."""
    return name in _MEMBERS and (isinstance(value, Pointer | CellAddress) or place.type.is_smart)


def member(place: Reference, value: object, name: str, given: Sequence[Reference]) -> object:
    """Return the result of a member of a smart pointer."""
    if name in {"release", "reset"}:
        place.store(given[0].load() if given else 0)
    elif name == "swap" and given:
        exchange(place, given[0])
    return UNKNOWN if name in {"reset", "swap"} else value


def exchange(one: Reference, other: Reference) -> None:
    """Exchange the values of two variables, as `std::swap` does."""
    first, second = one.load(), other.load()
    if isinstance(first, Structure) and isinstance(second, Structure):
        first.fields, second.fields = second.fields, first.fields
        first.memory, second.memory = second.memory, first.memory
        return
    untyped = isinstance(one, Cell) and isinstance(other, Cell) and UNKNOWN_TYPE in {one.type, other.type}
    if untyped:
        one.value, other.value = second, first  # type: ignore[union-attr]
    else:
        one.store(second)
        other.store(first)
