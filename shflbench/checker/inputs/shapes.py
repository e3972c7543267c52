"""Launch shapes: grid and block in one to three dimensions, and their text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import prod

from shflbench.core.dimensions import (
    MAX_BLOCK_DIMS,
    MAX_CLUSTER,
    MAX_GRID,
    NO_CLUSTER,
    Dims,
    LaunchDims,
    complete,
    dims_text,
)
from shflbench.core.model import MAX_BLOCK
from shflbench.errors import UsageError

ADVICE = "Write GRIDxBLOCK, such as 4x256, or GRID:BLOCK with up to three dimensions each, such as 8x8:16x16."
MOST_THREADS = 1 << 20  # of one launch; more take minutes and show no more
MOST_TIMED_THREADS = 1 << 40  # of a launch; a GPU refuses what it cannot run

_NUMBERS = re.compile(r"[0-9]{1,10}(?:\s*[xX×]\s*[0-9]{1,10})*")


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """The dimensions of a grid in blocks, and of a block in threads."""

    grid: Dims
    block: Dims
    sample: tuple[int, ...] = ()  # numbers of the blocks that run; empty: all
    cluster: Dims = NO_CLUSTER  # blocks of a cluster

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return prod(self.grid)

    @property
    def threads_per_block(self) -> int:
        """Threads of one block."""
        return prod(self.block)

    @property
    def threads(self) -> int:
        """Threads of the grid."""
        return self.blocks * self.threads_per_block

    def extent(self, axis: int) -> int:
        """Return the threads of the grid along x, y or z: 0, 1 or 2."""
        return self.grid[axis] * self.block[axis]

    @property
    def in_whole_clusters(self) -> LaunchShape:
        """The shape with at least as many blocks, of which clusters make the grid."""
        if self.cluster == NO_CLUSTER:
            return self
        x, y, z = (-(-blocks // part) * part for blocks, part in zip(self.grid, self.cluster, strict=True))
        return replace(self, grid=(x, y, z))

    @property
    def in_clusters(self) -> str:
        """The blocks of a cluster as `--cluster` takes them, "" if clusters have one block."""
        return "" if self.cluster == NO_CLUSTER else dims_text(self.cluster)

    def __str__(self) -> str:
        """Return the text that `--launch` takes."""
        return str(LaunchDims(self.grid, self.block))


def parse_cluster(text: str, name: str = "--cluster") -> Dims:
    """Return the blocks of a cluster along each axis; UsageError for a text that is none, or for too many blocks.

    `name` is what the error calls the option or the argument.
    """
    numbers = re.split(r"\s*[xX×]\s*", text.strip())
    if not _NUMBERS.fullmatch(text.strip()) or len(numbers) > 3 or "0" in {item.lstrip("0") or "0" for item in numbers}:  # noqa: PLR2004
        raise UsageError(f"{name} `{text}` is no number of blocks", "Write N, or NxM for several dimensions.")
    cluster = complete([int(item) for item in numbers])
    if prod(cluster) > MAX_CLUSTER:
        raise UsageError(
            f"{name} `{text}`: a cluster has at most {MAX_CLUSTER} blocks", "Write a smaller number, such as 2."
        )
    return cluster


def parse_shape(text: str, most_threads: int = MOST_THREADS, name: str = "--launch") -> LaunchShape:
    """Return the shape that a text of `--launch` names; UsageError for anything else, or for more threads.

    `name` is what the error calls the option or the argument.
    """
    grid_text, colon, block_text = text.partition(":")
    if colon:
        grid, block = _dims(grid_text, text, name), _dims(block_text, text, name)
    else:
        numbers = _dims(grid_text, text, name)
        if len(numbers) != 2:  # noqa: PLR2004  (blocks and threads)
            raise UsageError(f"{name} `{text}` is not a launch", ADVICE)
        grid, block = numbers[:1], numbers[1:]
    shape = LaunchShape(complete(grid), complete(block))
    if shape.threads_per_block > MAX_BLOCK or any(
        size > most for size, most in zip(shape.block, MAX_BLOCK_DIMS, strict=True)
    ):
        raise UsageError(f"{name} `{text}`: a block has at most {MAX_BLOCK} threads, 64 of them along z", ADVICE)
    for axis, size, most in zip("xyz", shape.grid, MAX_GRID, strict=True):
        if size > most:
            raise UsageError(f"{name} `{text}`: a grid has at most {most} blocks along {axis}", ADVICE)
    if shape.threads > most_threads:
        raise UsageError(
            f"{name} `{text}` has {shape.threads} threads, and at most {most_threads} are emulated", ADVICE
        )
    return shape


def _dims(part: str, text: str, name: str) -> list[int]:
    if not _NUMBERS.fullmatch(part.strip()):
        raise UsageError(f"{name} `{text}` is not a launch", ADVICE)
    numbers = [int(number) for number in re.split(r"\s*[xX×]\s*", part.strip())]
    if len(numbers) > 3 or 0 in numbers:  # noqa: PLR2004  (x, y, z)
        raise UsageError(f"{name} `{text}` is not a launch", ADVICE)
    return numbers
