"""Whether a loop that takes many instructions takes them for any values that nobody gave, or for all arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.nests import exits_by_loop
from shflbench.emulator.machine.scheduler import StepLimitError

if TYPE_CHECKING:
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.emulator.dataflow.slices import Slice, Slicer
    from shflbench.errors import EmulatorError


def is_free_of_synthesized(error: EmulatorError | None, slicer: Slicer, arguments: Arguments) -> bool:
    """Whether neither chosen numbers nor contents of memory decide how often the loops of a long run iterate.

    They may decide whether a loop begins.
    """
    slices = _conditions(error, slicer)
    chosen = {
        start + byte
        for start, value in zip(arguments.offsets, arguments.parameters, strict=True)
        for span in value.spans
        if span.origin.is_synthesized and span.buffer is None
        for byte in range(span.start, span.end)
    }
    return bool(slices) and not any(
        depends.contents or depends.unknown or chosen & depends.parameters for depends in slices
    )


def is_free_of_arguments(error: EmulatorError | None, slicer: Slicer) -> bool:
    """Whether the loops of a long run iterate as often with all arguments, also with others than the host code's."""
    slices = _conditions(error, slicer)
    return bool(slices) and not any(depends.contents or depends.unknown or depends.parameters for depends in slices)


def _conditions(error: EmulatorError | None, slicer: Slicer) -> list[Slice]:
    """Return what decides until when the loops iterate in which a run reached the limit; empty if nothing is known."""
    if not isinstance(error, StepLimitError) or error.op is None:
        return []
    loops = [loop for op in slicer.ops_of(error.op.instruction) for loop in exits_by_loop(op, slicer)]
    return [slicer.of(branches, conditions_in=blocks) for blocks, branches in loops if branches]
