"""Instances of a template that the user names and the host code does not launch: what it would launch them with.

The host code may compute launches from the template arguments, as in `dim3 block(TILE, ROWS)`, which are its constants,
or those of the function template that launches the kernel. It is read again with those of the named instance. Where
that gives no launch, only the arguments of another instance are taken.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice, product
from typing import TYPE_CHECKING

from shflbench.cuda_sources.kernel_file import HostChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.cuda_sources.kernel_file import HostLaunch, KernelFile, SourceKernel

MOST_TRIES = 4  # changes that may launch an instance; each takes a tenth of a second


def with_instances(
    file: KernelFile, chosen: Sequence[SourceKernel], read: Callable[[HostChange], KernelFile]
) -> KernelFile:
    """Return the file with launches, or at least arguments, of each chosen instance that the host code does not launch.

    `read` returns the file with a change of its host code.
    """
    symbols = {kernel.symbol for kernel in chosen}
    kernels = [
        _launched(file, kernel, read) if kernel.symbol in symbols and not _known(kernel) else kernel
        for kernel in file.kernels
    ]
    return replace(file, kernels=tuple(kernels))


def _launched(file: KernelFile, kernel: SourceKernel, read: Callable[[HostChange], KernelFile]) -> SourceKernel:
    wanted = _arguments(kernel)
    siblings = [item for item in file.kernels if _known(item) and _template(item) == _template(kernel)]
    siblings = [item for item in siblings if wanted and len(_arguments(item)) == len(wanted)]
    if not siblings:
        return kernel
    nearest = min(siblings, key=lambda item: len(_changes(item, kernel)))
    instance = (tuple(_arguments(nearest)), tuple(wanted))
    changes = chain([HostChange({}, instance)], map(HostChange, _constants(file, nearest, kernel)))
    for change in islice(changes, MOST_TRIES):
        for item in read(change).kernels:
            if item.symbol == kernel.symbol and _known(item):
                return replace(kernel, host_launches=item.host_launches)
    arguments = tuple(replace(launch, grid=None, block=None) for launch in _known(nearest))
    return replace(kernel, host_launches=arguments, sibling=nearest.name)


def _constants(file: KernelFile, sibling: SourceKernel, kernel: SourceKernel) -> Iterator[Mapping[str, int]]:
    """Yield constants of the host code that may be the template arguments in which two instances differ."""
    changes = [
        (before, after) for before, after in _changes(sibling, kernel) if before.isdecimal() and after.isdecimal()
    ]
    if len(changes) < len(_changes(sibling, kernel)):
        return
    names = [[item.name for item in file.numbers if int(before) in item.values] for before, _ in changes]
    for chosen in product(*names):
        yield {name: int(after) for name, (_, after) in zip(chosen, changes, strict=True)}


def _changes(one: SourceKernel, other: SourceKernel) -> list[tuple[str, str]]:
    pairs = zip(_arguments(one), _arguments(other), strict=True)
    return [(before, after) for before, after in pairs if before != after]


def _known(kernel: SourceKernel) -> list[HostLaunch]:
    """Return the launches of a kernel whose shape the host code determines."""
    return [launch for launch in kernel.host_launches if launch.grid is not None and launch.block is not None]


def _template(kernel: SourceKernel) -> str:
    return kernel.name.partition("<")[0]


def _arguments(kernel: SourceKernel) -> list[str]:
    """Return the template arguments of an instance; empty for a kernel that is none, and for nested ones."""
    _, bracket, listed = kernel.name.removesuffix(">").partition("<")
    return [text.strip() for text in listed.split(",")] if bracket and "<" not in listed else []
