"""Whether a kernel is written for warps: `warp = threadIdx.x / 32`, or shuffles in which all lanes take part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Collective
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from shflbench.emulator.dataflow.slices import Slicer

LOG_WARP = 5
ALL_LANES = 0xFFFF_FFFF


def divides_into_warps(slicer: Slicer) -> bool:
    """Return whether a kernel divides a number by 32, as it does to number its warps.

    Compilers do so by a shift, also where the number may be negative.
    """
    return any(
        has_role(op.instruction, OpcodeRole.RIGHT_SHIFT)
        and not isinstance(op.sources[1], Slot)
        and op.sources[1] == LOG_WARP
        for op in slicer.ops
    )


def takes_whole_warps(slicer: Slicer) -> bool:
    """Return whether all lanes of a warp take part in a shuffle, a vote or a reduction."""
    forms = ((op, op.form) for op in slicer.ops if isinstance(op.form, Collective))
    return any(form.mask is not None and op.sources[form.mask] == ALL_LANES for op, form in forms)
