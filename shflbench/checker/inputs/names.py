"""The arguments that the user gives, by the names of a kernel's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.grammar import NullValue, NumberValue
from shflbench.core.words import did_you_mean
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.grammar import ArgumentValue, GivenArgument
    from shflbench.cuda_sources.kernel_file import SourceKernel


def match_names(given: Sequence[GivenArgument], kernel: SourceKernel) -> dict[str, ArgumentValue]:
    """Return the values by the names of `kernel`, those that it has; a position counts as a name.

    Variables of the device have names, too, and take a number or the contents of a buffer.
    """
    known, values = kernel.offsets, {}
    variables = {item.name for item in kernel.variables}
    for argument in given:
        name = argument.name
        if name.isdecimal() and name not in known and int(name) < len(kernel.parameters):
            name = kernel.parameters[int(name)].name
        if name in known or (name in variables and not isinstance(argument.value, NullValue)):
            values[name] = argument.value
    return values


def gives_buffers(given: Sequence[GivenArgument], kernel: SourceKernel) -> bool:
    """Whether all pointers of a kernel are given, so that no size is that of the host code."""
    values = match_names(given, kernel)
    return all(parameter.name in values for parameter in kernel.parameters if parameter.pointer)


def refuse_unknown(
    given: Sequence[GivenArgument], kernels: Sequence[SourceKernel], variables: Sequence[str] = ()
) -> None:
    """Raise UsageError for an argument of no kernel that is none of the host code's `variables` either."""
    for argument in given:
        if argument.name in variables and isinstance(argument.value, NumberValue):
            continue
        if kernels and not any(match_names([argument], kernel) for kernel in kernels):
            of_device = (item.name for kernel in kernels for item in kernel.variables if item.name.isidentifier())
            names = [*(name for kernel in kernels for name in kernel.offsets), *of_device, *variables]
            known = [name for name in dict.fromkeys(names) if not name.startswith("__")]
            who = kernels[0].name if len(kernels) == 1 else "no kernel"
            has = f"{who} has no parameter" if len(kernels) == 1 else f"{who} has a parameter"
            allowed = f"allowed: {', '.join(known)}" if known else "there are none"
            raise UsageError(f"--arg: {has} `{argument.name}`; {allowed}{did_you_mean(argument.name, known)}")
