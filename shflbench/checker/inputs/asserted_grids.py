"""Launches in the grid that a kernel asserts, where nobody specifies another one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.asserted_sizes import AXES, asserted_sizes
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.emulator.dataflow.slices import Slicer

MOST_BLOCKS = 1 << 10  # of a grid that runs as a whole


def with_asserted_grids(launch_plan: Sequence[PlannedLaunch], slicer: Slicer) -> list[PlannedLaunch]:
    """Return a plan that begins with launches in the grid that the kernel asserts, where nothing specifies another one.

    The others follow: an assertion may hold for them, too.
    """
    sizes = asserted_sizes(slicer, "%nctaid")
    if not sizes:
        return list(launch_plan)
    asserted = []
    for launch in launch_plan:
        x, y, z = (sizes.get(axis, size) for axis, size in zip(AXES, launch.shape.grid, strict=True))
        if (launch.origin.is_synthesized or launch.assumed) and not launch.shape.sample and x * y * z <= MOST_BLOCKS:
            shape = replace(launch.shape, grid=(x, y, z))
            basis = Origin.SPECIFIED if launch.origin.is_of_program else launch.basis
            asserted.append(PlannedLaunch(shape, basis, launch.host, "with the grid that the kernel asserts"))
    distinct = {(item.shape, item.host and item.host.line): item for item in reversed(asserted)}
    return list(dict.fromkeys((*reversed(distinct.values()), *launch_plan)))
