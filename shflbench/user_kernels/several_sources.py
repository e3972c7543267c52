"""Compare kernels of several sources, one of each, with the same arguments in the same order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.errors import UsageError
from shflbench.user_kernels.comparison import KernelChoice, KernelComparison, LeftOut, choose
from shflbench.user_kernels.fields import fields_in
from shflbench.user_kernels.stored_pattern import compiler_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker import CandidateFile, CandidateLaunch
    from shflbench.user_kernels.comparison import ComparedKernel

NO_LAUNCH = "nothing says how it is launched; pass grid=…, block=… and its arguments"


def choose_each(name: str, files: Mapping[str, CandidateFile]) -> KernelChoice:
    """Return one comparison of the only kernel of each file, the first one that can be timed as the baseline.

    The keys of `files` name the kernels. UsageError if the files are compiled with different options, or if the kernels
    get different arguments.
    """
    kernels: list[ComparedKernel] = []
    left_out: list[LeftOut] = []
    for variant, file in files.items():
        choice = choose(file, named=True)
        left_out += [_renamed(item, variant, file) for item in choice.left_out]
        kernels += [
            replace(kernel, variant=variant, launches=kernel.launches[:1], folder=variant)
            for comparison in choice.comparisons
            for kernel in comparison.kernels
        ]
    if not kernels:
        return KernelChoice((), tuple(left_out))
    _refuse_other_options(kernels)
    aligned = tuple(_with_names_of(kernels[0], kernel) for kernel in kernels)
    return KernelChoice((KernelComparison(name, aligned),), tuple(left_out))


def _renamed(item: LeftOut, variant: str, file: CandidateFile) -> LeftOut:
    """Return what was left out under the name of its source, without options of the command line."""
    if not item.is_broken and not file.kernels[0].problem and not file.kernels[0].launches:
        return LeftOut(variant, NO_LAUNCH)
    return replace(item, kernel=variant, advice="")


def _refuse_other_options(kernels: list[ComparedKernel]) -> None:
    for kernel in kernels[1:]:
        if compiler_options(kernel.unit) != compiler_options(kernels[0].unit):
            raise UsageError(
                f"`{kernels[0].variant}` and `{kernel.variant}` are compiled with different options",
                "Write macros into the sources, or pass define=(…) for all kernels.",
            )


def _with_names_of(base: ComparedKernel, kernel: ComparedKernel) -> ComparedKernel:
    """Return a kernel whose arguments have the names of those of `base`, by place; UsageError if they differ."""
    first, mine = base.launches[0], kernel.launches[0]
    known, sizes = _sizes(first), _sizes(mine)
    names = fields_in(first, mine) or dict(zip(mine.arguments, first.arguments, strict=False))
    if len(mine.arguments) != len(first.arguments) or any(
        known.get(theirs) != sizes.get(name) for name, theirs in names.items()
    ):
        raise UsageError(
            f"`{base.variant}` and `{kernel.variant}` have different arguments",
            "Pass the arguments of both, in the same order.",
        )
    variables = {item.name: item.name for item in mine.buffers if item.variable}
    return replace(kernel, names={**names, **variables})


def _sizes(launch: CandidateLaunch) -> dict[str, int]:
    """Return the bytes of each buffer that an argument points to; numbers have none."""
    return {buffer.name: buffer.size for buffer in launch.buffers if not buffer.variable}
