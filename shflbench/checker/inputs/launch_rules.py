"""The launches that no GPU accepts: what exceeds which limit of the architecture or of the kernel.

Tried on an H100 with CUDA 13: the driver refuses each of them with an error that only `cudaGetLastError` returns, so
that the kernel does not run and the program continues.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.core.arch.launch_limits import USUAL_SHARED, limits_of, major
from shflbench.core.dimensions import MAX_BLOCK_DIMS, MAX_CLUSTER, MAX_GRID, NO_CLUSTER, dims_text
from shflbench.core.model import MAX_BLOCK
from shflbench.cuda_sources.kernel_file import NEGATIVE, UNKNOWN_CLUSTER
from shflbench.emulator.dataflow.grid_barrier import has_grid_barrier
from shflbench.emulator.machine.threads import divides
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import HostLaunch, LaunchBounds
    from shflbench.cuda_sources.source_lines import SourceLine

_FIRST_CLUSTERS = 9  # major compute capability
RAISE_LIMIT = "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)"

COOPERATIVE = "cudaLaunchCooperativeKernel, or with cudaLaunchAttributeCooperative"


@dataclass(frozen=True, slots=True)
class InvalidLaunch:
    """One launch of the host code that no GPU accepts."""

    line: SourceLine
    shape: str  # as `--launch` takes it; "" if the host code determines only a part of it
    reason: str


@dataclass(frozen=True, slots=True)
class LaunchRules:
    """What decides whether a GPU accepts the launches of a kernel."""

    arch: str  # `sm_90`
    bounds: LaunchBounds
    static_shared_bytes: int  # per block
    raises_shared_limit: bool  # the host code, or the user, lets blocks have more than 48 KiB of shared memory
    has_grid_barrier: bool = False

    def of_host(self, launch: HostLaunch) -> str:
        """Return why no GPU accepts a launch of the host code, "" if one may; what is not constant may be valid."""
        reasons = [
            *(_grid(launch.grid) if launch.grid is not None else ()),
            *(self._block(launch.block) if launch.block is not None else ()),
            *(self._shared(launch.shared_bytes) if launch.shared_bytes is not None else ()),
        ]
        reasons += self._cluster(launch.cluster, launch.grid)
        if self.has_grid_barrier and not launch.cooperative:
            reasons.append(f"`grid.sync()` needs a launch by {COOPERATIVE}")
        return " and ".join(reasons)

    def of_shape(self, shape: LaunchShape, shared_bytes: int) -> str:
        """Return why no GPU accepts a launch that the user gives, with bytes of dynamic shared memory; "" if one may.

        The user cannot say whether the launch is cooperative: that it is not is no reason.
        """
        of_parts = chain(_grid(shape.grid), self._block(shape.block), self._shared(shared_bytes))
        return " and ".join(chain(of_parts, self._cluster(shape.cluster, shape.grid)))

    def _cluster(self, cluster: Dims | None, grid: Dims | None) -> Iterator[str]:
        """Yield what is wrong with the clusters of a launch, which are those of the kernel if it declares some."""
        given: Dims | None = None if cluster in {NO_CLUSTER, UNKNOWN_CLUSTER} else cluster
        declared = self.bounds.cluster
        if given is not None and declared is not None and given != declared:
            yield f"the kernel declares clusters of {dims_text(declared)} blocks, not of {dims_text(given)}"
        clusters = given or declared
        if clusters is None:
            return
        x, y, z = clusters
        text, blocks = dims_text(clusters), x * y * z
        if not blocks:
            yield "a cluster has no blocks"
        elif blocks > 1 and major(self.arch.rstrip("af")) < _FIRST_CLUSTERS:
            yield f"clusters of {text} blocks need sm_{_FIRST_CLUSTERS}0 or newer, not {self.arch}"
        elif blocks > MAX_CLUSTER:
            yield f"{blocks} blocks per cluster exceed the limit of {MAX_CLUSTER}"
        elif grid is not None and 0 not in grid and not divides(clusters, grid):
            yield f"a grid of {dims_text(grid)} blocks does not consist of clusters of {text}"

    def _block(self, block: Dims) -> Iterator[str]:
        threads, most, required = prod(block), self.bounds.max_threads, self.bounds.required_threads
        if not threads:
            yield "a block has no threads"
        elif threads > MAX_BLOCK:
            yield f"{threads} threads per block exceed the limit of {MAX_BLOCK}"
        elif required is not None and block != required:
            yield f"the kernel requires blocks of {dims_text(required)} threads, not {dims_text(block)}"
        elif most is not None and threads > prod(most):
            yield f"{threads} threads per block exceed the {prod(most)} of the kernel's `__launch_bounds__`"
        elif block[2] > MAX_BLOCK_DIMS[2]:
            yield f"{block[2]} threads of a block along z exceed the limit of {MAX_BLOCK_DIMS[2]}"

    def _shared(self, dynamic: int) -> Iterator[str]:
        name = self.arch.rstrip("af")
        most = limits_of(name).block_shared_bytes(major(name))
        total = self.static_shared_bytes + dynamic
        what = f"{total} bytes of shared memory per block exceed the"
        if total > NEGATIVE // 2:
            yield f"a block cannot have {dynamic - NEGATIVE} bytes of shared memory"
        elif total > most:
            yield f"{what} {most} of {name}"
        elif dynamic and total > USUAL_SHARED and not self.raises_shared_limit:
            yield f"{what} {USUAL_SHARED} that are allowed without {RAISE_LIMIT}"


def _grid(grid: Dims) -> Iterator[str]:
    if not prod(grid):
        yield "the grid has no blocks"
    for axis, size, most in zip("xyz", grid, MAX_GRID, strict=True):
        if size > most:
            yield f"{size} blocks along {axis} exceed the limit of {most}"


def launch_rules(linked: LinkedKernel, arch: str, *, raises_shared_limit: bool) -> LaunchRules:
    """Return what decides on the launches of a linked kernel on `arch`."""
    return LaunchRules(
        arch,
        linked.kernel.launch_bounds,
        linked.program.declared_shared_bytes,
        raises_shared_limit,
        has_grid_barrier(linked.slicer),
    )


def without_invalid(linked: LinkedKernel, rules: LaunchRules) -> tuple[LinkedKernel, tuple[InvalidLaunch, ...]]:
    """Return the kernel without the launches of the host code that no GPU accepts, and these, each line once."""
    invalid: dict[SourceLine, InvalidLaunch] = {}
    valid = []
    for launch in linked.kernel.host_launches:
        reason = rules.of_host(launch)
        if reason and launch.assumed:
            continue  # the program takes other numbers
        if reason:
            is_whole = launch.grid is not None and launch.block is not None
            shape = str(LaunchShape(launch.grid, launch.block)) if is_whole else ""  # type: ignore[arg-type]
            invalid.setdefault(launch.line, InvalidLaunch(launch.line, shape, reason))
        else:
            valid.append(launch)
    return replace(linked, kernel=replace(linked.kernel, host_launches=tuple(valid))), tuple(invalid.values())


def refuse_invalid(rules: LaunchRules, shapes: Sequence[LaunchShape], shared_bytes: int, kernel: str) -> None:
    """Raise UsageError if no GPU accepts one of the launches of `kernel` that the user gives."""
    for shape in shapes:
        if reason := rules.of_shape(shape, shared_bytes):
            text = f"--launch `{shape}` is invalid for kernel `{kernel}`: {reason}"
            raise UsageError(text, "Give a launch within the limits, or choose other kernels by --kernel.")
