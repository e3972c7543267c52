"""Sizes of the host code that follow a number which the user gives: buffers of `n` elements, grids of `n / 256` blocks.

The host code is read again with this number in place of the constant that its variable begins with.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.files import read_file
from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.argument_options import option_for
from shflbench.checker.inputs.elements import element_of
from shflbench.checker.inputs.grammar import NumberValue
from shflbench.checker.inputs.names import parameter_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.files import FileOptions
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.launches import PlannedLaunch
    from shflbench.checker.sources.kernel_file import HostArgument, HostLaunch, KernelFile, SourceKernel

MOST_TRIES = 8  # variables that are tried for all numbers; each takes a tenth of a second

# `n = 1024`, `n = argc > 1 ? atoi(argv[1]) : 1024`, or `#define N 1024`
_CONSTANT = re.compile(
    r"(?:\b(?P<variable>[A-Za-z_]\w*)\s*=\s*(?=[0-9(]|argc|argv|(?:std::)?(?:ato|sto))"
    r"|#\s*define\s+(?P<macro>\w+)\s+(?=[(0-9]))(?P<value>[^;,\n]*)"
)


def with_numbers(file: KernelFile, chosen: Sequence[SourceKernel], options: FileOptions) -> KernelFile:
    """Return the file with host code that passes the given numbers to the `chosen` kernels, where that is possible.

    For each number, a variable is looked for with which the host code passes it: one that begins with a
    constant, or a macro.
    """
    given = {item.name: item.value.value for item in options.arguments if isinstance(item.value, NumberValue)}
    numbers: dict[str, int | float] = {}
    tries = 0
    for name, value in given.items():
        for variable in _variables(file, chosen, name):
            if tries == MOST_TRIES or value in (passed := _passed(file, chosen, name)) or not passed:
                break
            tries += 1
            changed = (*numbers.items(), (variable, value))
            other = read_file(file.path, replace(options, nvcc=None, host_numbers=changed), options.deadline)
            if value in _passed(other, chosen, name):
                file, numbers = other, dict(changed)
    return file


def _variables(file: KernelFile, chosen: Sequence[SourceKernel], name: str) -> list[str]:
    """Return the variables that may be a number of the kernels, the most likely first."""
    texts = [argument.text for argument in _arguments(file, chosen, name) if argument.text.isidentifier()]
    source = file.path.read_text(encoding="utf-8", errors="replace")
    values = [str(value) for value in _passed(file, chosen, name)]
    constants = sorted(
        _CONSTANT.finditer(source),
        key=lambda match: (
            not any(re.search(rf"\b{re.escape(value)}\b", match["value"]) for value in values),
            match.start() < source.find("main("),
        ),
    )
    return list(dict.fromkeys([*texts, name, *(match["variable"] or match["macro"] for match in constants)]))


def _passed(file: KernelFile, chosen: Sequence[SourceKernel], name: str) -> set[int | float]:
    """Return the values that the host code passes to the kernels for a parameter."""
    return {argument.value for argument in _arguments(file, chosen, name) if argument.value is not None}


def _arguments(file: KernelFile, chosen: Sequence[SourceKernel], name: str) -> Iterator[HostArgument]:
    """Yield what the launches that the host code performs as it is pass to the kernels for a parameter."""
    symbols = {kernel.symbol for kernel in chosen}
    for kernel in file.kernels:
        places = [place for place, item in enumerate(kernel.parameters) if parameter_name(item, place) == name]
        performed = [host for host in kernel.host_launches if not host.assumed and not host.forced]
        for host in performed if kernel.symbol in symbols else ():
            yield from (host.arguments[place] for place in places if place < len(host.arguments))


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
