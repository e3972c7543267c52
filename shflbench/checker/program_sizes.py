"""The sizes of a program where the user gives none: those of a loop, and those without a command line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.file_reading import read_file
from shflbench.checker.inputs.argument_sets import with_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.checker.inputs.argument_sets import ArgumentSet
    from shflbench.checker.options import FileOptions
    from shflbench.cuda_sources.kernel_file import HostArgument, HostLaunch, KernelFile, SourceKernel


def with_loop(
    file: KernelFile, candidates: Sequence[Sequence[SourceKernel]], sets: Sequence[ArgumentSet]
) -> Sequence[ArgumentSet]:
    """Return a set for each number of a loop of the host code, as in `for (int n : {128, 256})`, if sizes follow it.

    They do if each candidate, of which `candidates` has a kernel per launch, is launched at more sizes than launches:
    a loop inside a function of the host code belongs to the sequence.
    """
    given = {item.name for item in sets[0].arguments}
    loops = [item for item in file.numbers if len(set(item.values)) > 1 and item.name not in given]
    if len(sets) > 1 or len(loops) != 1 or not all(map(_has_several_sizes, candidates)):
        return sets
    return with_values(sets[0], loops[0].name, dict.fromkeys(loops[0].values))


def _has_several_sizes(kernels: Sequence[SourceKernel]) -> bool:
    return any(len(set(map(_sizes, kernel.host_launches))) > kernels.count(kernel) for kernel in kernels)


def _sizes(launch: HostLaunch) -> tuple[tuple[int | float | None, int | None], ...]:
    """Return the numbers that a launch passes, and the bytes of its buffers."""
    return tuple((item.value, item.buffer.size if item.buffer is not None else None) for item in launch.values)


def without_words(file: KernelFile, options: FileOptions) -> tuple[KernelFile, FileOptions]:
    """Return a file with the launches of the program without a command line, where others are of chosen words.

    The options are those that it is read with.

    What the check chooses is small, so that the check is fast; what is timed has the sizes of the program.
    """
    launched = [launch for kernel in file.kernels for launch in kernel.host_launches]
    if options.host.words is not None or not any(launch.assumed for launch in launched):
        return file, options
    options = replace(options, host=replace(options.host, words=()))
    plain = read_file(file.path, options, compiled=file)
    kernels = {item.symbol: item for item in plain.kernels if _are_known(item.host_launches)}
    calls = {item.function: item for item in plain.host_calls if _are_known(one.launch for one in item.launches)}
    changed = replace(
        file,
        kernels=tuple(kernels.get(item.symbol, item) for item in file.kernels),
        host_calls=tuple(calls.get(item.function, item) for item in file.host_calls),
    )
    return changed, options


def with_launches_of(file: KernelFile, timed: KernelFile) -> KernelFile:
    """Return a file whose kernels have the known launches of another reading first: those that are timed."""
    launches = {item.symbol: tuple(filter(_is_shaped, item.host_launches)) for item in timed.kernels}
    kernels = (
        replace(item, host_launches=tuple(dict.fromkeys((*launches.get(item.symbol, ()), *item.host_launches))))
        for item in file.kernels
    )
    return replace(file, kernels=tuple(kernels))


def _is_shaped(launch: HostLaunch) -> bool:
    return launch.grid is not None and launch.block is not None


def _are_known(launches: Iterable[HostLaunch]) -> bool:
    """Whether there is a launch whose grid, block and arguments are known."""
    known = (item for item in launches if item.grid is not None and item.block is not None and not item.assumed)
    return any(all(map(_is_known, item.arguments)) for item in known)


def _is_known(argument: HostArgument) -> bool:
    return argument.value is not None or argument.buffer is not None or bool(argument.fields)
