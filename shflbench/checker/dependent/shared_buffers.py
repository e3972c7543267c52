"""The buffers that launches of a chain share: by their allocation in the host code, or as the user says."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from shflbench.checker.selection import is_named
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from shflbench.checker.dependent.chains import DependentChain
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.overlaps import KernelArgument, SameBuffer
    from shflbench.cuda_sources.kernel_file import SourceKernel

_Argument: TypeAlias = tuple[int, str]  # number of a launch of the chain, and name


class SharedBuffers:
    """What each buffer of a chain is for all of its launches."""

    def __init__(self, chain: DependentChain, same: Sequence[SameBuffer], kernels: Sequence[SourceKernel]) -> None:
        """Keep which arguments of the `kernels` of the file the user says are one buffer."""
        self._kernels = [step.kernel for step in chain.steps]
        self._group_of = _groups(same, [item.symbol for item in self._kernels], kernels)
        self._is_specified = False  # whether the user says that two launches share a buffer
        self._pointers: dict[int, bool] = {}  # of each launch that has some, whether one of them may point anywhere

    def identities(self, number: int, arguments: Arguments) -> list[Hashable]:
        """Return what each buffer of a launch is: equal for the launches that share it."""
        names = _names_of_buffers(arguments)
        result: list[Hashable] = []
        if arguments.buffers:
            self._pointers[number] = False
        for place, buffer in enumerate(arguments.buffers):
            given = self._given(number, names.get(place, ()))
            if given is not None:
                self._is_specified = True
                result.append(given)
            elif buffer.allocation is not None:
                result.append(("allocation", buffer.allocation))
            else:
                result.append(("own", number, buffer.name))
                self._pointers[number] = True
        return result

    @property
    def is_open(self) -> bool:
        """Whether the last launch may share a buffer with one before it of which nobody says so."""
        last = len(self._kernels) - 1
        before = [number for number in self._pointers if number != last]
        if self._is_specified or last not in self._pointers or not before:
            return False
        return self._pointers[last] or any(self._pointers[number] for number in before)

    def _given(self, number: int, names: Sequence[str]) -> Hashable | None:
        """Return what stands for all arguments that the user says are one with a buffer; None if there are none."""
        known = (self._group_of.get((number, name)) for name in names)
        return next((("same", group) for group in known if group is not None), None)


def _groups(
    same: Sequence[SameBuffer], symbols: Sequence[str], kernels: Sequence[SourceKernel]
) -> dict[_Argument, _Argument]:
    """Return for each argument that the user names the one that stands for all that are one buffer with it."""
    group_of: dict[_Argument, _Argument] = {}
    for item in same:
        for arguments in _joined(item, symbols, kernels):
            joined = {group_of.get(argument, argument) for argument in arguments}
            group_of |= dict.fromkeys(arguments, arguments[0])
            group_of |= {argument: arguments[0] for argument, group in group_of.items() if group in joined}
    return group_of


def _joined(item: SameBuffer, symbols: Sequence[str], kernels: Sequence[SourceKernel]) -> list[list[_Argument]]:
    """Return which arguments of the launches, of kernels with the `symbols`, are one buffer.

    Two arguments of one kernel are that of a launch and that of the next launch of the kernel: `step.out=step.in`.
    """
    first, second = (_launches(argument, symbols, kernels) for argument in (item.first, item.second))
    if first == second and item.first.name != item.second.name:
        return [[(one, item.first.name), (next_, item.second.name)] for one, next_ in pairwise(first)]
    arguments = [(number, item.first.name) for number in first] + [(number, item.second.name) for number in second]
    return [arguments] if arguments else []


def _launches(argument: KernelArgument, symbols: Sequence[str], kernels: Sequence[SourceKernel]) -> list[int]:
    """Return the numbers of the launches of the kernel that the user names, in all instances of a template."""
    named = {kernel.symbol for kernel in kernels if is_named(kernel, argument.kernel)}
    return [number for number, symbol in enumerate(symbols) if symbol in named]


def _names_of_buffers(arguments: Arguments) -> dict[int, list[str]]:
    """Return the names of the pointers to each buffer."""
    names: dict[int, list[str]] = {}
    for value in arguments.parameters:
        for span in value.spans:
            if span.buffer is not None:
                names.setdefault(span.buffer, []).append(span.name)
    return names


def refuse_unknown_arguments(same: Sequence[SameBuffer], kernels: Sequence[SourceKernel]) -> None:
    """Raise UsageError for an argument of `--same` that no kernel has."""
    for argument in (part for item in same for part in (item.first, item.second)):
        named = [kernel for kernel in kernels if is_named(kernel, argument.kernel)]
        if not named:
            known = ", ".join(kernel.name for kernel in kernels)
            raise UsageError(f"--same: there is no kernel `{argument.kernel}`", f"Choose one of: {known}.")
        if not any(argument.name in kernel.offsets for kernel in named):
            known = ", ".join(named[0].offsets)
            what = f"`{argument.kernel}` has no parameter `{argument.name}`"
            raise UsageError(f"--same: {what}", f"Choose one of: {known}.")
