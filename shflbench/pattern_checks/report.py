"""The report on one kernel, and its findings in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.finding_words import finding_sentence

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.checker import KernelVerdict, SourceLine
    from shflbench.checker.races.hazards import HazardKind
    from shflbench.pattern_checks.sanitizer_result import SanitizerResult


@dataclass(frozen=True, slots=True)
class KernelFinding:
    """One kind of hazard at one place, with the threads (block, index in the block) of its first occurrence."""

    kind: HazardKind
    place: SourceLine | None
    other: SourceLine | None  # the earlier access of a race, or the other barrier
    threads: tuple[tuple[int, int], ...]

    def sentence(self, base: Path) -> str:
        """Return the finding as a sentence; files relative to the folder `base`."""
        threads = [f"thread {thread} of block {block}" for block, thread in self.threads]
        apart = len({block for block, _ in self.threads}) > 1
        return finding_sentence((self.kind,), (self.place, self.other), threads, base, across_blocks=apart)


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
