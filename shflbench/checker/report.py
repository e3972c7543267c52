"""The report on one kernel, and its findings in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from shflbench.backends.emulator.races.hazards import HazardKind
    from shflbench.checker.sanitizer_result import SanitizerResult
    from shflbench.checker.source_files import SourceLine
    from shflbench.checker.verdict import KernelVerdict


@dataclass(frozen=True, slots=True)
class KernelFinding:
    """One kind of hazard at one place, with the threads (block, index in the block) of its first occurrence."""

    kind: HazardKind
    place: SourceLine | None
    other: SourceLine | None  # the earlier access of a race, or the other barrier
    threads: tuple[tuple[int, int], ...]

    def sentence(self, base: Path) -> str:
        """Return the finding as a sentence; files relative to the folder `base`."""
        place = self.place.shown(base) if self.place else "a line that the compiler does not name"
        other = self.other.shown(base) if self.other else "a line that the compiler does not name"
        return f"{WORDS[self.kind.name].format(place=place, other=other)} ({_who(self.threads)})"


# By the names of the emulator's kinds of hazards; a test checks that none is missing.
WORDS = {
    "RAW": "RAW: {place} reads what {other} wrote, with no barrier between",
    "WAR": "WAR: {place} overwrites what {other} read, with no barrier between",
    "WAW": "WAW: {place} overwrites what {other} wrote, with no barrier between",
    "SAME_VALUE": "WAW of equal values: {place} overwrites what {other} wrote, with no barrier between",
    "UNINITIALIZED": "{place} reads memory that no thread has written",
    "UNINITIALIZED_UNUSED": "{place} reads memory that no thread has written, which has no effect on the result",
    "INACTIVE_SOURCE": "{place} reads from a lane that does not execute the shuffle",
    "NOT_IN_OWN_MASK": "{place} is executed by a lane that its own mask does not name",
    "MASKS_DIFFER": "{place} is executed with different masks by lanes that name one another",
    "EXITED": "the mask of {place} includes lanes that have exited",
    "ATOMIC_RACE": "race: {place} and {other} access the same memory, not both by atomics of one size and wide scope",
    "UNORDERED": "{place} and {other} access the same memory as volatile or relaxed, in no fixed order",
    "OUT_OF_BOUNDS": "{place} accesses memory out of bounds",
    "MISALIGNED": "{place} accesses a misaligned address",
    "READ_ONLY": "{place} writes to read-only memory",
    "ABSENT_VALUE": "{place} takes a value from a lane that has exited or was never started",
    "DIVERGENT_WARP_BARRIER": "{place} is a barrier that the lanes of a warp must execute together, and some do not",
    "BARRIER_SKIPPED": "threads exited before the barrier at {place}, at which others wait",
    "BARRIER_IMPOSSIBLE": "the barrier at {place} cannot complete",
    "ASSERT_FAILED": "the assertion at {place} fails",
    "TRAPPED": "{place} executes a trap",
    "DEADLOCK": "threads wait at {place} for others that never arrive",
    "ENDLESS": "the loop at {place} does not terminate",
    "STACK": "the recursion at {place} is too deep",
    "ACTIVEMASK": "{place} reads the mask of active lanes, which depends on the schedule",
}


@dataclass(frozen=True, slots=True)
class KernelReport:
    """The result of checking one kernel under all schedules."""

    pattern: str
    variant: str
    dtype: str
    options: tuple[tuple[str, str], ...]
    launch: str  # at which it was checked
    safe: bool  # as declared
    revision: str  # `kernel_revision` of the source that was checked
    place: SourceLine  # where the kernel begins
    verdict: KernelVerdict
    sentence: str
    findings: tuple[KernelFinding, ...] = ()
    wrong: tuple[str, ...] = ()  # the schedules under which the result was wrong
    mismatch: str = ""  # the first wrong value, in words
    errors: tuple[str, ...] = ()  # what stopped the kernel: deadlocks, endless loops, accesses out of bounds
    error_place: SourceLine | None = None  # of the first error
    violations: tuple[str, ...] = ()  # expected instruction counts that the machine code does not have
    sanitizer: SanitizerResult | None = None  # None where compute-sanitizer was not run


def _who(threads: Iterable[tuple[int, int]]) -> str:
    pairs = list(threads)
    if len({block for block, _ in pairs}) == 1 and len(pairs) > 1:
        return f"threads {' and '.join(str(thread) for _, thread in pairs)} of block {pairs[0][0]}"
    return " and ".join(f"thread {thread} of block {block}" for block, thread in pairs)
