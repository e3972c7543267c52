"""Values of host code: memory, pointers into it, structures, and what is not known."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.types import UNKNOWN_TYPE, HostType
from shflbench.cuda_sources.kernel_file import KernelOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node

MOST_NUMBER = 1 << 64
MOST_KEPT_BYTES = 1 << 20  # of one allocation whose contents are kept
MOST_ALLOCATED = 1 << 42  # bytes of one allocation; 4 TiB are more than any GPU has
MOST_FIRST = 1 << 16  # bytes that are kept of one with more
MOMENTS = count(1)  # which order what the host code does


class UnknownValue:
    """A value that the host code does not determine."""

    def __bool__(self) -> bool:
        """Unknown values are compared by `is`, never by truth."""
        raise TypeError

    def __repr__(self) -> str:
        """Show it."""
        return "UNKNOWN"


UNKNOWN = UnknownValue()


@dataclass(eq=False, slots=True)
class Memory:
    """One allocation of the host or of the device, with the part of its contents that is known."""

    size: int | None  # bytes
    device: bool = False
    data: bytearray = field(default_factory=bytearray)
    known: bytearray = field(default_factory=bytearray)  # a byte per byte: 1 where `data` is known
    filled: int | None = None  # the byte that fills all of it
    objects: dict[int, object] = field(default_factory=dict)  # pointers and structures by offset
    is_sorted: bool = False  # whether the contents are unknown, but in ascending order
    is_kept: bool = True  # whether contents that are stored are kept
    is_constant: bool = False  # declared `const`, so that no function changes it
    output: KernelOutput | None = None  # what a kernel wrote to it, where nothing else did since
    number: int | None = None  # among the allocations that launches got
    changed: int = 0  # the moment at which the host code last changed it; 0: a kernel did, or nothing
    first: bytearray = field(default_factory=bytearray)  # its first bytes, where the host code is not followed further
    stored: int = 0  # first bytes that were stored one number after another

    def forget(self) -> None:
        """Take all contents as unknown, but for those of a constant."""
        if self.is_constant:
            return
        self.is_sorted, self.output, self.changed = False, None, next(MOMENTS)
        self.data, self.known, self.filled = bytearray(), bytearray(), None
        self.first, self.stored = bytearray(), 0
        self.objects.clear()

    def first_bytes(self) -> bytes:
        """Return the first bytes, as far as they were stored one number after another."""
        return bytes((self.data or self.first)[: min(self.stored, MOST_FIRST)])

    def forget_rest(self, first: bytes | None = None) -> None:
        """Take the contents as unknown but for their first bytes, at which the host code is not followed further."""
        kept = self.first_bytes() if first is None else first
        self.forget()
        self.first[:], self.stored = kept, len(kept)

    def fill(self, byte: int | None, offset: int, count: int | None) -> None:
        """Set a range to one byte, which is None if it is unknown."""
        if byte is None or count is None or self.size is None or count < 0 or offset < 0:
            self.forget()
        elif offset == 0 and count >= self.size:
            self.forget()
            self.filled = byte
        elif self._kept():
            self.data[offset : offset + count] = bytes([byte]) * len(self.data[offset : offset + count])
            self.known[offset : offset + count] = b"\1" * len(self.known[offset : offset + count])
            self._drop_objects(offset, count)

    def copy(self, offset: int, source: Memory, start: int, count: int | None) -> None:
        """Copy a range of another allocation."""
        if count is None or count < 0 or offset < 0 or start < 0:
            self.forget()
        elif source.filled is not None and not source.objects:
            self.fill(source.filled, offset, count)
        elif self._kept() and source._has_bytes() and self._holds(offset, count) and source._holds(start, count):
            self.data[offset : offset + count] = source.data[start : start + count]
            self.known[offset : offset + count] = source.known[start : start + count]
            self.stored = min(source.stored, count) if offset == start == 0 else self.stored
            self._copy_objects(offset, source, start, count)
        else:
            first = source.first_bytes()[:count] if offset == start == 0 else b""
            self.forget_rest(first)
            if offset == start == 0 and count == self.size == source.size:
                self.is_sorted, self.output = source.is_sorted, source.output

    def copied(self) -> Memory:
        """Return other memory with the same contents."""
        made = Memory(self.size, self.device, bytearray(self.data), bytearray(self.known), self.filled)
        made.objects = {place: _copied(item) for place, item in self.objects.items()}
        return made

    def is_zero(self, offset: int, count: int) -> bool:
        """Whether a range is known to be zero."""
        if self.filled is not None:
            return self.filled == 0
        part = self.known[offset : offset + count]
        return len(part) == count and b"\0" not in part and not any(self.data[offset : offset + count])

    def _holds(self, offset: int, count: int) -> bool:
        return offset + count <= len(self.known)

    def _has_bytes(self) -> bool:
        """Make room for the contents if structures or pointers lie in it; True if there are none."""
        return not self.objects or bool(self.data) or self._kept()

    def _copy_objects(self, offset: int, source: Memory, start: int, count: int) -> None:
        self._drop_objects(offset, count)
        for place, item in list(source.objects.items()):
            if start <= place < start + count:
                self.objects[place - start + offset] = _copied(item)

    def _drop_objects(self, offset: int, count: int) -> None:
        for place in [place for place in self.objects if offset <= place < offset + count]:
            del self.objects[place]

    def sort(self, first: int, last: int, type_: HostType) -> None:
        """Sort a range of numbers in ascending order."""
        size = type_.size if type_.format else None
        whole = size is not None and 0 <= first <= last and (last - first) % size == 0
        if not whole or last > len(self.known) or b"\0" in self.known[first:last]:
            output = self.output
            self.forget()
            self.is_sorted = whole and first == 0 and last == self.size
            if self.is_sorted and output is not None:
                self.output = KernelOutput(output.by, output.number, type_.format)
            return
        form = f"={(last - first) // (type_.size or 1)}{type_.format}"
        self.data[first:last] = struct.pack(form, *sorted(struct.unpack(form, self.data[first:last])))

    def load(self, offset: int | None, type_: HostType) -> object:
        """Return the value at an offset."""
        if offset is None:
            return UNKNOWN
        if not type_.format:
            return self.objects.get(offset, UNKNOWN)
        size = type_.size or 1
        if self.filled is not None:
            return struct.unpack(type_.format, bytes([self.filled]) * size)[0]
        if offset < 0 or b"\0" in self.known[offset : offset + size] or len(self.known) < offset + size:
            return UNKNOWN
        return struct.unpack_from(type_.format, self.data, offset)[0]

    def store(self, offset: int | None, type_: HostType, value: object) -> None:
        """Store a value at an offset."""
        if offset is None:
            self.forget()
        elif not type_.format:
            self.objects[offset] = value
            if (self.filled is not None or self.data) and self._kept() and 0 <= offset < len(self.data):
                end = min(offset + (type_.size or 1), len(self.data))
                self.known[offset:end] = bytes(end - offset)  # no number that is stored before
        elif self._kept() and 0 <= offset <= len(self.data) - (type_.size or 1):
            if isinstance(value, int | float):
                self.put(offset, type_, value)
            else:
                self.known[offset : offset + (type_.size or 1)] = bytes(type_.size or 1)
        elif isinstance(value, int | float) and 0 <= offset <= len(self.first) < MOST_FIRST:
            end = offset + (type_.size or 1)
            self.first[offset:end] = _packed(type_, value)
            self._note(offset, end, value)

    def put(self, offset: int, type_: HostType, value: float) -> None:
        """Store a number in contents that are kept already, within their bounds."""
        packed = _packed(type_, value)
        end = offset + len(packed)
        self.data[offset:end], self.known[offset:end] = packed, b"\1" * len(packed)
        self._note(offset, end, value)

    def _note(self, offset: int, end: int, value: object) -> None:
        if isinstance(value, int | float) and offset in {0, self.stored}:
            self.stored = end

    def contents(self) -> bytes | None:
        """Return all bytes, None if one is unknown."""
        if self.filled is not None and self.size is not None and self.size <= MOST_KEPT_BYTES:
            return bytes([self.filled]) * self.size
        return bytes(self.data) if self.data and b"\0" not in self.known else None

    def _kept(self) -> bool:
        """Make room for the contents; False if they are too many."""
        self.is_sorted, self.output, self.changed = False, None, next(MOMENTS)
        if self.size is None or self.size > MOST_KEPT_BYTES or not self.is_kept:
            self.filled = None
            return False
        if len(self.data) != self.size:
            self.data = bytearray([self.filled or 0]) * self.size
            self.known = bytearray([int(self.filled is not None)]) * self.size
            first = self.first[: self.size]
            self.data[: len(first)], self.known[: len(first)] = first, b"\1" * len(first)
        self.filled = None
        return True


def _packed(type_: HostType, value: object) -> bytes:
    try:
        return struct.pack(type_.format, type_.convert(value))
    except (OverflowError, struct.error):
        return bytes(type_.size or 1)


@dataclass(frozen=True, slots=True)
class Pointer:
    """An address in an allocation."""

    memory: Memory
    offset: int | None = 0  # bytes
    target: HostType = UNKNOWN_TYPE

    def moved(self, count: object) -> Pointer:
        """Return the pointer so many elements further."""
        size = self.target.size if self.memory.device or self.memory.data else self.target.stride
        if not isinstance(count, int) or self.offset is None or size is None:
            return Pointer(self.memory, None, self.target)
        return Pointer(self.memory, self.offset + count * size, self.target)


@dataclass(eq=False, slots=True)
class Cell:
    """A variable, or a field of a structure."""

    value: object = UNKNOWN
    type: HostType = UNKNOWN_TYPE

    def load(self) -> object:
        """Return the value."""
        return self.value

    def store(self, value: object) -> None:
        """Set the value, as a value of the variable's type."""
        self.value = as_type(value, self.type)


