"""Memory spaces: bytes with bounds and alignment."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.core.symbols import plain_name
from shflbench.emulator.link.program import PlacedVariable
from shflbench.emulator.machine.faults import FaultKind
from shflbench.emulator.opcodes.forms import Number, Values
from shflbench.errors import EmulatorError

ALIGNMENT = 256  # of allocations, as cudaMalloc's
GUARD = 1 << 16  # unallocated bytes behind an allocation, at least: an index beyond its end hits no other one
LARGEST_GUARD = 1 << 22  # behind an allocation of some size, whose rows an index may miss by several
NULL_BYTES = 1 << 16  # an address below is a null pointer plus an offset; no GPU maps it


@dataclass(frozen=True, slots=True)
class Fault(Exception):  # noqa: N818  (becomes an EmulatorError once the instruction is known)
    """An access out of bounds or misaligned: by which thread, and why."""

    position: int  # among the threads of the access
    why: str
    kind: FaultKind
    low: int = 0  # first byte, from the start of the buffer or of the part of the space
    size: int = 0
    buffer: int | None = None  # number of the buffer that is meant, in global memory
    offset: int = 0  # first byte, from the start of the space or of the part of it
    variable: str = ""  # how messages name what the bytes are counted in


@dataclass(slots=True)
class MemorySpace:
    """Memory of one state space: `parts` of `size` bytes each (per block if shared, per thread if local, else one)."""

    name: str
    parts: int
    size: int
    base: int = 0  # address of the first byte
    bytes: Values = field(init=False)
    stride: int = field(init=False)
    allocations: list[tuple[int, int]] = field(default_factory=list)  # (start, end) of the valid ranges; empty: all
    filled: list[tuple[int, int]] = field(default_factory=list)  # the ranges that hold values before the launch
    names: Sequence[str] = ()  # of the valid ranges
    heap_start: int = 0  # first byte of the memory of `malloc`; 0: there is none

    def __post_init__(self) -> None:
        """Allocate, aligned for the widest access."""
        self.stride = -(-self.size // 16) * 16
        try:
            self.bytes = np.zeros(max(self.parts * self.stride, 16), np.uint8)
        except (MemoryError, ValueError) as error:
            raise EmulatorError(
                f"the launch needs {self.parts}×{self.size} bytes of {self.name} memory",
                "Choose a smaller launch.",
            ) from error

    @property
    def used_bytes(self) -> int:
        """How many of `bytes` a launch can have accessed: the first ones."""
        return self.bytes.size

    def view(self, type_: str) -> Values:
        """Return the memory as an array of elements."""
        return self.bytes.view(type_)

    def locate(self, addresses: Values, starts: Values | None, size: int, element: int) -> Values:
        """Return indices into `view` of an element's type; Fault if an access of `size` bytes is out of bounds.

        `starts` are the first bytes of the parts that the addresses lie in, None for a space of one part.
        """
        offsets = self._checked(addresses, size)
        if starts is not None:
            offsets += starts
        return offsets // element

    def _checked(self, addresses: Values, size: int) -> Values:
        """Return bytes from the start of the space, or of its parts, for accesses of `size` bytes there; or Fault."""
        offsets: Values = addresses - self.base
        low, high = int(np.minimum.reduce(offsets, axis=None)), int(np.maximum.reduce(offsets, axis=None))
        if low < 0 or high + size > self.size:
            wrong = (offsets < 0) | (offsets + size > self.size)
            raise self._outside(int(np.argmax(wrong)), offsets, size)
        if size > 1 and np.bitwise_or.reduce(offsets, axis=None) & (size - 1):
            position = int(np.argmax((offsets & (size - 1)) != 0))
            why = f"address {int(offsets.flat[position]) + self.base:#x} is not a multiple of {size}"
            inside = self._outside(position, offsets, size)
            raise Fault(position, why, FaultKind.MISALIGNED, inside.low, size, inside.buffer)
        if self.allocations:
            self._check_allocations(offsets, low, high, size)
        return offsets

    def part_of(self, byte: Number) -> Number:
        """Return the number of the part that a byte of `bytes` lies in."""
        return byte // max(self.stride, 1)

    def offset_of(self, byte: int) -> int:
        """Return where in the space, or in all of its parts, a byte of `bytes` lies."""
        return byte

    def faulty(self, addresses: Values, size: int) -> Values:
        """Return which accesses of `size` bytes are out of bounds or misaligned."""
        offsets = addresses - self.base
        inside = (offsets >= 0) & (offsets + size <= self.size)
        if self.allocations:
            inside &= self._in_allocations(offsets, size)
        faulty: Values = ~inside | (offsets & (size - 1) != 0)
        return faulty

    def _in_allocations(self, offsets: Values, size: int) -> Values:
        inside = np.zeros(offsets.shape, np.bool_)
        for start, end in self.allocations:
            inside |= (offsets >= start) & (offsets + size <= end)
        return inside

    def _check_allocations(self, offsets: Values, low: int, high: int, size: int) -> None:
        if any(start <= low and high + size <= end for start, end in self.allocations):
            return
        inside = self._in_allocations(offsets, size)
        if not inside.all():
            raise self._outside(int(np.argmin(inside)), offsets, size)

    def _outside(self, position: int, offsets: Values, size: int) -> Fault:
        offset, kind = int(offsets.flat[position]), FaultKind.OUT_OF_BOUNDS
        if self.name == "global" and 0 <= offset + self.base < NULL_BYTES:
            return Fault(position, f"address {offset + self.base:#x} is that of a null pointer", kind, 0, size)
        if self.allocations:
            number = self.allocation(offset, size)
            start, end = self.allocations[number]
            if self.heap_start and start < self.heap_start <= offset:
                why = f"byte {offset - self.heap_start} of the heap, which malloc has not given, or which was freed"
                return Fault(position, why, kind, offset - self.heap_start, size, variable="the heap")
            label, buffer = self.label(number), number if self.name == "global" else None
            why = f"byte {offset - start} of the {end - start} bytes of {label}"
            return Fault(position, why, kind, offset - start, size, buffer, offset, label)
        label = f"{self.name} memory"
        why = f"byte {offset} of the {self.size} bytes of {label}"
        return Fault(position, why, kind, offset, size, None, offset, label)

    def allocation(self, offset: int, size: int) -> int:
        """Return the number of the valid range that holds these bytes, or that is nearest to them."""
        distances = [max(start - offset, offset + size - end) for start, end in self.allocations]
        return distances.index(min(distances))

    def label(self, number: int) -> str:
        """Return how messages name a valid range."""
        if number < len(self.names):
            name = _variable_name(self.names[number])
            return name if " " in name else f"`{name}`"
        return f"buffer {number}" if self.name == "global" else f"variable {number} of {self.name} memory"


def set_bounds(space: MemorySpace, variables: Sequence[PlacedVariable], end: int, dynamic: int = 0) -> None:
    """Give a space the bounds of its variables, which end at `end`, and of `dynamic` bytes behind them."""
    bounds = [(place.start, place.start + (place.size or dynamic)) for place in variables]
    names = ["local memory" if place.name.startswith("__local_depot") else place.name for place in variables]
    if dynamic and all(place.size for place in variables):
        bounds.append((end, end + dynamic))
        names.append("dynamic shared memory")
    if space.size > end + dynamic:
        bounds.append((end + dynamic, space.size))
        names.append("memory that the system reserves")
    space.allocations, space.names = bounds, names


def _variable_name(symbol: str) -> str:
    """Return the name of a variable in C++: `a::b` for `_ZN1a1bE`, `s` for `_ZZ1kPiE1s`, declared inside a function.

    Source: Itanium C++ ABI, section 5.1.7: the name follows the last `E`, with its length; a suffix tells equal names
    apart, or variables into which NVVM divides a structure: `_$_0`, `_$_1`. The linker writes `function::` before the
    symbol of a variable that the PTX declares inside a function.
    """
    symbol = re.sub(r".*::", "", symbol)
    for match in reversed(list(re.finditer(r"E(?=(\d+)([\w$]+)$)", symbol))):
        length, name = int(match[1]), match[2]
        if re.fullmatch(r"(_\d+|\$?__\d+)?", name[length:]):
            return name[:length]
        if part := re.fullmatch(r"_\$_(\d+)", name[length:]):
            return f"part {part[1]} of `{name[:length]}`"
    return plain_name(symbol)
