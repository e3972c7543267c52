"""One bulk copy, or asynchronous store, and the bytes of memory that it accesses."""

from dataclasses import dataclass
from typing import NamedTuple

from shflbench.emulator.link.program import Op
from shflbench.emulator.opcodes.forms import Apply, Values


class Region(NamedTuple):
    """Bytes of a memory space, in all of its parts."""

    space: str
    start: int
    end: int

    def overlaps(self, other: "Region") -> bool:
        """Return whether two regions have a byte in common."""
        return self.space == other.space and self.start < other.end and other.start < self.end


@dataclass(slots=True, eq=False)
class BulkCopy:
    """One copy: of memory, or of values that a thread stores."""

    op: Op
    thread: int
    target: Region
    source: Region | None
    values: Values | None = None  # that are stored, or combined with memory
    update: Apply | None = None
    barrier: int | None = None  # the element of shared memory that counts its bytes; None: its thread's group does
    group: int = 0
    tests: int = 0
    phase: int | None = None  # of the barrier, in which it was counted; None until it is complete

    @property
    def by_proxy(self) -> bool:
        """Whether it accesses memory by the async proxy: stores do not."""
        return self.source is not None

    def meets(self, other: "BulkCopy") -> bool:
        """Return whether this copy and another one have bytes in common that one of them writes."""
        if self.target.overlaps(other.target):
            return True
        reads_other = self.source is not None and self.source.overlaps(other.target)
        return reads_other or (other.source is not None and self.target.overlaps(other.source))
