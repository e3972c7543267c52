"""Find the numbers, pointers and variables that host code changes between launches of a kernel, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from shflbench.checker.inputs.names import parameter_name
from shflbench.checker.sources.naming import means

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.sources.kernel_file import HostArgument, HostLaunch, KernelFile, SourceKernel


@dataclass(frozen=True, slots=True)
class LaterArgument:
    """An argument, or a variable of the device, that a later launch finds with another value than the first one."""

    name: str  # of the parameter or the variable
    line: int  # of that launch
    value: int | float | None = None  # of a number
    other: str = ""  # of a pointer: the parameter whose buffer of the first launch it is


def launches_from(file: KernelFile, kernel: SourceKernel, first: HostLaunch) -> list[HostLaunch]:
    """Return a launch of a kernel and those that the same run of the program performs after it, in their order."""
    calls = [item.launch for call in file.host_calls for item in call.launches if means(item.kernel, kernel.name)]
    later = {
        item.moment: item
        for item in (*kernel.host_launches, *calls)
        if item.moment > first.moment and (item.assumed, item.forced) == (first.assumed, first.forced)
    }
    return [first, *(later[moment] for moment in sorted(later))]


def later_arguments(kernel: SourceKernel, launches: Sequence[HostLaunch]) -> tuple[LaterArgument, ...]:
    """Return the first other value of each argument in the launches after the first."""
    first, *later = launches
    changed: dict[str, LaterArgument] = {}
    for launch in later:
        for item in (*_arguments(kernel, first, launch), *_variables(first, launch)):
            changed.setdefault(item.name, item)
    return tuple(changed.values())


def kept_buffers(kernel: SourceKernel, launches: Sequence[HostLaunch]) -> frozenset[str]:
    """Return the pointers to buffers in which the host code leaves, before another launch, what the one before left."""
    kept = set()
    for before, launch in pairwise(launches):
        earlier = {item.buffer.allocation for item in before.arguments if item.buffer is not None}
        for place, argument in enumerate(launch.arguments[: len(kernel.parameters)]):
            buffer = argument.buffer
            if buffer is not None and buffer.allocation in earlier and buffer.changed <= before.moment:
                kept.add(parameter_name(kernel.parameters[place], place))
    return frozenset(kept)


def _arguments(kernel: SourceKernel, first: HostLaunch, launch: HostLaunch) -> Iterator[LaterArgument]:
    names = [parameter_name(parameter, place) for place, parameter in enumerate(kernel.parameters)]
    for name, before, after in zip(names, first.arguments, launch.arguments, strict=False):
        for part, value in _other_values(name, before, after):
            yield LaterArgument(part, launch.line.line, value)
        if other := _name_of(after, before, names, first.arguments):
            yield LaterArgument(name, launch.line.line, other=other)


def _other_values(name: str, before: HostArgument, after: HostArgument) -> Iterator[tuple[str, int | float]]:
    """Yield the numbers of an argument, or of a structure by value, that differ."""
    if before.value is not None and after.value is not None and before.value != after.value:
        yield name, after.value
    known = dict(before.fields)
    for field, value in after.fields:
        if field in known:
            yield from _other_values(f"{name}.{field}", known[field], value)


def _name_of(
    argument: HostArgument, before: HostArgument, names: Sequence[str], arguments: Sequence[HostArgument]
) -> str:
    """Return the parameter for which an earlier launch got the buffer of an argument; empty if it is the same one."""
    if argument.buffer is None or before.buffer is None or argument.buffer.allocation == before.buffer.allocation:
        return ""
    by_buffer = {item.buffer.allocation: name for name, item in zip(names, arguments, strict=False) if item.buffer}
    return by_buffer.get(argument.buffer.allocation, "")


def _variables(first: HostLaunch, launch: HostLaunch) -> Iterator[LaterArgument]:
    before = dict(first.variables)
    for name, contents in launch.variables:
        if before.get(name) is not None and before[name] != contents:
            yield LaterArgument(name, launch.line.line)
