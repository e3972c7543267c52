"""Structures by value as Python programs have them: mappings of fields, and structured scalars of NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.core.words import did_you_mean
from shflbench.cuda_sources.kernel_file import KernelParameter
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_structure(value: object) -> bool:
    """Whether a value has named fields."""
    return isinstance(value, Mapping) or (isinstance(value, np.void | np.ndarray) and value.dtype.names is not None)


def parts(parameter: KernelParameter, value: object) -> Iterator[tuple[KernelParameter, object]]:
    """Yield the fields of a structure as parameters, with their values; UsageError unless the value has just these.

    Other values are those of the parameter itself.
    """
    if parameter.pointer or not parameter.fields or not is_structure(value):
        yield parameter, value
        return
    fields = {
        item.name: KernelParameter(f"{parameter.name}.{item.name}", item.type, item.element, item.pointer, item.size)
        for item in parameter.fields
    }
    given = dict(_named("", value, fields))
    for name in given:
        if name not in fields:
            known = f"Its fields are {', '.join(fields)}."
            raise UsageError(
                f"argument {parameter.name} has no field `{name}`{did_you_mean(name, list(fields))}", known
            )
    if missing := [name for name in fields if name not in given]:
        raise UsageError(f"argument {parameter.name} has no value for its field `{missing[0]}`", "Pass all fields.")
    yield from ((fields[name], given[name]) for name in fields)


def _named(name: str, value: Any, fields: Mapping[str, object]) -> Iterator[tuple[str, object]]:  # noqa: ANN401
    """Yield the values in a structure by the names of fields: `rows`, `origin.x`, `steps[1]`."""
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if is_structure(value):
        for key in value if isinstance(value, Mapping) else value.dtype.names:
            yield from _named(f"{name}.{key}" if name else str(key), value[key], fields)
    elif name not in fields and isinstance(value, list | tuple | np.ndarray):
        for place, item in enumerate(value):
            yield from _named(f"{name}[{place}]", item, fields)
    else:
        yield name, value
