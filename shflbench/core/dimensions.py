"""The dimensions of a launch: sizes along x, y and z, their limits and their text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import gcd, prod
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Dims: TypeAlias = tuple[int, int, int]
MOST_DIMENSIONS = 3  # x, y and z

# CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability"; equal for all of them.
MAX_GRID: Dims = (2**31 - 1, 65535, 65535)  # blocks
MAX_CLUSTER = 16  # blocks, of the largest that a GPU runs ("Thread Block Clusters")
PORTABLE_CLUSTER = 8  # blocks, of the largest that every GPU with clusters runs (ibid.)
NO_CLUSTER: Dims = (1, 1, 1)
MAX_BLOCK_DIMS: Dims = (1024, 1024, 64)  # threads, of which a block has at most `model.MAX_BLOCK`


@dataclass(frozen=True, slots=True)
class LaunchDims:
    """Blocks of a grid and threads of a block along x, y and z."""

    grid: Dims
    block: Dims

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return prod(self.grid)

    @property
    def threads_per_block(self) -> int:
        """Threads of one block."""
        return prod(self.block)

    @property
    def dimensions(self) -> int:
        """The number of dimensions that grid or block use, 1 to 3."""
        return max(_used(self.grid), _used(self.block))

    def scaled_down(self, most_blocks: int) -> LaunchDims:
        """Return the same launch with at most so many blocks, or with the fewest that keep the ratio of the sizes.

        Kernels for square data have grids whose sizes are in a fixed ratio, and compute something else in another one.
        """
        divisor = gcd(*(size for size in self.grid if size > 1)) or 1

        def scaled(factor: int) -> LaunchDims:
            x, y, z = (max(1, size * factor // divisor) for size in self.grid)
            return LaunchDims((x, y, z), self.block)

        fitting = bisect_right(range(1, divisor + 1), most_blocks, key=lambda factor: scaled(factor).blocks)
        return scaled(max(1, fitting))

    def __str__(self) -> str:
        """Return the text that `--launch` takes: `8x8:16x16`, or `26x1024` if all lies along x."""
        separator = "x" if self.dimensions == 1 else ":"
        return f"{dims_text(self.grid)}{separator}{dims_text(self.block)}"


def complete(sizes: Sequence[int]) -> Dims:
    """Return one to three sizes as three, of which those that are missing are 1."""
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def dims_text(dims: Dims) -> str:
    """Return sizes as a user writes them, without those that are 1 at the end: `8x8`."""
    return "x".join(map(str, dims[: _used(dims)]))


def _used(dims: Dims) -> int:
    return 3 if dims[2] > 1 else 2 if dims[1] > 1 else 1
