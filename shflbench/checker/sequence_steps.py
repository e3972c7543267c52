"""The kernels of a candidate: one, several joined by `+`, or those that a function of the host code launches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker.selection import is_named
from shflbench.core.model import MAX_BLOCK
from shflbench.core.words import did_you_mean
from shflbench.cuda_sources.naming import means
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources.kernel_file import HostCall, HostLaunch, KernelFile, NamedLaunch, SourceKernel

OF_FUNCTION = "()"  # how the name of a function ends


@dataclass(frozen=True, slots=True)
class NamedCandidate:
    """A candidate as the user names it: `tiled`, `partial+final` or `two_steps()`."""

    text: str

    @property
    def function(self) -> str:
        """The name of the function of the host code; empty if kernels are named."""
        return self.text.strip().removesuffix(OF_FUNCTION) if self.text.strip().endswith(OF_FUNCTION) else ""

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels, without the `+` between them; those in template arguments join nothing."""
        if self.function:
            return ()
        parts, depth = [""], 0
        for character in self.text:
            depth += (character in "<(") - (character in ">)")
            if character == "+" and depth == 0:
                parts.append("")
            else:
                parts[-1] += character
        return tuple(part.strip() for part in parts)

    @property
    def is_sequence(self) -> bool:
        """Whether it stands for several kernels."""
        return bool(self.function) or len(self.kernels) > 1


@dataclass(frozen=True, slots=True)
class SequenceStep:
    """One launch of a sequence."""

    kernel: SourceKernel
    host: HostLaunch | None  # None if the host code performs no launches of the kernels in their order


@dataclass(frozen=True, slots=True)
class KernelSequence:
    """The launches of a sequence, or why it has none, as a sentence."""

    name: str
    steps: tuple[SequenceStep, ...]
    problem: str = ""

    @property
    def is_of_function(self) -> bool:
        """Whether a function of the host code performs the launches."""
        return self.name.endswith(OF_FUNCTION)


def with_functions(file: KernelFile, named: Sequence[NamedCandidate]) -> list[NamedCandidate]:
    """Return the candidates with parentheses behind the names of functions that no kernel has."""
    functions = {call.function for call in file.host_calls}
    return [
        NamedCandidate(item.text + OF_FUNCTION) if item.text in functions and not has_kernel(file, item.text) else item
        for item in named
    ]


def sequence_of(file: KernelFile, named: NamedCandidate) -> KernelSequence:
    """Return the launches of a sequence; UsageError if the file has no such function or kernel."""
    return _of_function(file, named.function) if named.function else _of_kernels(file, named.kernels)


def _of_function(file: KernelFile, function: str) -> KernelSequence:
    name = f"{function}{OF_FUNCTION}"
    known = [call.function for call in file.host_calls]
    call = next((call for call in file.host_calls if call.function == function), None)
    if call is None:
        listed = f"; it has {', '.join(known)}" if known else ""
        raise UsageError(
            f"{file.path} has no function `{function}` that launches kernels{listed}{did_you_mean(function, known)}"
        )
    steps: list[SequenceStep] = []
    for launch in call.launches:
        kernels = _named(file, launch.kernel)
        if len(kernels) != 1:
            return KernelSequence(name, (), f"it launches `{launch.kernel}`, which is not one kernel of the file")
        steps.append(SequenceStep(kernels[0], launch.launch))
    unknown = next((step for step in steps if not _is_known(step.host)), None)
    if not steps:
        return KernelSequence(name, (), "the host code was not seen to launch a kernel in it")
    if any(step.host is not None and step.host.takes_parameters for step in steps):
        return KernelSequence(name, (), "nothing in the file calls it, so that its arguments are not known")
    if unknown is not None:
        return KernelSequence(name, (), f"the host code does not say at which grid it launches `{unknown.kernel.name}`")
    if not call.is_whole:
        why = "its launches depend on what only a run of the program knows, or they are too many"
        return KernelSequence(name, (), f"{why}; join kernels by `+`")
    return KernelSequence(name, tuple(steps))


def _of_kernels(file: KernelFile, names: Sequence[str]) -> KernelSequence:
    kernels = []
    for name in names:
        several = _named(file, name)
        if len(several) != 1:
            known = [kernel.name for kernel in file.kernels]
            what = "has several kernels" if several else "has no kernel"
            near = "" if several else did_you_mean(name, known)
            raise UsageError(f"{file.path} {what} `{name}`; it has {', '.join(known)}{near}")
        kernels.append(several[0])
    hosts = next(_found(file.host_calls, kernels), [])
    steps = tuple(SequenceStep(kernel, host) for kernel, host in zip_longest(kernels, hosts))
    return KernelSequence("+".join(kernel.name for kernel in kernels), steps)


def has_kernel(file: KernelFile, name: str) -> bool:
    """Whether a name is that of a kernel of the file."""
    return bool(_named(file, name))


def _named(file: KernelFile, name: str) -> list[SourceKernel]:
    return [kernel for kernel in file.kernels if is_named(kernel, name)]


def _found(calls: Sequence[HostCall], kernels: Sequence[SourceKernel]) -> Iterator[list[HostLaunch]]:
    """Yield launches of the kernels in their order: first those in which each gets a buffer of an earlier one."""
    for linked in (True, False):
        for call in calls:
            for start, launch in enumerate(call.launches):
                if _is_of(launch, kernels[0]):
                    hosts = _following(call.launches[start:], kernels, linked=linked)
                    if len(hosts) == len(kernels):
                        yield hosts


def _following(launches: Sequence[NamedLaunch], kernels: Sequence[SourceKernel], *, linked: bool) -> list[HostLaunch]:
    hosts: list[HostLaunch] = []
    for launch in launches:
        if len(hosts) == len(kernels):
            break
        shares = not hosts or not linked or bool(allocations(launch.launch) & set().union(*map(allocations, hosts)))
        if shares and _is_of(launch, kernels[len(hosts)]):
            hosts.append(launch.launch)
    return hosts


def _is_of(launch: NamedLaunch, kernel: SourceKernel) -> bool:
    is_of = means(launch.kernel, kernel.name)
    return is_of and _is_known(launch.launch) and not launch.launch.takes_parameters


def _is_known(host: HostLaunch | None) -> bool:
    """Whether a GPU can perform the launch."""
    if host is None or host.grid is None or host.block is None:
        return False
    return 0 not in host.grid and 0 < prod(host.block) <= MAX_BLOCK


def allocations(host: HostLaunch) -> set[int | None]:
    """Return the numbers of the allocations that a launch gets."""
    return {argument.buffer.allocation for argument in host.values if argument.buffer is not None}


def plain(name: str) -> str:
    """Return the name of a kernel as a word."""
    return re.sub(r"\W+", "_", name).strip("_")
