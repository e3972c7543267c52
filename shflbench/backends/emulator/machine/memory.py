"""Memory spaces: bytes with bounds and alignment."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.backends.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError

ALIGNMENT = 256  # of allocations, as cudaMalloc's
GUARD = 256  # unallocated bytes between allocations


@dataclass(frozen=True, slots=True)
class Fault(Exception):  # noqa: N818  (becomes an EmulatorError once the instruction is known)
    """An access out of bounds or misaligned: by which thread, and why."""

    position: int  # among the threads of the access
    why: str


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

    def view(self, type_: str) -> Values:
        """Return the memory as an array of elements."""
        return self.bytes.view(type_)

    def locate(self, addresses: Values, part_numbers: Values | None, size: int, element: int) -> Values:
        """Return indices into `view` of an element's type; Fault if an access of `size` bytes is out of bounds."""
        offsets = addresses.astype(np.int64) - self.base
        low, high = int(offsets.min()), int(offsets.max())
        if low < 0 or high + size > self.size:
            wrong = (offsets < 0) | (offsets + size > self.size)
            raise self._outside(int(np.argmax(wrong)), offsets, size)
        if size > 1 and (offsets & (size - 1)).any():
            position = int(np.argmax((offsets & (size - 1)) != 0))
            why = f"address {int(offsets.flat[position]) + self.base:#x} is not a multiple of {size}"
            raise Fault(position, why)
        if self.allocations:
            self._check_allocations(offsets, low, high, size)
        if part_numbers is not None:
            offsets += part_numbers * self.stride
        return offsets // element

    def _check_allocations(self, offsets: Values, low: int, high: int, size: int) -> None:
        if any(start <= low and high + size <= end for start, end in self.allocations):
            return
        inside = np.zeros(offsets.shape, np.bool_)
        for start, end in self.allocations:
            inside |= (offsets >= start) & (offsets + size <= end)
        if not inside.all():
            raise self._outside(int(np.argmin(inside)), offsets, size)

    def _outside(self, position: int, offsets: Values, size: int) -> Fault:
        offset = int(offsets.flat[position])
        if self.allocations:
            start, end = min(self.allocations, key=lambda part: max(part[0] - offset, offset + size - part[1]))
            index = self.allocations.index((start, end))
            name = f"`{self.names[index]}`" if self.names else f"buffer {index}"
            return Fault(position, f"byte {offset - start} of the {end - start} bytes of {name}")
        return Fault(position, f"byte {offset} of the {self.size} bytes of {self.name} memory")
