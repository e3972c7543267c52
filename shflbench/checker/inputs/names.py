"""The names of a kernel's arguments: parameters, and the fields of structures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.inputs.grammar import NullValue, NumberValue
from shflbench.errors import UsageError
from shflbench.words import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.grammar import ArgumentValue, GivenArgument
    from shflbench.cuda_sources.kernel_file import Field, HostArgument, KernelParameter, SourceKernel


@dataclass(frozen=True, slots=True)
class ParameterPart:
    """What has one value: a parameter, or a field of one that is a structure by value."""

    name: str  # `n`, `view.rows`
    item: KernelParameter | Field
    offset: int  # bytes from the start of the parameters
    place: int  # of the parameter
    field: str = ""  # its name in the structure

    @property
    def plain_name(self) -> str:
        """The name without that of the parameter which is the structure."""
        return self.field or self.name

    def passed(self, arguments: Sequence[HostArgument]) -> HostArgument | None:
        """Return what a launch of the host code passes for it, None if that is not known."""
        if self.place >= len(arguments):
            return None
        return arguments[self.place].field(self.field) if self.field else arguments[self.place]


def parts_of(kernel: SourceKernel) -> Iterator[ParameterPart]:
    """Yield the parameters of a kernel, and the fields of each structure instead of it, if it has any."""
    for place, parameter in enumerate(kernel.parameters):
        name = parameter_name(parameter, place)
        if parameter.is_empty:
            continue
        if parameter.pointer or not parameter.fields:
            yield ParameterPart(name, parameter, parameter.offset, place)
        else:
            for part in parameter.fields:
                yield ParameterPart(f"{name}.{part.name}", part, parameter.offset + part.offset, place, part.name)


def names_of(kernel: SourceKernel) -> list[str]:
    """Return the names of what `--arg` can give: parameters, and the fields of structures as `parameter.field`."""
    names = []
    for place, parameter in enumerate(kernel.parameters):
        name = parameter_name(parameter, place)
        names.append(name)
        if not parameter.pointer:
            names += [f"{name}.{part.name}" for part in parameter.fields]
    return names


def offsets_of(kernel: SourceKernel) -> dict[str, int]:
    """Return the first bytes of all that `names_of` returns."""
    offsets = {}
    for place, parameter in enumerate(kernel.parameters):
        name = parameter_name(parameter, place)
        offsets[name] = parameter.offset
        if not parameter.pointer:
            offsets |= {f"{name}.{part.name}": parameter.offset + part.offset for part in parameter.fields}
    return offsets


def parameter_name(parameter: KernelParameter, place: int) -> str:
    """Return the name of a parameter, or `argN` where none is known."""
    return parameter.name or f"arg{place}"


def match_names(given: Sequence[GivenArgument], kernel: SourceKernel) -> dict[str, ArgumentValue]:
    """Return the values by the names of `kernel`, those that it has; a position counts as a name.

    Variables of the device have names, too, and take a number or the contents of a buffer.
    """
    known, values = names_of(kernel), {}
    variables = {item.name for item in kernel.variables}
    for argument in given:
        name = argument.name
        if name.isdecimal() and name not in known and int(name) < len(kernel.parameters):
            name = parameter_name(kernel.parameters[int(name)], int(name))
        if name in known or (name in variables and not isinstance(argument.value, NullValue)):
            values[name] = argument.value
    return values


def gives_buffers(given: Sequence[GivenArgument], kernel: SourceKernel) -> bool:
    """Whether all pointers of a kernel are given, so that no size is that of the host code."""
    values = match_names(given, kernel)
    places = enumerate(kernel.parameters)
    return all(parameter_name(parameter, place) in values for place, parameter in places if parameter.pointer)


def refuse_unknown(
    given: Sequence[GivenArgument], kernels: Sequence[SourceKernel], variables: Sequence[str] = ()
) -> None:
    """Raise UsageError for an argument of no kernel that is none of the host code's `variables` either."""
    for argument in given:
        if argument.name in variables and isinstance(argument.value, NumberValue):
            continue
        if kernels and not any(match_names([argument], kernel) for kernel in kernels):
            of_device = (item.name for kernel in kernels for item in kernel.variables if item.name.isidentifier())
            names = [*(name for kernel in kernels for name in names_of(kernel)), *of_device, *variables]
            known = [name for name in dict.fromkeys(names) if not name.startswith("__")]
            who = kernels[0].name if len(kernels) == 1 else "no kernel"
            has = f"{who} has no parameter" if len(kernels) == 1 else f"{who} has a parameter"
            allowed = f"allowed: {', '.join(known)}" if known else "there are none"
            raise UsageError(f"--arg: {has} `{argument.name}`; {allowed}{did_you_mean(argument.name, known)}")


def pointer_names(kernel: SourceKernel) -> dict[int, str]:
    """Return the names of the pointers, also of those in structures, by their first bytes."""
    return {part.offset: part.name for part in parts_of(kernel) if part.item.pointer}
