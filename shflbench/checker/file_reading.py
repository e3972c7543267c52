"""Read the file of a check, with the numbers that the user gives instead of those of its host code."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.host_numbers import names_of_sizes, traced_numbers, variables_of, with_passed
from shflbench.checker.inputs.grammar import NumberValue
from shflbench.checker.inputs.names import gives_buffers, match_names, refuse_unknown
from shflbench.checker.selection import chosen_kernels
from shflbench.core.stdin_file import is_stdin
from shflbench.cuda_sources.fragments import read_with_includer
from shflbench.cuda_sources.read import read_cuda, read_ptx
from shflbench.cuda_sources.read_options import KernelNames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker.options import FileOptions
    from shflbench.cuda_sources.kernel_file import KernelFile


def read_file(path: Path, options: FileOptions, compiled: KernelFile | None = None) -> KernelFile:
    """Return the kernels of the file, compiled where it is CUDA C++.

    Of a file that has been `compiled`, only the host code is read again.

    Raises InputError, CompilerError, or KernelError if it has no kernel, or does not compile within the time limit.
    """
    if path.suffix == ".ptx":
        return read_ptx(path)
    instances = tuple(name for name in options.kernels if "<" in name)
    folders = (Path.cwd(),) if is_stdin(path) else ()  # in which `#include "…"` searches, as beside a file
    read = partial(
        read_cuda,
        compilers=options.compilers,
        given=replace(options.compile, budget=options.budget, include=(*folders, *options.compile.include)),
        host=options.host,
        names=KernelNames(instances=instances, skip_unknown=options.several),
        compiled=compiled,
    )
    return read_with_includer(path, read)


def with_given_numbers(file: KernelFile, options: FileOptions) -> tuple[KernelFile, FileOptions]:
    """Return a file whose host code passes the given numbers to the kernels, and the options that it is read with.

    Numbers that the host code does not pass on stay as they are. UsageError for numbers that contradict each other.
    """
    chosen = chosen_kernels(file, options.kernels, several=True)
    given = [(kernel, options.given.launches_of(kernel)) for kernel in chosen]
    if all(launches and gives_buffers(options.given.arguments, kernel) for kernel, launches in given):
        return file, options

    def with_numbers(numbers: Mapping[str, int | float]) -> FileOptions:
        return replace(options, host=replace(options.host, change=replace(options.host.change, numbers=numbers)))

    def read(numbers: Mapping[str, int | float]) -> KernelFile:
        return read_file(file.path, with_numbers(numbers), compiled=file) if numbers else file

    variables = [item.name for item in variables_of(file, chosen)]
    given_numbers = [item for item in options.given.arguments if isinstance(item.value, NumberValue)]
    known = [
        item for item in given_numbers if item.name in variables or any(match_names([item], one) for one in chosen)
    ]
    if len(known) < len(given_numbers):
        refuse_unknown(given_numbers, chosen, names_of_sizes(file, chosen, read))
    numbers = traced_numbers(chosen, options.given.arguments, read)
    changed = read(numbers)
    arguments = with_passed(changed, chosen, options.given.arguments)
    return changed, replace(with_numbers(numbers), given=replace(options.given, arguments=arguments))
