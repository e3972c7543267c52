"""Choose the kernels of one or of several files that `--kernel` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import did_you_mean
from shflbench.cuda_sources.naming import means, means_one
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.overlaps import SameBuffer
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.report import FileReport, KernelReport
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel


def chosen_kernels(
    file: KernelFile, names: Sequence[str], *, several: bool, rejected: Sequence[str] = ()
) -> list[SourceKernel]:
    """Return the kernels of a file that `names` name, all if there are none.

    UsageError for an unknown name, unless the file is one of `several`, or that of a kernel that the compiler rejected.
    """
    if not names:
        return list(file.kernels)
    chosen: dict[str, SourceKernel] = {}
    for name in names:
        kernels = [kernel for kernel in file.kernels if is_named(kernel, name)]
        if not kernels and not several and not any(is_chosen(item, (name,)) for item in rejected):
            known = [kernel.name for kernel in file.kernels]
            raise UsageError(
                f"{file.path} has no kernel `{name}`; it has {', '.join(known)}{did_you_mean(name, known)}"
            )
        chosen |= {kernel.symbol: kernel for kernel in kernels}
    return list(chosen.values())


def reports_with_kernels(reports: Sequence[FileReport], names: Sequence[str]) -> list[FileReport]:
    """Return the reports on the files that have kernels to check; UsageError for a name that no file has.

    A file that does not compile may have any kernel.
    """
    kernels = [kernel for report in reports for kernel in report.kernels]
    if all(kernel.symbol for kernel in kernels):
        for name in names:
            if not any(is_named(kernel, name) for kernel in kernels):
                raise UsageError(f"none of the {len(reports)} files has a kernel `{name}`")
    return [report for report in reports if report.kernels]


def refuse_unknown_kernels(
    reports: Sequence[FileReport], chains: Sequence[Sequence[str]], same: Sequence[SameBuffer]
) -> None:
    """Raise UsageError for a kernel of `--pdl` or `--same` that none of the reports on several files has."""
    kernels = [kernel for report in reports for kernel in report.kernels]
    if not all(kernel.symbol for kernel in kernels):
        return  # a file that does not compile may have any kernel
    arguments = [argument for item in same for argument in (item.first, item.second)]
    named = [("--pdl", name) for chain in chains for name in chain]
    for option, name in (*named, *(("--same", argument.kernel) for argument in arguments)):
        if not any(is_named(kernel, name) or is_chosen(kernel.name, (name,)) for kernel in kernels):
            raise UsageError(f"{option}: none of the {len(reports)} files has a kernel `{name}`")


def is_chosen(kernel: str, names: Sequence[str]) -> bool:
    """Whether `names` name a kernel without symbol, also by an instance, or name none."""
    return not names or any(means(name.partition("<")[0], kernel) for name in names)


def refuse_unknown_launches(kernels: Sequence[SourceKernel], named: Sequence[tuple[str, LaunchShape]]) -> None:
    """Raise UsageError for a launch of a kernel that is none of `kernels`."""
    known = [kernel.name for kernel in kernels]
    for name, _ in named:
        if not any(is_named(kernel, name) for kernel in kernels):
            near = did_you_mean(name, known)
            raise UsageError(f"--launch: there is no kernel `{name}`{near}", f"Choose one of: {', '.join(known)}.")


def is_named(kernel: SourceKernel | KernelReport, name: str) -> bool:
    """Whether `name` names a kernel."""
    return name == kernel.symbol or means_one(name, (kernel.name, *kernel.spellings))
