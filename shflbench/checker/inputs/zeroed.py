"""Find the buffers that have to begin with zeros to make sense: counters, locks and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.names import pointer_names
from shflbench.checker.opcodes.forms import Access

if TYPE_CHECKING:
    from shflbench.checker.dataflow.slices import Slicer
    from shflbench.checker.link.program import Program
    from shflbench.checker.sources.kernel_file import SourceKernel


def zeroed_buffers(kernel: SourceKernel, program: Program, slicer: Slicer) -> frozenset[str]:
    """Return the names of the pointers through which the kernel performs atomics, or polls."""
    starts: set[int] = set()
    for op in program.ops():
        form = op.form
        if isinstance(form, Access) and (
            form.kind in {"atom", "red"} or (form.kind == "ld" and _polls(op.instruction.modifiers))
        ):
            starts |= slicer.pointers(op)
    return frozenset(name for start, name in pointer_names(kernel).items() if start in starts)


def _polls(words: tuple[str, ...]) -> bool:
    return bool({"volatile", "relaxed", "acquire", "mmio"} & set(words))
