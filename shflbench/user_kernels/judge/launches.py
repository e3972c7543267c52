"""The launch of a kernel with the arguments of an input."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shflbench.checker import MOST_TIMED_THREADS, OneLaunch, cluster_dims, launch_shape
from shflbench.core.dimensions import NO_CLUSTER, Dims

if TYPE_CHECKING:
    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeLaunch


def one_launch(launch: JudgeLaunch, item: JudgeInput) -> OneLaunch:
    """Return the launch with these arguments."""
    return OneLaunch(
        grid=launch.grid,
        block=launch.block,
        arguments=item.arguments,
        shared_bytes=launch.shared_bytes,
        cluster=launch.cluster,
    )


class LaunchedDims(NamedTuple):
    """The dimensions of a launch: blocks of the grid, threads of a block, blocks of a cluster."""

    grid: Dims
    block: Dims
    cluster: Dims


def dims_of(launch: JudgeLaunch) -> LaunchedDims:
    """Return the dimensions of a launch; UsageError for what is none."""
    shape = launch_shape((launch.grid, launch.block), MOST_TIMED_THREADS)
    return LaunchedDims(shape.grid, shape.block, cluster_dims(launch.cluster) or NO_CLUSTER)
