"""The launches of a kernel for which the user names none: those of the host code, or shapes that differ in kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.shapes import Dims, LaunchShape
from shflbench.model import MAX_BLOCK, WARP

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.checker.inputs.blocks import SuggestedBlock
    from shflbench.checker.sources.kernel_file import HostLaunch, LaunchBounds

MOST_THREADS = 4096  # of a launch of the host code; larger grids are scaled down
FEWER = (4, 2)  # blocks of a launch whose threads share too many cells of memory
ROUNDS = 3  # blocks of a grid that is scaled down in one dimension, if they fit

# A single warp; blocks of several warps; a block that is no multiple of 32; three blocks.
LINES = ((1, 32), (2, 128), (2, 80), (3, 64))
PLANES: tuple[tuple[Dims, Dims], ...] = (
    ((1, 1, 1), (8, 4, 1)),
    ((2, 2, 1), (16, 16, 1)),
    ((2, 1, 1), (10, 5, 1)),
    ((3, 1, 1), (8, 8, 1)),
)
SOLIDS: tuple[tuple[Dims, Dims], ...] = (
    ((1, 1, 1), (4, 4, 2)),
    ((2, 2, 2), (8, 4, 4)),
    ((2, 1, 1), (5, 3, 3)),
    ((3, 1, 1), (4, 4, 4)),
)

# Of blocks whose size the code suggests.
GRIDS: tuple[Dims, ...] = ((2, 2, 2), (1, 1, 1), (3, 1, 1))


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """One launch to check a kernel at, and where its shape comes from."""

    shape: LaunchShape
    origin: Origin
    host: HostLaunch | None = None  # the launch of the host code whose arguments it takes
    note: str = ""  # how the shape differs from that of the host code
    suggested: bool = False  # the constants of the code suggest this block


def is_special(launch: PlannedLaunch) -> bool:
    """Whether a kernel need not support a derived launch: a single warp, or a block that ends in a part of a warp."""
    threads = launch.shape.threads_per_block
    return launch.origin is Origin.DERIVED and not launch.suggested and (threads <= WARP or threads % WARP != 0)


def plan(
    given: Sequence[LaunchShape],
    host: Sequence[HostLaunch],
    indexes: Collection[str],
    bounds: LaunchBounds,
    suggestion: SuggestedBlock | None = None,
) -> list[PlannedLaunch]:
    """Return the launches to check at.

    `indexes` names those of `threadIdx.x`, `blockIdx.y`, … whose values reach the kernel's results, and `suggestion` is
    the block that its constants suggest.
    """
    if given:
        constant = next((launch for launch in host if launch.arguments), None)
        return [PlannedLaunch(shape, Origin.GIVEN, constant) for shape in given]
    launches = list(_of_host(host))
    if launches:
        return launches
    arguments, usual = next(iter(host), None), _derived(indexes, bounds)
    suggested: list[LaunchShape] = []
    if suggestion is not None and _block(suggestion.block, bounds) == suggestion.block:
        grids = GRIDS if suggestion.fixed else GRIDS[:1]
        suggested = [LaunchShape(_grid(grid, indexes), suggestion.block) for grid in grids]
        usual = [] if suggestion.fixed else usual
    return [
        PlannedLaunch(shape, Origin.DERIVED, arguments, suggested=shape in suggested)
        for shape in dict.fromkeys([*suggested, *usual])
    ]


def _of_host(host: Sequence[HostLaunch]) -> Iterator[PlannedLaunch]:
    seen = set()
    for launch in host:
        if launch.block is None or launch.grid is None:
            continue
        shape = LaunchShape(launch.grid, launch.block)
        smaller = _scaled(shape, max(MOST_THREADS // shape.threads_per_block, 2))
        if (smaller, launch.arguments) in seen or not 0 < shape.threads_per_block <= MAX_BLOCK:
            continue
        seen.add((smaller, launch.arguments))
        note = f"{shape} of the host code, scaled down" if smaller != shape else ""
        yield PlannedLaunch(smaller, Origin.HOST, launch, note)


def fewer_blocks(launch: PlannedLaunch) -> PlannedLaunch | None:
    """Return a launch that nobody gave with four blocks, or with two if it has no more; None if it has no more."""
    shape = launch.shape
    most = next((blocks for blocks in FEWER if blocks < shape.blocks), None)
    if launch.origin is Origin.GIVEN or most is None:
        return None
    smaller = _scaled(shape, most)
    note = launch.note or f"{shape}, scaled down: its threads share too much memory to compare all accesses"
    return replace(launch, shape=smaller, note=note)


def _scaled(shape: LaunchShape, most: int) -> LaunchShape:
    """Return a shape with at most so many blocks, two at least; the block stays, because kernels depend on it."""
    if shape.blocks <= most:
        return shape
    several = sum(size > 1 for size in shape.grid)
    extent = max(int(most ** (1 / several)), 1)
    x, y, z = (min(size, extent) for size in shape.grid)
    if x * y * z == 1:  # two blocks show whether blocks interfere
        x, y, z = (2, 1, 1) if shape.grid[0] > 1 else (1, 2, 1) if shape.grid[1] > 1 else (1, 1, 2)
    return LaunchShape((x, y, z), shape.block)


def _derived(indexes: Collection[str], bounds: LaunchBounds) -> list[LaunchShape]:
    axes = [axis for axis in "xyz" if {f"threadIdx.{axis}", f"blockIdx.{axis}"} & set(indexes)]
    table = (
        SOLIDS if "z" in axes else PLANES if "y" in axes else [((grid, 1, 1), (block, 1, 1)) for grid, block in LINES]
    )
    shapes = [LaunchShape(_grid(grid, indexes), _block(block, bounds)) for grid, block in table]
    return list(dict.fromkeys(shapes))


def _grid(grid: Dims, indexes: Collection[str]) -> Dims:
    """Return a grid with blocks only along the dimensions that the kernel knows of.

    Blocks that do not know their index compute the same; a kernel that never asks for it is written for one block.
    """
    known = [f"blockIdx.{axis}" in indexes for axis in "xyz"]
    if grid[1:] == (1, 1) and any(known) and not known[0]:  # blocks along the first dimension that counts
        place = known.index(True)
        return (1, grid[0], 1) if place == 1 else (1, 1, grid[0])
    x, y, z = (size if knows else 1 for size, knows in zip(grid, known, strict=True))
    return x, y, z


def _block(block: Dims, bounds: LaunchBounds) -> Dims:
    if bounds.required_threads is not None:
        return bounds.required_threads
    if bounds.max_threads is None or prod(block) <= prod(bounds.max_threads):
        return block
    return bounds.max_threads
