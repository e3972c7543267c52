"""The option that gives an argument which nobody specifies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.elements import element_of

if TYPE_CHECKING:
    from shflbench.cuda_sources.kernel_file import Field, KernelParameter

HOST_ARGS = "--host-args"
UNKNOWN = "u8"  # element type of a buffer whose type has no name here


def option_for(name: str, parameter: KernelParameter | Field) -> str:
    """Return the option for a parameter or a field, `--arg in=f32[COUNT]` or `--arg n=NUMBER`."""
    element = element_of(parameter.element)
    size = f"{element.name if element is not None else UNKNOWN}[COUNT]"
    return f"--arg {name}={size if parameter.pointer else 'NUMBER'}"
