"""Sizes of the host code that follow a number which the user gives: buffers of `n` elements, grids of `n / 256` blocks.

The host code is read again with this number in place of the constant that its variable begins with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.files import read_file
from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.argument_options import option_for
from shflbench.checker.inputs.elements import element_of
from shflbench.checker.inputs.grammar import NumberValue
from shflbench.checker.inputs.names import matched, parameter_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.files import FileOptions
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.launches import PlannedLaunch
    from shflbench.checker.sources.kernel_file import HostLaunch, KernelFile, SourceKernel


def with_numbers(file: KernelFile, chosen: Sequence[SourceKernel], options: FileOptions) -> KernelFile:
    """Return the file with host code whose variables begin with the numbers that are given for them.

    The variables are those that the host code passes to the `chosen` kernels.
    """
    numbers: dict[str, int | float] = {}
    for kernel in chosen:
        given = matched(options.arguments, kernel)
        for host in kernel.host_launches:
            for place, argument in enumerate(host.arguments[: len(kernel.parameters)]):
                value = given.get(parameter_name(kernel.parameters[place], place))
                if isinstance(value, NumberValue) and argument.text.isidentifier() and argument.value != value.value:
                    numbers.setdefault(argument.text, value.value)
    if not numbers:
        return file
    return read_file(file.path, replace(options, nvcc=None, host_numbers=tuple(numbers.items())), options.deadline)


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