@dataclass(frozen=True, slots=True)
class HostElement:
    """A place in memory that can be assigned to."""

    memory: Memory
    offset: int | None
    type: HostType

    def load(self) -> object:
        """Return the value; an array is the address of its first element."""
        if self.type.target is not None and self.type.is_array:
            return Pointer(self.memory, self.offset, self.type.target)
        return self.memory.load(self.offset, self.type)

    def store(self, value: object) -> None:
        """Set the value."""
        known = UNKNOWN if isinstance(value, InputNumber) else as_type(value, self.type)
        self.memory.store(self.offset, self.type, known)


@dataclass(frozen=True, slots=True)
class CellAddress:
    """The address of a variable."""

    cell: Cell


@dataclass(eq=False, slots=True)
class Structure:
    """A value of a structure or a class, such as `std::vector`, whose elements lie in `memory`."""

    type: HostType
    fields: dict[str, Cell] = field(default_factory=dict)
    memory: Memory | None = None
    element: HostType = UNKNOWN_TYPE
    bound: Mapping[str, object] = field(default_factory=dict)  # arguments of a class template

    def copied(self) -> Structure:
        """Return a copy, as an assignment makes it."""
        fields = {name: Cell(_copied_field(cell), cell.type) for name, cell in self.fields.items()}
        memory = self.memory.copied() if self.memory is not None else None
        return Structure(self.type, fields, memory, self.element, self.bound)

    @property
    def stride(self) -> int | None:
        """The bytes from one element of a vector to the next; None on the device if the size of one is unknown."""
        is_of_device = self.memory is not None and self.memory.device
        return self.element.size if is_of_device else self.element.stride

    def field(self, name: str) -> Cell:
        """Return a field; one that nobody declared is unknown."""
        return self.fields.setdefault(name, Cell())


