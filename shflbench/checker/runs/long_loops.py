"""Whether a loop that takes many instructions takes them for any values that nobody gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.dataflow.nests import loop_exits
from shflbench.checker.inputs.argument import Origin
from shflbench.checker.machine.scheduler import StepLimitError

if TYPE_CHECKING:
    from shflbench.checker.dataflow.slices import Slicer
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.errors import EmulatorError


def is_free_of_derived(error: EmulatorError | None, slicer: Slicer, arguments: Arguments) -> bool:
    """Whether neither derived numbers nor contents of memory decide how often the loops of a long run iterate."""
    if not isinstance(error, StepLimitError) or error.op is None:
        return False
    branches = [branch for op in slicer.ops_of(error.op.instruction) for branch in loop_exits(op, slicer)]
    depends = slicer.of(branches)
    derived = {
        start + byte
        for start, value in zip(arguments.offsets, arguments.parameters, strict=True)
        for span in value.spans
        if span.origin is Origin.DERIVED and span.buffer is None
        for byte in range(span.start, span.end)
    }
    return bool(branches) and not depends.contents and not depends.unknown and not derived & depends.parameters
