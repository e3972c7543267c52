"""The launch of a kernel with the arguments of an input."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex

from shflbench.checker import MOST_TIMED_THREADS, OneLaunch, cluster_dims, launch_shape
from shflbench.core.arch.launch_limits import limits_of, major
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.dimensions import NO_CLUSTER, Dims, dims_text
from shflbench.core.model import MAX_BLOCK
from shflbench.errors import UsageError
from shflbench.user_kernels.judge.user_calls import sizes_text

if TYPE_CHECKING:
    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeLaunch, JudgeRequest
    from shflbench.user_kernels.judge.sizes import Sizes


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


def dims_at(request: JudgeRequest, kernel: str, sizes: Sizes) -> LaunchedDims:
    """Return the dimensions of the launch of a kernel; UsageError if no kernel can be launched so."""
    launch = request.launches.of(kernel, sizes)
    try:
        dims = dims_of(launch)
        reason = _why_impossible(launch, dims, request.timing.arch or DEFAULT_ARCH)
    except UsageError as error:
        reason = error.message
    if reason:
        raise UsageError(
            f"`{kernel}` cannot be launched for {sizes_text(sizes)}: {reason}",
            "Correct grid, block, shared_bytes or cluster, or leave this size out.",
        )
    return dims


def _why_impossible(launch: JudgeLaunch, dims: LaunchedDims, arch: str) -> str:
    """Return why no kernel can be launched so; empty if one can."""
    if prod(dims.block) > MAX_BLOCK:
        return f"{prod(dims.block)} threads per block exceed {MAX_BLOCK}"
    if any(blocks % cluster for blocks, cluster in zip(dims.grid, dims.cluster, strict=True)):
        return f"a grid of {dims_text(dims.grid)} blocks does not consist of clusters of {dims_text(dims.cluster)}"
    most = limits_of(arch.rstrip("af")).block_shared_bytes(major(arch.rstrip("af")))
    given: object = launch.shared_bytes
    if not isinstance(given, SupportsIndex) or not 0 <= given.__index__() <= most:
        return f"shared_bytes is {given!r}, and {arch} has 0 to {most} bytes"
    return ""


def dims_of(launch: JudgeLaunch) -> LaunchedDims:
    """Return the dimensions of a launch; UsageError for what is none."""
    shape = launch_shape((launch.grid, launch.block), MOST_TIMED_THREADS)
    return LaunchedDims(shape.grid, shape.block, cluster_dims(launch.cluster) or NO_CLUSTER)
