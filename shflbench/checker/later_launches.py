"""Find the numbers, pointers, contents and variables that host code changes between launches, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from shflbench.cuda_sources.naming import means

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources.kernel_file import HostBuffer, HostLaunch, KernelFile, SourceKernel


@dataclass(frozen=True, slots=True)
class LaterArgument:
    """An argument, a buffer or a variable of the device that a later launch finds otherwise than the first one."""

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
        if item.moment > first.moment and (item.assumed, item.origin) == (first.assumed, first.origin)
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
        earlier = {item.buffer.allocation for item in before.values if item.buffer is not None}
        for part in kernel.parts:
            argument = part.passed(launch.arguments)
            buffer = argument.buffer if argument is not None else None
            if buffer is not None and buffer.allocation in earlier and buffer.changed <= before.moment:
                kept.add(part.name)
    return frozenset(kept)


def _arguments(kernel: SourceKernel, first: HostLaunch, launch: HostLaunch) -> Iterator[LaterArgument]:
    parts = [(part.name, part.passed(first.arguments), part.passed(launch.arguments)) for part in kernel.parts]
    by_buffer = {before.buffer.allocation: name for name, before, _ in parts if before is not None and before.buffer}
    for name, before, after in parts:
        if before is None or after is None:
            continue
        if before.value is not None and after.value is not None and before.value != after.value:
            yield LaterArgument(name, launch.line.line, after.value)
        if before.buffer is None or after.buffer is None:
            continue
        if before.buffer.allocation == after.buffer.allocation:
            if after.buffer.changed > first.moment and _is_known(before.buffer) and before.buffer != after.buffer:
                yield LaterArgument(name, launch.line.line)
            continue
        if other := by_buffer.get(after.buffer.allocation, ""):
            yield LaterArgument(name, launch.line.line, other=other)


def _is_known(buffer: HostBuffer) -> bool:
    return buffer.filled is not None or buffer.contents is not None or bool(buffer.first)


def _variables(first: HostLaunch, launch: HostLaunch) -> Iterator[LaterArgument]:
    before = dict(first.variables)
    for name, contents in launch.variables:
        if before.get(name) is not None and before[name] != contents:
            yield LaterArgument(name, launch.line.line)
