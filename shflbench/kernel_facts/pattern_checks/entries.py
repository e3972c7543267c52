"""The kernels that `check` shows: those of files, and those of patterns, of which some differ in dtype only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict
from shflbench.core.files import relative
from shflbench.core.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from shflbench.checker import FileReport, KernelReport
    from shflbench.kernel_facts.pattern_checks.sanitizer_result import SanitizerResult
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel, or kernels of a variant with the same result for several element types."""

    name: str  # `reduce<float>`, or pattern, variant and options: `neighbor/shfl`
    kernel: KernelReport  # that is shown for all
    dtypes: tuple[str, ...] = ()  # of a pattern's kernels
    sanitizer: SanitizerResult | None = None
    file: Path | None = None  # of a kernel of a file

    @property
    def title(self) -> str:
        """The name with the element types: `neighbor/shfl (f32 f64)`."""
        return f"{self.name} ({' '.join(self.dtypes)})" if self.dtypes else self.name

    @property
    def name_in_file(self) -> str:
        """The name after that of the file: `a.cu: reduce<float>`."""
        return f"{relative(self.file.absolute(), Path.cwd())}: {self.name}" if self.file else self.name


def entries_of(reports: Sequence[SubjectReport], files: Sequence[FileReport]) -> list[Entry]:
    """Return what to show: kernels of patterns, those that differ in dtype only as one, then those of files."""
    shown = [_of_subjects(alike) for alike in group_by(reports, _result).values()]
    return shown + [Entry(kernel.name, kernel, file=file.path) for file in files for kernel in file.kernels]


def _of_subjects(alike: Sequence[SubjectReport]) -> Entry:
    case = alike[0].case
    name = "/".join((case.pattern, case.variant, *(f"{name}={value}" for name, value in case.options)))
    dtypes = tuple(report.case.dtype for report in alike)
    return Entry(name, alike[0].kernel, dtypes, alike[0].sanitizer)


def _result(report: SubjectReport) -> Hashable:
    """Return what the kernels of one entry have in common."""
    case, kernel = report.case, report.kernel
    findings = frozenset((finding.kind, finding.place, finding.other) for finding in kernel.findings)
    wrong = kernel.expectation.wrong if kernel.expectation else ()
    # The sentence on a kernel that does not compile begins with its name.
    sentence = report.rejection if kernel.verdict is KernelVerdict.NOT_COMPILED else kernel.sentence
    sanitized = report.sanitizer.sentence if report.sanitizer else None
    return kernel.place, case.pattern, case.variant, case.options, kernel.verdict, sentence, wrong, findings, sanitized
