"""Launches with as many blocks as a block has threads, where the number of blocks decides what the threads do.

`for (i = threadIdx.x; i < gridDim.x; i += blockDim.x)` leaves most threads without work in a grid of few blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.default_launches import more_blocks
from shflbench.checker.inputs.sampled import MOST_WHOLE
from shflbench.emulator.opcodes.forms import Access, Barrier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op


def with_wider_grids(launch_plan: Sequence[PlannedLaunch], slicer: Slicer) -> list[PlannedLaunch]:
    """Return a plan with a larger grid of each launch that was scaled down, unless blocks of the whole one run."""
    missing = [item for item in launch_plan if item.origin.is_scaled_down and not _is_sampled(item, launch_plan)]
    if not any(item.shape.blocks < item.shape.threads_per_block for item in missing) or not _counts_blocks(slicer):
        return list(launch_plan)
    wider = (more_blocks(item, item.shape.threads_per_block) for item in missing)
    fitting = (item for item in wider if item is not None and item.shape.threads <= MOST_WHOLE)
    return list(dict.fromkeys((*launch_plan, *fitting)))


def _is_sampled(launch: PlannedLaunch, launch_plan: Sequence[PlannedLaunch]) -> bool:
    return any(item.shape.sample and item.host is launch.host for item in launch_plan)


def _counts_blocks(slicer: Slicer) -> bool:
    """Whether the number of blocks decides on an address, or on what runs, apart from barriers of the grid."""
    ops = [op for op in slicer.ops if isinstance(op.form, Barrier) or _is_of_kernel(op, slicer)]
    return slicer.of(ops).grid


def _is_of_kernel(op: Op, slicer: Slicer) -> bool:
    is_shared = op.place is not None and op.place.space == "shared"
    return isinstance(op.form, Access) and (is_shared or bool(slicer.pointers(op)))
