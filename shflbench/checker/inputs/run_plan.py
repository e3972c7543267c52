"""The launches to check a kernel at, and all that decides on their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shflbench.checker.dataflow.scope import used_indexes
from shflbench.checker.inputs.blocks import suggested_blocks
from shflbench.checker.inputs.bounds import size_bounds
from shflbench.checker.inputs.covering import with_covering
from shflbench.checker.inputs.launches import plan
from shflbench.checker.inputs.names import matched
from shflbench.checker.inputs.sampled import with_samples
from shflbench.checker.inputs.thresholds import thresholds
from shflbench.checker.inputs.wishes import Wishes
from shflbench.checker.inputs.zeroed import zeroed_buffers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.inputs.launches import PlannedLaunch
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.inputs.shapes import LaunchShape


class RunPlan(NamedTuple):
    """What to run a kernel with."""

    wishes: Wishes
    launches: list[PlannedLaunch]


def plan_runs(
    linked: LinkedKernel,
    arguments: Sequence[GivenArgument],
    launches: Sequence[LaunchShape],
    shared_bytes: int | None,
) -> RunPlan:
    """Return the plan for a kernel with what the user gave; UsageError if an argument does not fit it."""
    kernel, program, slicer = linked.kernel, linked.program, linked.slicer
    wishes = Wishes(
        given=matched(arguments, kernel),
        shared_bytes=shared_bytes,
        uses_dynamic_shared=linked.uses_dynamic_shared,
        zeroed=zeroed_buffers(kernel, program, slicer),
        bounds=size_bounds(kernel, slicer),
        thresholds=thresholds(kernel, slicer),
    )
    indexes = used_indexes(program)
    suggestions = suggested_blocks(program, indexes, kernel.named_block, kernel.launch_bounds)
    usual = plan(launches, kernel.host_launches, indexes, kernel.launch_bounds, suggestions)
    return RunPlan(wishes, with_samples(with_covering(usual, kernel, wishes), slicer.ops, indexes))
