"""Launches of the host code that follow the numbers which the user gives, and sizes of buffers that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument_options import option_for
from shflbench.checker.inputs.elements import element_of
from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.cuda_sources.kernel_file import HostLaunch, SourceKernel


def following(launches: Sequence[PlannedLaunch], kernel: SourceKernel, spec: ArgumentSpec) -> Sequence[PlannedLaunch]:
    """Return the launches to which the host code passes the given numbers; all if there are none."""

    def gets_them(launch: PlannedLaunch) -> bool:
        arguments = launch.host.arguments if launch.host is not None else ()
        passed = ((part.name, part.passed(arguments)) for part in kernel.parts)
        known = ((name, item) for name, item in passed if item is not None)
        return all(spec.given_value(name, item) is spec.given.get(name) for name, item in known)

    return [launch for launch in launches if gets_them(launch)] or launches


def fixed_sizes(kernel: SourceKernel, launch: PlannedLaunch, arguments: Arguments, varied: Sequence[str]) -> str:
    """Return why sizes of buffers do not follow the `varied` numbers, as a sentence; empty if they do, or are given."""
    if launch.host is None:
        return ""
    origins = {item.name: item.size for item in arguments.buffers}
    of_host = (part for part in kernel.parts if origins.get(part.name) is Origin.HOST)
    fixed = [option_for(part.name, part.item).removeprefix("--arg ") for part in of_host]
    for name, number, passed in _given_numbers(kernel, launch.host, arguments):
        if fixed and name in varied and number != passed:
            sizes = " ".join(f"--arg '{item},…'" for item in fixed)
            why = f"the host code does not compute its sizes from a constant `{name}`"
            return f"{why}; give a size for each value: {sizes}"
    return ""


def _given_numbers(
    kernel: SourceKernel, host: HostLaunch, arguments: Arguments
) -> Iterator[tuple[str, bytes, bytes | None]]:
    """Yield the numbers of a launch with the values that they have, and those that the host code passes."""
    for part in kernel.parts:
        element = element_of(part.item.element)
        if part.item.pointer or element is None:
            continue
        argument = part.passed(host.arguments)
        passed = argument.value if argument is not None else None
        try:
            data = element.encode([passed]).tobytes() if passed is not None else None
        except (OverflowError, ValueError):
            data = None
        start = part.offset - kernel.parameters[part.place].offset
        yield part.name, arguments.parameters[part.place].data[start : start + element.size], data
