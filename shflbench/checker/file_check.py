"""Check the kernels of a CUDA or PTX file that no pattern declares.

`check_file(path, options)` is the function that the command line, the Python API and the benchmarks call. It returns a
`FileReport`; what cannot be decided is a verdict of it, and only unusable input raises.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.dependent.check import chains_to_check
from shflbench.checker.file_reading import read_file, with_given_numbers
from shflbench.checker.inputs.linked import LinkedKernel
from shflbench.checker.kernel_check import KernelChecks, study_nothing
from shflbench.checker.linked_file import failed_file, link_file, rejected_kernels
from shflbench.checker.report import FileReport, KernelReport
from shflbench.checker.selection import chosen_kernels
from shflbench.checker.verdict import KernelVerdict
from shflbench.errors import CompileError, InputError, KernelError, NoKernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.checker.kernel_check import Study
    from shflbench.checker.options import FileOptions
    from shflbench.cuda_sources.kernel_file import KernelFile
    from shflbench.emulator.file_budget import FileBudget

LEAST_GAIN = 2  # times the part of the budget that was over, for which a kernel runs again
UNDECIDED = {KernelVerdict.NOT_CHECKED, KernelVerdict.NEEDS_ARGUMENTS}


@dataclass(frozen=True, slots=True)
class CheckStep:
    """What the check of a file does now: compiles it, checks a kernel of it, or has finished that kernel."""

    number: int = 0  # of the kernel, from 1; 0 while the file is compiled
    kernels: int = 0  # of the file
    kernel: str = ""
    report: KernelReport | None = None  # None: the kernel is not finished


def check_file(path: Path, options: FileOptions, watch: Callable[[CheckStep], None] = lambda _: None) -> FileReport:
    """Check the kernels of one file and return the report; `watch` is called with each step.

    Raises InputError if the file cannot be read, UsageError if an option does not fit it, and CompilerError if there is
    no compiler for it.
    """
    options = options.begun()
    watch(CheckStep())
    try:
        file = read_file(path, options)
    except CompileError as error:
        return failed_file(path, options, KernelVerdict.NOT_COMPILED, _without_name(error, path))
    except KernelError as error:
        is_skipped = isinstance(error, NoKernelError) and not options.needs_kernel
        verdict = KernelVerdict.SKIPPED if is_skipped else KernelVerdict.NOT_CHECKED
        return failed_file(path, options, verdict, error.message)
    return check_kernels(*with_given_numbers(file, options), watch)


def check_or_name(path: Path, options: FileOptions, watch: Callable[[CheckStep], None] = lambda _: None) -> FileReport:
    """Check one of several files; one that cannot be read is `not checked`, which does not affect the others.

    The report on a file that has none of the kernels that the options name is empty. Raises what `check_file` raises
    but InputError.
    """
    try:
        return check_file(path, replace(options, several=True), watch)
    except InputError as error:
        return failed_file(path, options, KernelVerdict.NOT_CHECKED, error.message)


def check_kernels(
    file: KernelFile,
    options: FileOptions,
    watch: Callable[[CheckStep], None] = lambda _: None,
    study: Study = study_nothing,
) -> FileReport:
    """Check the kernels of a file that has been read, and return the report; UsageError if an option does not fit.

    It ends where the budget of the options is over, which has begun.

    `study` is called with each kernel that ran, and its launches.
    """
    rejected = rejected_kernels(file, options)
    known = [item.name for item in (*file.rejected, *file.uninstantiated)]
    chosen = chosen_kernels(file, options.kernels, several=options.several, rejected=known)
    chains = chains_to_check(file, options, chosen)
    if not chosen:
        return FileReport(file.path, options.compile.arch, file.compiler, tuple(rejected))
    try:
        linked = link_file(file, chosen, options)
    except KernelError as error:
        return failed_file(file.path, options, KernelVerdict.NOT_CHECKED, error.message, file)
    checks = KernelChecks.of(linked, chains, options, study)
    reports = _reports(linked.kernels, checks, watch)
    notes = (*checks.notes, *linked.notes)
    return FileReport(file.path, options.compile.arch, file.compiler, (*reports, *rejected), notes)


def _reports(
    kernels: Sequence[LinkedKernel | KernelReport], checks: KernelChecks, watch: Callable[[CheckStep], None]
) -> list[KernelReport]:
    """Check kernels one after the other, each within its part of the budget, and return their reports.

    Those that their part leaves undecided run again, with what the others left.
    """
    options, count = checks.options, len(kernels)
    reports: dict[int, KernelReport] = {}
    cut: dict[int, FileBudget] = {}  # the parts that were over before their kernels were decided
    for number, kernel in enumerate(kernels, 1):
        if isinstance(kernel, KernelReport):
            reports[number] = kernel
        else:
            watch(CheckStep(number, count, kernel.kernel.name))
            part = options.budget.part_of(count - number + 1, options.limits.shares, count)
            reports[number] = checks.report(kernel, part)
            if part.is_part_over and reports[number].verdict in UNDECIDED:
                cut[number] = part
                continue
        watch(CheckStep(number, count, reports[number].name, reports[number]))
    for index, (number, part) in enumerate(cut.items()):
        kernel, more = kernels[number - 1], options.budget.part_of(len(cut) - index, options.limits.shares)
        if isinstance(kernel, LinkedKernel) and more.remaining > LEAST_GAIN * part.part:
            watch(CheckStep(number, count, kernel.kernel.name))
            reports[number] = checks.report(kernel, more)
        watch(CheckStep(number, count, reports[number].name, reports[number]))
    return [reports[number] for number in sorted(reports)]


def _without_name(error: CompileError, path: Path) -> str:
    """Return why a file does not compile, without the file's name, unless the error is about another one."""
    return error.reason if error.reason and Path(error.subject).name == path.name else error.message
