"""Find the launch bounds of a case: what `LAUNCH_BOUNDS` stands for in the kernels of a pattern.

Without `__launch_bounds__`, the compiler gives a thread few registers, so that blocks of 1024 threads and many warps
per SM fit. It then puts independent instructions one after another, and a launch of one warp per SM waits for each: the
64 butterflies of `batched-reduce` took 7,117 cycles on an H100 (the run of `exchanges` at 31718ad4), and 1,802 with
bounds (`tools/docs/records/opponents.json`). So each kernel is compiled for the threads of its blocks and for as many
blocks per SM as its launch needs, and no more (CUDA C++ Programming Guide 13.0, "Launch Bounds"). Where registers do
not suffice for these, the compiler decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from shflbench.core.arch.launch_limits import LIMITS, Limits
from shflbench.core.launch import Unit, split_launch
from shflbench.core.model import DTYPES, MAX_BLOCK
from shflbench.patterns.declare import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.model import Case
    from shflbench.patterns.declare import LaterKernel, Pattern, Variant

_ONE_BLOCK = Limits(threads=MAX_BLOCK, blocks=1, shared_bytes=0, sms=1)  # of an SM of an unknown architecture


@dataclass(frozen=True, slots=True)
class CompiledBounds:
    """The threads of a block, and how many blocks an SM must hold at once; 0 leaves that to the compiler."""

    threads: int
    blocks: int

    def __str__(self) -> str:
        """Return the attribute of a kernel in CUDA C++."""
        return f"__launch_bounds__({self.threads}{f', {self.blocks}' if self.blocks else ''})"


def launch_bounds(pattern: Pattern, case: Case, arch: str) -> CompiledBounds | None:
    """Return the bounds of a case; None if its kernels are compiled for any launch.

    They are the same on all devices of an architecture: a grid of a fixed size is spread over the SMs of the largest.
    """
    if not pattern.launch_bounds:
        return None
    limits = LIMITS.get(arch.rstrip("af"), _ONE_BLOCK)
    grids, blocks = zip(*_launches(pattern, case, limits.sms), strict=True)
    threads, per_sm = max(blocks), -(-max(grids) // limits.sms)
    return CompiledBounds(threads, per_sm if per_sm <= min(limits.threads // threads, limits.blocks) else 0)


def _launches(pattern: Pattern, case: Case, sms: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks and the threads of a block of each kernel; 0 blocks if as many are launched as fit."""
    variant, (grid, _) = pattern.variant(case.variant), split_launch(case.launch.expression)
    blocks = 0 if grid.unit is Unit.FILL else grid.blocks(sms, None)
    setting = Setting(DTYPES[case.dtype], dict(case.options), blocks, case.launch.block, case.launch.dims)
    kernels: tuple[Variant | LaterKernel, ...] = (variant, *variant.later)
    for kernel in kernels:
        dims = kernel.dims(setting) if kernel.dims else ((blocks, 1, 1), (case.launch.block, 1, 1))
        yield prod(dims[0]), prod(dims[1])
