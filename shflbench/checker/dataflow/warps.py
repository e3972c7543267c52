"""Whether a kernel divides its threads into warps by their numbers: `warp = threadIdx.x / 32`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.link.program import Slot
from shflbench.checker.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from shflbench.checker.dataflow.slices import Slicer

LOG_WARP = 5


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
