"""The clusters of planned launches: of the user, the host code or the kernel, and grids of whole clusters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.dimensions import NO_CLUSTER
from shflbench.cuda_sources.kernel_file import UNKNOWN_CLUSTER
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.opcodes.forms import ClusterBarrier
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import LaunchBounds
    from shflbench.emulator.link.program import Op

SYNTHESIZED_CLUSTER: Dims = (2, 1, 1)  # where the code uses clusters, and nothing says how large they are
UNSPECIFIED = "in clusters of 2 blocks, which nothing specifies"


def uses_clusters(ops: Iterable[Op]) -> bool:
    """Return whether the code of a kernel names its cluster or other blocks of it."""
    return any(isinstance(op.form, ClusterBarrier) or has_role(op.instruction, OpcodeRole.OF_CLUSTER) for op in ops)


def with_clusters(
    launch_plan: Sequence[PlannedLaunch], given: Dims | None, bounds: LaunchBounds, ops: Iterable[Op]
) -> list[PlannedLaunch]:
    """Return the plan with the clusters of each launch, and with whole clusters where its grid is not specified.

    Samples of blocks do not run in clusters.
    """
    uses = uses_clusters(ops)
    result: list[PlannedLaunch] = []
    for launch in launch_plan:
        cluster = given or (launch.host.cluster if launch.host is not None else None) or bounds.cluster
        note, basis = launch.note, launch.basis
        is_open = cluster is None and launch.origin.is_synthesized and launch.host is None
        if uses and (is_open or cluster == UNKNOWN_CLUSTER):
            cluster, note = SYNTHESIZED_CLUSTER, ", ".join(filter(None, (launch.note, UNSPECIFIED)))
            basis = basis if basis.is_synthesized else Origin.CHOSEN
        elif cluster == UNKNOWN_CLUSTER:
            cluster = None
        if cluster is None or cluster == NO_CLUSTER:
            result.append(launch)
        elif not launch.shape.sample:
            shape = replace(launch.shape, cluster=cluster).in_whole_clusters
            changed = replace(launch, shape=shape, note=note, basis=basis)
            if changed not in result:
                result.append(changed)
    return result
