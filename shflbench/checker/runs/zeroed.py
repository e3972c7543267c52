"""Which buffers have to begin with zeros to make sense: counters, locks and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.backends.emulator.opcodes.forms import Access
from shflbench.checker.inputs.derive import parameter_name
from shflbench.checker.runs.order import all_ops

if TYPE_CHECKING:
    from shflbench.backends.emulator.link.program import Program
    from shflbench.checker.slices import Slicer
    from shflbench.checker.sources.kernel_file import KernelParameter, SourceKernel


def zeroed_buffers(kernel: SourceKernel, program: Program, slicer: Slicer) -> frozenset[str]:
    """Return the names of the pointers through which the kernel performs atomics, or polls."""
    starts: set[int] = set()
    for op in all_ops(program):
        form = op.form
        if isinstance(form, Access) and (
            form.kind in {"atom", "red"} or (form.kind == "ld" and _polls(op.instruction.modifiers))
        ):
            starts |= slicer.pointers(op)
    return frozenset(
        name
        for place, parameter in enumerate(kernel.parameters)
        for name in _names(parameter_name(parameter, place), parameter, starts)
    )


def _polls(words: tuple[str, ...]) -> bool:
    return bool({"volatile", "relaxed", "acquire", "mmio"} & set(words))


def _names(name: str, parameter: KernelParameter, starts: set[int]) -> list[str]:
    if parameter.pointer:
        return [name] if parameter.offset in starts else []
    pointers = (part for part in parameter.fields if part.pointer and parameter.offset + part.offset in starts)
    return [f"{name}.{part.name}" for part in pointers]
