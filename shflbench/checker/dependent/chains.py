"""The chains of launches to check: those of the host code, and those that the user names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.selection import is_named
from shflbench.core.words import did_you_mean
from shflbench.cuda_sources.naming import means
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources.kernel_file import HostLaunch, KernelFile, LaunchChain, SourceKernel

MOST_ALIKE = 2  # chains of the same launches, which differ in arguments


@dataclass(frozen=True, slots=True, eq=False)
class ChainStep:
    """One launch of a chain."""

    kernel: SourceKernel
    host: HostLaunch | None  # None: the host code does not launch the kernel


@dataclass(frozen=True, slots=True, eq=False)
class DependentChain:
    """Launches that overlap; the last one is checked against those before it."""

    steps: tuple[ChainStep, ...]
    is_given: bool = False  # by the user
    problem: str = ""  # why it cannot run, as a sentence

    @property
    def last(self) -> SourceKernel:
        """The kernel of the last launch."""
        return self.steps[-1].kernel


def chains_of(file: KernelFile, given: Sequence[Sequence[str]], *, several: bool) -> list[DependentChain]:
    """Return the chains that the user names, and those of the host code; UsageError for a kernel that there is not.

    Of `several` files, another one may have the kernels.
    """
    named = [_named(file, names, several=several) for names in given]
    known = [chain for chain in named if chain is not None]
    is_known = {chain.last.symbol for chain in known}
    of_host = (chain for chain in _of_host(file) if len(chain.steps) > 1 or chain.last.symbol not in is_known)
    return [*known, *of_host]


def _named(file: KernelFile, names: Sequence[str], *, several: bool) -> DependentChain | None:
    kernels = []
    for name in names:
        matching = [kernel for kernel in file.kernels if is_named(kernel, name)]
        if len(matching) != 1 and several:
            return None
        if len(matching) != 1:
            known = [kernel.name for kernel in file.kernels]
            what = "has several kernels" if matching else "has no kernel"
            near = "" if matching else did_you_mean(name, known)
            raise UsageError(f"--pdl: {file.path} {what} `{name}`; it has {', '.join(known)}{near}")
        kernels.append(matching[0])
    return DependentChain(tuple(ChainStep(kernel, _launch(kernel)) for kernel in kernels), is_given=True)


def _launch(kernel: SourceKernel) -> HostLaunch | None:
    """Return the first launch of the host code whose shape is known."""
    known = (item for item in kernel.host_launches if item.grid is not None and item.block is not None)
    return next(known, None)


def _of_host(file: KernelFile) -> Iterator[DependentChain]:
    """Yield the chains of the host code, two of each that differ in arguments only."""
    seen: Counter[object] = Counter()
    for chain in file.chains:
        key = tuple((item.kernel, item.launch.line, item.is_dependent) for item in chain.launches)
        seen[key] += 1
        if seen[key] <= MOST_ALIKE:
            yield from _of_launches(file, chain)


def _of_launches(file: KernelFile, chain: LaunchChain) -> Iterator[DependentChain]:
    """Yield the chain of launches whose last kernel is one of the file."""
    steps, problem = [], ""
    for number, item in enumerate(chain.launches):
        matching = [kernel for kernel in file.kernels if means(item.kernel, kernel.name)]
        is_last = number == len(chain.launches) - 1
        if len(matching) != 1 and is_last:
            return
        if len(matching) == 1:
            steps.append(ChainStep(matching[0], item.launch))
        else:
            problem = f"`{item.kernel}`, which it overlaps, is not one kernel of the file"
    yield DependentChain(tuple(steps), problem=problem)
