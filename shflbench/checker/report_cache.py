"""Cache the reports on files by content.

A report depends on the PTX, on what the host code says of launches, on the texts that it names lines of, on the options
and on the code of the checker, and not on the machine. One that the time limit shortened is not kept.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from shflbench.checker.file_check import CheckStep, check_kernels
from shflbench.checker.finding import Finding, FindingAccess, WeakOrderPlace
from shflbench.checker.inputs.argument import NamedValue
from shflbench.checker.report import FileReport, KernelReport, LaunchRecord
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.cuda.compile.data_cache import DataCache
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.link.weak_orders import Weakness
from shflbench.emulator.races.facts import MemoryBytes, UnorderedReason
from shflbench.emulator.races.hazards import Absence, HazardKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from shflbench.checker.options import FileOptions
    from shflbench.cuda_sources.kernel_file import KernelFile

REPORT = "check-report"  # ending of the files
OF_FINDINGS = (Finding, FindingAccess, WeakOrderPlace, MemoryBytes)
RECORDS = (FileReport, KernelReport, LaunchRecord, NamedValue, SourceLine, SourceNote, *OF_FINDINGS)
ENUMS = (KernelVerdict, Level, HazardKind, Absence, Origin, UnorderedReason, Weakness)


def cached_report(file: KernelFile, options: FileOptions, watch: Callable[[CheckStep], None]) -> FileReport:
    """Return what `check_kernels` returns, with the same steps, from the cache of the options if it has the report."""
    cache = DataCache(options.compilers.cache, REPORT, (*RECORDS, *ENUMS))
    path = _path(cache, file, options)
    stored = cache.read(path)
    if isinstance(stored, FileReport):
        for number, kernel in enumerate(stored.kernels, 1):
            watch(CheckStep(number, len(stored.kernels), kernel.name, kernel))
        return stored
    report = check_kernels(file, options, watch)
    is_of_kernels = all(kernel.symbol for kernel in report.kernels)  # and no step was left out
    if is_of_kernels and not options.budget.has_timed_out and not any(kernel.outputs for kernel in report.kernels):
        cache.write(path, report)
    return report


def _path(cache: DataCache, file: KernelFile, options: FileOptions) -> Path | None:
    """Return the entry of a report; None if there is no cache, or if not all that determines the report is known."""
    compiled = {item.name: getattr(options.compile, item.name) for item in fields(options.compile)}
    compiled.pop("budget")
    limits = options.limits
    # Neither the compilers, because the PTX is known, nor the limit of time.
    decisive = (
        *(compiled, options.host, options.given, options.kernels, options.outputs, options.several),
        *(limits.most_work, limits.shares, limits.options),
    )
    try:
        texts = {str(path): path.read_bytes() for path in sorted({file.path, *file.files.values()})}
    except OSError:
        return None
    return cache.path(decisive, file, texts)
