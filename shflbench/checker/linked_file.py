"""Link the kernels of a file for the emulator, or report why one of them, or the file, cannot be checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.inputs.linked import LinkedKernel, linked_kernel
from shflbench.checker.inputs.names import refuse_unknown
from shflbench.checker.report import FileReport, KernelReport
from shflbench.checker.reporter import LONGEST_PROBLEM, KernelReporter
from shflbench.checker.selection import is_chosen
from shflbench.checker.verdict import KernelVerdict
from shflbench.cuda_sources.naming import means
from shflbench.cuda_sources.sampling import sample_instances
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.link.unsupported import UnsupportedKernelError
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import shorten
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.checker.options import FileOptions
    from shflbench.cuda_sources.kernel_file import KernelFile, RejectedKernel, SourceKernel, SourceNote
    from shflbench.emulator.ptx.syntax import Module


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """The kernels of a file that are checked."""

    file: KernelFile
    module: Module
    kernels: tuple[LinkedKernel | KernelReport, ...]  # a report says why the kernel cannot run
    notes: tuple[SourceNote, ...] = ()  # on instances of templates that are left out


def link_file(file: KernelFile, chosen: Sequence[SourceKernel], options: FileOptions) -> LinkedFile:
    """Return the `chosen` kernels of a file, linked; of many instances of a template that nobody names, some.

    KernelError if the file is no PTX that the emulator reads, UsageError for an argument that no kernel has.
    """
    kernels, skipped = (chosen, []) if options.kernels else sample_instances(chosen)
    module = parse(file.ptx)
    linked = [_link(file, module, kernel, options) for kernel in kernels]
    known = [
        item.kernel if isinstance(item, LinkedKernel) else kernel for kernel, item in zip(kernels, linked, strict=True)
    ]
    refuse_unknown(options.given.arguments, known, [item.name for item in file.numbers])
    return LinkedFile(file, module, tuple(linked), tuple(skipped))


def _link(file: KernelFile, module: Module, kernel: SourceKernel, options: FileOptions) -> LinkedKernel | KernelReport:
    try:
        return linked_kernel(file, module, kernel, arch=options.compile.arch, shared_bytes=options.given.shared_bytes)
    except KernelError as error:
        problems = error.problems if isinstance(error, UnsupportedKernelError) else [error.message]
        return KernelReporter(file, kernel).not_checked(problems, module)


def rejected_kernels(file: KernelFile, options: FileOptions) -> list[KernelReport]:
    """Return the reports on chosen kernels and instances that the compiler rejects, and on templates without any."""
    names = options.kernels
    instances = [item for item in file.rejected_instances if not names or any(means(name, item.name) for name in names)]
    rejected = [item for item in file.rejected if is_chosen(item.name, names)]
    open_ = [item for item in file.uninstantiated if is_chosen(item.name, names)]
    return [
        *(_without_symbol(item, KernelVerdict.NOT_COMPILED) for item in (*rejected, *instances)),
        *(_without_symbol(item, KernelVerdict.NOT_CHECKED) for item in open_),
    ]


def _without_symbol(kernel: RejectedKernel, verdict: KernelVerdict) -> KernelReport:
    """Return the report on a kernel that the PTX lacks."""
    sentence = shorten(kernel.sentence, LONGEST_PROBLEM)
    return KernelReport(kernel.name, "", kernel.place, verdict, sentence, errors=(sentence,))


def failed_file(
    path: Path, options: FileOptions, verdict: KernelVerdict, sentence: str, file: KernelFile | None = None
) -> FileReport:
    """Return the report on a file none of whose kernels can be checked, with one entry in the file's name."""
    sentence = shorten(sentence, LONGEST_PROBLEM)
    entry = KernelReport(path.name, "", SourceLine(path, 1), verdict, sentence, errors=(sentence,))
    return FileReport(path, options.compile.arch, file.compiler if file else "", (entry,), file.notes if file else ())
