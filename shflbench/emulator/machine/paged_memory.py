"""Global memory of a launch of which some blocks run: only the pages that its threads access take memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.opcodes.addresses import GLOBAL_BASE
from shflbench.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError

BITS = 8
PAGE = 1 << BITS  # bytes: those of a column of a matrix, which has a page per row, take little
MOST_WHOLE = 1 << 18  # pages of buffers all of which a launch may access
MOST_PAGES = 1 << 14  # of larger buffers: rules that observe accesses need several times the memory
GAP = 1 << 32  # unallocated bytes behind a buffer, so that an index beyond its end hits no other one


@dataclass(frozen=True, slots=True, eq=False)
class PagedBuffer:
    """A buffer of `size` bytes; its contents repeat if they are fewer, which are whole pages."""

    contents: Values
    size: int


@dataclass(slots=True)
class PagedMemory(MemorySpace):
    """Buffers whose pages get memory by the first access to them; `locate` translates addresses."""

    contents: Sequence[Values] = field(init=False)  # of each buffer: rows of a page, which repeat
    frames: Values = field(init=False)  # by page: the number of its memory, 0 without
    pages: Values = field(init=False)  # by the number of the memory; that of 0 is not used
    used: int = 1  # numbers of memory

    def __post_init__(self) -> None:
        """Allocate what the pages of a launch may take."""
        pages = sum(_pages(end - start) for start, end in self.allocations)
        most = pages if pages <= MOST_WHOLE else MOST_PAGES
        try:
            self.frames = np.zeros(self.size // PAGE, np.int32)
            self.bytes = np.zeros((most + 1) * PAGE, np.uint8)
        except (MemoryError, ValueError) as error:
            raise EmulatorError(f"{self.size} bytes of buffers do not fit", "Choose a smaller launch.") from error
        self.pages = np.zeros(most + 1, np.int64)
        self.stride, self.filled = self.size, [(0, self.bytes.size)]

    @property
    def used_bytes(self) -> int:
        """The bytes of the pages that were accessed."""
        return self.used * PAGE

    def set_contents(self, buffers: Sequence[PagedBuffer]) -> None:
        """Begin a launch: pages that earlier runs accessed stay where they are, with the contents of the buffers."""
        whole = (np.resize(item.contents, _pages(item.contents.size) * PAGE) for item in buffers)
        self.contents = [contents.reshape(-1, PAGE) for contents in whole]
        self._fill(slice(1, self.used))

    def locate(self, addresses: Values, _starts: Values | None, size: int, element: int) -> Values:
        """Return indices into `view`; Fault if an access is out of bounds, EmulatorError if all memory is used."""
        offsets = self._checked(addresses, size)
        pages = offsets >> BITS
        frames = self.frames.take(pages)
        if not frames.all():
            self._map(np.unique(pages[frames == 0]))
            frames = self.frames.take(pages)
        offsets += (frames - pages) << BITS
        return offsets // element

    def offset_of(self, byte: int) -> int:
        """Return where in the space a byte of its memory lies."""
        return int(self.pages[byte // PAGE]) * PAGE + byte % PAGE

    def _map(self, pages: Values) -> None:
        new = slice(self.used, self.used + pages.size)
        if new.stop > self.pages.size:
            raise EmulatorError(f"the blocks access more than {self.bytes.size} bytes", "Choose a smaller launch.")
        self.frames[pages], self.pages[new], self.used = np.arange(new.start, new.stop), pages, new.stop
        self._fill(new)

    def _fill(self, numbers: slice) -> None:
        """Give pages the contents of their buffers, by the numbers of their memory."""
        memory, pages = self.bytes.reshape(-1, PAGE)[numbers], self.pages[numbers]
        for (start, end), rows in zip(self.allocations, self.contents, strict=False):  # without buffers, one of 0 bytes
            chosen = (pages >= start >> BITS) & (pages << BITS < end)
            memory[chosen] = rows[(pages[chosen] - (start >> BITS)) % max(len(rows), 1)]


def _pages(size: int) -> int:
    return -(-size // PAGE)


def paged_memory(buffers: Sequence[PagedBuffer]) -> PagedMemory:
    """Return memory with the places of these buffers."""
    parts, end = [], 0
    for buffer in buffers:
        parts.append((end, end + buffer.size))
        end += _pages(buffer.size) * PAGE + GAP
    return PagedMemory("global", 1, end, GLOBAL_BASE, parts or [(0, 0)])
