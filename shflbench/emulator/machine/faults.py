"""Faults: what stops a kernel while it runs, with its place, its threads and the memory that it concerns."""

from enum import StrEnum

from shflbench.emulator.link.program import Op
from shflbench.errors import EmulatorError


class FaultKind(StrEnum):
    """Why a kernel stops; `HazardKind` has a member of the same name for each."""

    OUT_OF_BOUNDS = "out of bounds"
    MISALIGNED = "misaligned address"
    READ_ONLY = "write to read-only memory"
    OTHER_LOCAL = "local memory of another thread"
    ASSERT_FAILED = "failed assertion"
    TRAPPED = "trap"
    DEADLOCK = "deadlock"
    ENDLESS = "endless loop"
    STACK = "recursion too deep"
    BARRIER_IMPOSSIBLE = "barrier that cannot complete"


class KernelFault(EmulatorError):  # noqa: N818  (the CUDA driver calls them faults)
    """A fault of the kernel that stops its launch under this schedule; other errors are limits of the emulator.

    Accesses to memory that fault do not stop a launch that drops them (`dropped.py`).
    """

    def __init__(  # noqa: PLR0913  (all but the first two by name)
        self,
        message: str,
        advice: str = "",
        *,
        kind: FaultKind,
        op: Op | None = None,
        other: Op | None = None,
        threads: tuple[tuple[int, int], ...] = (),
        detail: str = "",
        variable: str = "",
        buffer: int | None = None,
        low: int = 0,
        high: int = 0,
        elsewhere: Op | None = None,
        full_mask: bool = False,
    ) -> None:
        """Keep the sentence, and what it names.

        `other` is an earlier instruction without which it would not happen, `threads` are (block, index in the block),
        `detail` says what is wrong with the bytes, `variable` and `buffer` are the name and the number in the launch of
        what holds them, and `low` to `high` the range of bytes that were accessed, relative to the start of the buffer,
        or of the part of its space for other memory; `high` is the first byte after them. Of a deadlock, `elsewhere` is
        where the second thread waits, and the first one may wait with a `full_mask`.
        """
        super().__init__(message, advice)
        self.kind, self.op, self.other, self.threads, self.detail = kind, op, other, threads, detail
        self.variable, self.buffer, self.low, self.high = variable, buffer, low, high
        self.elsewhere, self.full_mask = elsewhere, full_mask

    @property
    def thread(self) -> tuple[int, int] | None:
        """The first of the threads, None if the fault concerns the launch as a whole."""
        return self.threads[0] if self.threads else None
