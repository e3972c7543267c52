"""The threads of a launch, sets of threads that execute together, and the views of a set on the registers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes.forms import Number, Values

Dimensions = tuple[int, int, int]  # x, y, z
MOST_LANE_STEP = 2  # between lanes of a view: NumPy 2.4.6 negates every fourth of 4-byte elements wrongly


def coordinates(number: Number, dims: Dimensions) -> tuple[Number, Number, Number]:
    """Return the coordinates of blocks of a grid or threads of a block."""
    rest, x = divmod(number, dims[0])
    z, y = divmod(rest, dims[1])
    return x, y, z


def divides(cluster: Dimensions, grid: Dimensions) -> bool:
    """Return whether a grid consists of whole clusters."""
    return not any(blocks % part for blocks, part in zip(grid, cluster, strict=True))


@dataclass(frozen=True, slots=True)
class Shape:
    """A launch: `grid` blocks of `block` threads, and how both are arranged; registers have room for whole warps.

    If only a `sample` of the blocks runs, `grid` counts these, and `grid_dims` is that of all blocks.

    Blocks of a grid and threads of a block are numbered along x first, then y, then z (CUDA C++ Programming Guide,
    "Thread Hierarchy"). Without dimensions, all lie along x.
    """

    grid: int
    block: int
    grid_dims: Dimensions = (0, 1, 1)
    block_dims: Dimensions = (0, 1, 1)
    sample: tuple[int, ...] = ()  # numbers of the blocks that run; empty: all
    cluster: Dimensions = (1, 1, 1)  # blocks of a cluster

    def __post_init__(self) -> None:
        """Complete the dimensions; ValueError if they do not multiply to the totals, or clusters do not fit."""
        if self.sample and len(self.sample) != self.grid:
            raise ValueError(f"{len(self.sample)} blocks are not the {self.grid} that run")
        blocks = prod(self.grid_dims) if self.sample else self.grid
        for name, total in (("grid_dims", blocks), ("block_dims", self.block)):
            dims: Dimensions = getattr(self, name)
            if dims == (0, 1, 1):
                object.__setattr__(self, name, (total, 1, 1))  # of a frozen dataclass
            elif prod(dims) != total or min(dims) < 1:
                raise ValueError(f"the dimensions {dims} do not make {total}")
        if self.has_clusters and (self.sample or not divides(self.cluster, self.grid_dims)):
            raise ValueError(f"clusters of {self.cluster} blocks do not make the grid {self.grid_dims}")

    @classmethod
    def of(
        cls, grid: Dimensions, block: Dimensions, sample: tuple[int, ...] = (), cluster: Dimensions = (1, 1, 1)
    ) -> "Shape":
        """Return the shape with these dimensions, of which a `sample` of the blocks runs, or all."""
        return cls(len(sample) or prod(grid), prod(block), grid, block, sample, cluster)

    @property
    def has_clusters(self) -> bool:
        """Whether clusters have several blocks."""
        return self.cluster != (1, 1, 1)

    @property
    def warps_per_block(self) -> int:
        """Warps of one block; the last may be partly empty."""
        return -(-self.block // WARP)

    @property
    def lanes_per_block(self) -> int:
        """Lanes of one block, empty ones of a last warp included."""
        return self.warps_per_block * WARP

    @property
    def warps(self) -> int:
        """Warps of the grid."""
        return self.grid * self.warps_per_block

    @property
    def lanes(self) -> int:
        """Lanes of the grid, empty ones included. A thread's number is its lane's."""
        return self.warps * WARP

    @property
    def full(self) -> bool:
        """Whether every lane is a thread."""
        return self.block % WARP == 0

    def block_of(self, threads: Values) -> Values:
        """Return the block of each thread."""
        return threads // self.lanes_per_block

    def number_in_grid(self, block: int) -> int:
        """Return the number in the grid of one of the blocks that run."""
        return self.sample[block] if self.sample else block

    def in_block(self, thread: int) -> tuple[int, int]:
        """Return (block, index within the block) of a thread."""
        return divmod(thread, self.lanes_per_block)

    def describe(self, thread: int) -> str:
        """Return `thread 3 of block 2`, or with coordinates if the launch has several dimensions."""
        running, index = self.in_block(thread)
        block = self.number_in_grid(running)
        if self.grid_dims[1:] == self.block_dims[1:] == (1, 1):
            return f"thread {index} of block {block}"
        return f"thread {coordinates(index, self.block_dims)} of block {coordinates(block, self.grid_dims)}"


@dataclass(slots=True, eq=False)
class ThreadSet:
    """Threads by number, in ascending order; for a regular pattern of threads, registers are cheap views."""

    threads: Values
    view: tuple[slice, slice] | None = None  # which warps and lanes, if a regular pattern
    whole_warps: bool = False  # every lane of each of its warps belongs to it
    whole_blocks: bool = False
    is_part: bool = False  # of threads that a policy lets run in lockstep, and that have diverged
    code: dict[int, Any] = field(default_factory=dict)  # bound code, by its first op
    steps: dict[int, Callable[[], object]] = field(default_factory=dict)  # bound ops to wait at, by their block
    views: dict[tuple[int, str], Values] = field(default_factory=dict)  # of registers, by number and type
    kept: dict[Any, tuple[int, Any]] = field(default_factory=dict)  # values that depend on rarely written registers

    count: int = field(init=False)

    def __post_init__(self) -> None:
        """Count the threads."""
        self.count = self.threads.size


def regular(shape: Shape, warps: slice, lanes: slice, *, whole_blocks: bool = False) -> ThreadSet:
    """Return the set of some lanes of some warps; only where every lane is a thread.

    `whole_blocks` says that the warps are all those of some blocks; all warps of the launch always are.
    """
    numbers = np.arange(shape.lanes, dtype=np.intp).reshape(shape.warps, WARP)[warps, lanes]
    whole_warps, whole_blocks = lanes == slice(None), whole_blocks or warps == slice(None)
    return ThreadSet(numbers.ravel(), (warps, lanes), whole_warps, whole_warps and whole_blocks)


def scatter(threads: Values) -> ThreadSet:
    """Return the set of any threads, given in ascending order."""
    return ThreadSet(threads)


def part(shape: Shape, threads: Values) -> ThreadSet:
    """Return the set of threads that have diverged from others, given in ascending order; most are a regular pattern.

    Barriers and collectives involve others, too, whatever the pattern is.
    """
    view = _pattern(threads)
    if view is not None and not np.array_equal(regular(shape, *view).threads, threads):
        view = None
    return ThreadSet(threads, view, is_part=True)


def _pattern(threads: Values) -> tuple[slice, slice] | None:
    """Return the warps and lanes of threads if these are the same lanes of each warp, at equal distances."""
    first_warp, first_lane = divmod(int(threads[0]), WARP)
    last_warp, last_lane = divmod(int(threads[-1]), WARP)
    lanes = int(np.searchsorted(threads, (first_warp + 1) * WARP))
    warps, rest = divmod(threads.size, lanes)
    warp_step, other = divmod(last_warp - first_warp, max(warps - 1, 1))
    lane_step, another = divmod(last_lane - first_lane, max(lanes - 1, 1))
    if rest or other or another or lane_step > MOST_LANE_STEP:
        return None
    return slice(first_warp, last_warp + 1, max(warp_step, 1)), slice(first_lane, last_lane + 1, max(lane_step, 1))
