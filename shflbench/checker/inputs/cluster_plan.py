"""The clusters of planned launches: of the user, the host code or the kernel, and grids of whole clusters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.shapes import NO_CLUSTER
from shflbench.checker.opcodes.forms import ClusterBarrier
from shflbench.checker.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.link.program import Op
    from shflbench.checker.sources.kernel_file import LaunchBounds
    from shflbench.dimensions import Dims

DERIVED_CLUSTER: Dims = (2, 1, 1)  # where the code uses clusters, and nothing says how large they are
UNSTATED = "in clusters of 2 blocks, which nothing states"


def with_clusters(
    launch_plan: Sequence[PlannedLaunch], given: Dims | None, bounds: LaunchBounds, ops: Iterable[Op]
) -> list[PlannedLaunch]:
    """Return the plan with the clusters of each launch, and with whole clusters where its grid is not stated.

    Samples of blocks do not run in clusters.
    """
    uses = any(isinstance(op.form, ClusterBarrier) or has_role(op.instruction, OpcodeRole.OF_CLUSTER) for op in ops)
    result: list[PlannedLaunch] = []
    for launch in launch_plan:
        cluster = given or (launch.host.cluster if launch.host is not None else None) or bounds.cluster
        note = launch.note
        if cluster is None and uses and launch.origin is Origin.DERIVED and launch.host is None:
            cluster, note = DERIVED_CLUSTER, ", ".join(filter(None, (launch.note, UNSTATED)))
        if cluster is None or cluster == NO_CLUSTER:
            result.append(launch)
        elif not launch.shape.sample:
            shape = replace(launch.shape, cluster=cluster).in_whole_clusters
            changed = replace(launch, shape=shape, note=note)
            if changed not in result:
                result.append(changed)
    return result
