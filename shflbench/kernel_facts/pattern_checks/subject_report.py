"""The report on a pattern's kernel: the checker's, which kernel it is, and what compute-sanitizer found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.checker import KernelReport, KernelVerdict
    from shflbench.core.model import Case
    from shflbench.kernel_facts.pattern_checks.sanitizer_result import SanitizerResult


@dataclass(frozen=True, slots=True)
class SubjectReport:
    """The result of checking one kernel of a pattern."""

    case: Case  # with the launch at which it was checked
    safe: bool  # as declared
    revision: str  # `kernel_revision` of the source that was checked
    kernel: KernelReport
    sanitizer: SanitizerResult | None = None  # None where compute-sanitizer was not run
    rejection: str = ""  # why the compiler rejects it; "" where it compiles, or has other parameters than declared

    @property
    def verdict(self) -> KernelVerdict:
        """The verdict on the kernel."""
        return self.kernel.verdict
