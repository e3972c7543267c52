"""Arguments of a Python program for the parameters of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.checker.inputs.elements import element_of
from shflbench.checker.inputs.grammar import ArrayValue, GivenArgument, NullValue, NumberValue
from shflbench.checker.python.values import OVERLAP, HostValues, Value, memory
from shflbench.core.words import did_you_mean
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shflbench.checker.inputs.grammar import ArgumentValue
    from shflbench.checker.python.prepared import Arguments
    from shflbench.cuda_sources.kernel_file import KernelParameter


def named_values(args: Arguments, names: Sequence[str], kernel: str) -> dict[str, object]:
    """Return the arguments by name; UsageError for too many, or for a name that the kernel does not have."""
    if args is None:
        return {}
    if isinstance(args, Mapping):
        for name in args:
            if name not in names:
                raise UsageError(
                    f"{kernel} has no argument `{name}`{did_you_mean(str(name), names)}",
                    f"Its arguments are {', '.join(names)}." if names else "It has no arguments.",
                )
        return dict(args)
    values = list(args)
    if len(values) > len(names):
        known = f": {', '.join(names)}" if names else ""
        raise UsageError(f"{len(values)} arguments are given, and {kernel} takes {len(names)}{known}")
    return dict(zip(names, values, strict=False))


def read_arguments(
    values: Mapping[str, object], parameters: Sequence[KernelParameter], keys: Mapping[str, int] | None = None
) -> tuple[list[GivenArgument], dict[str | int, tuple[int, NDArray[Any]]]]:
    """Return the arguments for parameters of these names, and the arrays among them by their keys, or else by name.

    UsageError where a value does not fit its parameter.
    """
    arguments, host = [], HostValues()
    arrays: dict[str | int, tuple[int, NDArray[Any]]] = {}
    for number, parameter in enumerate(parameters):
        if parameter.name not in values:
            continue
        value = host.of(values[parameter.name], parameter.name)
        arguments.append(GivenArgument(parameter.name, _argument(value, parameter)))
        if isinstance(value, np.ndarray):
            refuse_overlap(value, parameter.name, [array for _, array in arrays.values()])
            arrays[keys[parameter.name] if keys else parameter.name] = (number, value)
    return arguments, arrays


def refuse_overlap(array: NDArray[Any], name: str, others: Sequence[NDArray[Any]]) -> None:
    """Refuse a part of another array: buffers are shared as a whole or not at all."""
    for other in others:
        same = (array.ctypes.data, array.nbytes) == (other.ctypes.data, other.nbytes)
        if not same and np.may_share_memory(array, other):
            raise UsageError(
                f"argument {name} {OVERLAP}",
                f"Pass a copy of it, or the whole array: {name}.copy().",
            )


def _argument(value: Value, parameter: KernelParameter) -> ArgumentValue:
    if value is None:
        return NullValue()
    if isinstance(value, np.ndarray):
        if not parameter.pointer and parameter.size != POINTER_BYTES:
            raise UsageError(f"argument {parameter.name} is an array, and the kernel takes a number")
        _check_element(value, parameter)
        return ArrayValue(memory(value))
    number = value.item() if isinstance(value, np.generic) else value
    if parameter.pointer or not isinstance(number, int | float):
        wanted = "an array" if parameter.pointer else "an integer or a floating-point number"
        raise UsageError(f"argument {parameter.name} is {number!r}, and the kernel takes {wanted}")
    return NumberValue(int(number) if isinstance(number, bool) else number)


POINTER_BYTES = 8


def _check_element(array: NDArray[Any], parameter: KernelParameter) -> None:
    """Refuse an array of another type than the kernel's: NumPy makes f64 where most kernels take f32."""
    wanted, element = element_of(parameter.element), array.dtype
    if wanted is None or element_of(element.str) is None:
        return
    same_kind = (wanted.kind == "f") == (element.kind == "f") or wanted.name == "bf16"
    if element.itemsize not in {wanted.size, parameter.element_bytes} or not same_kind:
        raise UsageError(
            f"argument {parameter.name} is an array of {element.name}, and the kernel takes {wanted.name}",
            f"Pass {parameter.name}.astype(…), or make the array with the type.",
        )
