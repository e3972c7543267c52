"""Accesses that left a buffer of chosen size and met the buffer of another pointer, where they race."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.races.hazards import RACES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.races.hazards import Hazard


def overrun_buffers(hazard: Hazard, slicer: Slicer, arguments: Arguments) -> Iterator[ArgumentBuffer]:
    """Yield the buffers of chosen size that an access of a race left."""
    if hazard.buffer is None or hazard.kind not in RACES:
        return
    instructions = (hazard.instruction, hazard.other or hazard.instruction)
    for op in (op for item in instructions for op in slicer.ops_of(item)):
        numbers = {span.buffer for span in arguments.spans(slicer.pointers(op)) if span.buffer is not None}
        if hazard.buffer not in numbers:
            meant = (arguments.buffers[number] for number in sorted(numbers))
            yield from (buffer for buffer in meant if buffer.size is Origin.CHOSEN)
