"""Launches of the host code that follow the numbers which the user gives, and sizes of buffers that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.argument_options import option_for
from shflbench.checker.inputs.elements import element_of
from shflbench.checker.inputs.names import parameter_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.wishes import Wishes
    from shflbench.checker.sources.kernel_file import HostLaunch, SourceKernel


def following(launches: Sequence[PlannedLaunch], kernel: SourceKernel, wishes: Wishes) -> Sequence[PlannedLaunch]:
    """Return the launches to which the host code passes the given numbers; all if there are none."""
    names = [parameter_name(parameter, place) for place, parameter in enumerate(kernel.parameters)]

    def gets_them(launch: PlannedLaunch) -> bool:
        passed = zip(names, launch.host.arguments if launch.host is not None else (), strict=False)
        return all(wishes.given_value(name, argument) is wishes.given.get(name) for name, argument in passed)

    return [launch for launch in launches if gets_them(launch)] or launches


def fixed_sizes(kernel: SourceKernel, launch: PlannedLaunch, arguments: Arguments, varied: Sequence[str]) -> str:
    """Return why sizes of buffers do not follow the `varied` numbers, as a sentence; empty if they do, or are given."""
    if launch.host is None:
        return ""
    fixed = []
    for place, (parameter, value) in enumerate(zip(kernel.parameters, arguments.parameters, strict=True)):
        buffer = arguments.buffer(value.spans[0].buffer)
        name = parameter_name(parameter, place)
        if buffer is not None and buffer.size is Origin.HOST and name == buffer.name:
            fixed.append(option_for(name, parameter).removeprefix("--arg "))
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
    parts = zip(kernel.parameters, arguments.parameters, strict=True)
    for place, (parameter, value) in enumerate(parts):
        element = element_of(parameter.element)
        if parameter.pointer or element is None:
            continue
        passed = host.arguments[place].value if place < len(host.arguments) else None
        try:
            data = element.encode([passed]).tobytes() if passed is not None else None
        except (OverflowError, ValueError):
            data = None
        yield parameter_name(parameter, place), value.data[: element.size], data
