"""The clusters of launches that are timed: of the user, or the host code, where the kernel does not declare them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.cluster_plan import uses_clusters
from shflbench.checker.inputs.launch_rules import launch_rules, refuse_invalid
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.cuda_sources.kernel_file import UNKNOWN_CLUSTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.core.dimensions import Dims


UNSPECIFIED = "it uses clusters, and the host code does not determine their blocks"
GIVE_CLUSTER = "give them by --cluster"


def refuse_clusters(linked: LinkedKernel, shapes: Sequence[LaunchShape], cluster: Dims | None, arch: str) -> None:
    """Raise UsageError if launches cannot have the clusters that the user gives."""
    if cluster is not None:
        rules = launch_rules(linked, arch, raises_shared_limit=True)
        refuse_invalid(rules, [replace(shape, cluster=cluster) for shape in shapes], 0, linked.kernel.name)


def in_specified_clusters(
    linked: LinkedKernel, launches: Sequence[PlannedLaunch], given: Dims | None, arch: str
) -> tuple[list[PlannedLaunch], str]:
    """Return launches in the clusters that the user or the host code specifies, and why one of them cannot be timed.

    UsageError if the user gives a size that does not fit a launch.
    """
    refuse_clusters(linked, [launch.shape for launch in launches], given, arch)
    specified = [_in_clusters(launch, given, linked) for launch in launches]
    if any(launch.shape.cluster == UNKNOWN_CLUSTER for launch in specified):
        return specified, UNSPECIFIED
    rules = launch_rules(linked, arch, raises_shared_limit=True)
    known = [item.shape for item in specified if item.shape.cluster != NO_CLUSTER]
    return specified, next(filter(None, (rules.of_shape(shape, 0) for shape in known)), "")


def _in_clusters(launch: PlannedLaunch, given: Dims | None, linked: LinkedKernel) -> PlannedLaunch:
    """Return a launch in clusters; `UNKNOWN_CLUSTER` where the host code does not determine what the kernel uses."""
    if linked.kernel.launch_bounds.cluster is not None:
        return replace(launch, shape=replace(launch.shape, cluster=NO_CLUSTER))
    cluster = given or (launch.host.cluster if launch.host is not None else None) or NO_CLUSTER
    if cluster == UNKNOWN_CLUSTER and not uses_clusters(linked.slicer.ops):
        cluster = NO_CLUSTER
    return replace(launch, shape=replace(launch.shape, cluster=cluster))
