"""Volatile or relaxed reads by which the last block takes what others wrote: the count of blocks has to order them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.tickets import tickets

if TYPE_CHECKING:
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op
    from shflbench.emulator.races.hazards import Hazard


def is_read_of_last_block(hazard: Hazard, slicer: Slicer) -> bool:
    """Whether a read runs only in a block that a count calls the last, and takes what another block wrote.

    No race, but the write may become visible after the count unless a fence lies between (CUDA C++ Programming Guide,
    "Memory Fence Functions", whose example has both).
    """
    if len(hazard.accesses) != 2 or hazard.space != "global":  # noqa: PLR2004  (the accesses of a race)
        return False
    earlier, later = hazard.accesses
    if (earlier.kind, later.kind) != ("st", "ld") or earlier.thread[0] == later.thread[0]:
        return False
    return bool(slicer.kept(tickets)) and all(
        _is_decided_by_data(op, slicer) for op in slicer.ops_of(later.instruction)
    )


def _is_decided_by_data(op: Op, slicer: Slicer) -> bool:
    depends = slicer.of(slicer.all_conditions(op))
    return bool(depends.contents or depends.variables) or depends.unknown