def _copied(value: object) -> object:
    return value.copied() if isinstance(value, Structure) else value


def _copied_field(cell: Cell) -> object:
    """Return the value of a field in a copy of its structure; an array is a part of it."""
    if cell.type.is_array and isinstance(cell.value, Pointer):
        return Pointer(cell.value.memory.copied(), cell.value.offset, cell.value.target)
    return _copied(cell.value)


@dataclass(frozen=True, slots=True)
class Designated:
    """A value of a list in braces with the member that it is for: `.size = 4`."""

    member: str
    value: object


@dataclass(frozen=True, slots=True)
class HostCallable:
    """A function or a lambda expression as a value."""

    name: str
    node: Node | None = None  # of a lambda expression
    # Of a lambda expression: takes the arguments, and those of its template.
    call: Callable[[Sequence[Cell | HostElement], Sequence[str]], object] | None = None
    template: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A string; one of the command line may stand for a number that is not known."""

    text: str | None
    place: int | None = None  # in `argv`
    is_input: bool = False  # the program reads it elsewhere


class InputNumber(int):
    """A number in a text that the program reads: among the elements of an array it is data, and not known."""


def target_value(value: object) -> object:
    """Return what a pointer or the address of a variable points to."""
    if isinstance(value, Pointer):
        return HostElement(value.memory, value.offset, value.target).load()
    return value.cell.load() if isinstance(value, CellAddress) else UNKNOWN


def byte_count(value: object) -> int | None:
    """Return the bytes of an allocation; None for a number that is not known, or of bytes that no machine has."""
    count = int(value) if isinstance(value, int | float) and isfinite(value) else None
    return count if count is not None and 0 <= count <= MOST_ALLOCATED else None


def check_bounds(value: float) -> object:
    """Return a number of C++; UNKNOWN for one that no integer type holds, for infinity, and for no number."""
    if isinstance(value, float):
        return value if isfinite(value) else UNKNOWN
    return value if -MOST_NUMBER < value < MOST_NUMBER else UNKNOWN


def as_type(value: object, type_: HostType) -> object:
    """Return a value after conversion to the type of a variable."""
    if type_.format:
        return type_.convert(value)
    if isinstance(value, Pointer) and type_.target is not None and type_.target.name not in {"void", ""}:
        return value if value.target is type_.target else Pointer(value.memory, value.offset, type_.target)
    if type_.name == "dim3" and isinstance(value, int):
        return (value, 1, 1)
    return value.copied() if isinstance(value, Structure) else value


def type_name(value: object, *, pointer: bool) -> str | None:
    """Return the type of a value, or of what it points to, as C++ writes it."""
    if pointer:
        return value.target.name or None if isinstance(value, Pointer) else None
    if isinstance(value, Structure):
        return value.type.name
    if isinstance(value, Pointer):
        return f"{value.target.name} *"
    if isinstance(value, CellAddress):
        return None
    return {int: "int", float: "float"}.get(type(value))
