"""The table of litmus tests of bulk copies: one thread accesses 16 bytes that another one's copy reads or writes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from tests.litmus.table import USED

NONE, FIRST, SECOND = "", "first", "second"


@dataclass(frozen=True)
class BulkLitmus:
    """One row. The first thread acts before the barrier of the block, if there is one, and the second one after it."""

    copy: str  # load: from global to shared memory; store: back
    by: str  # the thread that copies: the other one accesses memory
    side: str  # of the copy that is accessed: source or target
    access: str  # read or write
    barrier: bool
    fence: str = NONE  # the thread that executes fence.proxy.async after its access, or before its copy
    early_fence: str = NONE  # the same before its access, or before the barrier
    wait: str = NONE  # for the completion of the copy: by its thread, by the second one, or only for the source
    used: str = NONE  # whether an instruction uses what the first thread reads before its fence and the barrier

    @property
    def name(self) -> str:
        """The row as a word."""
        parts = [self.copy, self.by, self.side, self.access, "barrier" if self.barrier else NONE]
        named = (("fence", self.fence), ("early fence", self.early_fence), ("wait", self.wait))
        words = [*parts, *(f"{name} by {thread}" for name, thread in named if thread), self.used]
        return "-".join(filter(None, words))


SIDES = (("load", "target"), ("store", "source"), ("store", "target"))


def bulk_rows() -> list[BulkLitmus]:
    """Return all rows."""
    return [*_copies_after_accesses(), *_accesses_after_copies()]


def _copies_after_accesses() -> Iterator[BulkLitmus]:
    for (copy, side), access, barrier in product(SIDES, ("read", "write"), (False, True)):
        if (side, access) != ("source", "read"):
            uses = (NONE, USED) if access == "read" else (NONE,)
            for fence, early, used in product((NONE, FIRST, SECOND), (NONE, FIRST, SECOND), uses):
                yield BulkLitmus(copy, SECOND, side, access, barrier, fence, early, used=used)


def _accesses_after_copies() -> Iterator[BulkLitmus]:
    for (copy, side), access, barrier in product(SIDES, ("read", "write"), (False, True)):
        if (side, access) != ("source", "read"):
            for wait in (NONE, FIRST, SECOND if copy == "load" else "first only source"):
                yield BulkLitmus(copy, FIRST, side, access, barrier, wait=wait)
