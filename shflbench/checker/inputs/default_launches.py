"""The launches of a kernel for which the user names none: those of the host code, or shapes that differ in kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker.inputs.launch_origin import LaunchOrigin
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.core.dimensions import MAX_BLOCK_DIMS
from shflbench.core.model import MAX_BLOCK, WARP
from shflbench.core.words import join_words
from shflbench.cuda_sources.kernel_file import EDGE
from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.checker.inputs.blocks import SuggestedBlock
    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import HostLaunch, LaunchBounds

MOST_THREADS = 4096  # of a launch of the host code; larger grids are scaled down
MOST_NAMED = 4  # numbers that stand for what the host code reads, in a sentence
MOST_SYNTHESIZED = 2048  # of a launch whose block the code suggests or specifies
FEWER = (4, 2, 1)  # blocks of a launch whose threads share too many cells of memory
BLOCK_OF_HOST = "with the block of the host code"

# A single warp; blocks of several warps; a block that is no multiple of 32; three blocks.
LINES = ((1, 32), (2, 128), (2, 80), (3, 64))
PLANES: tuple[tuple[Dims, Dims], ...] = (
    ((1, 1, 1), (8, 4, 1)),
    ((2, 2, 1), (16, 16, 1)),
    ((2, 1, 1), (10, 5, 1)),
    ((3, 1, 1), (8, 8, 1)),
)
# Of kernels whose warps lie along x, so that a block has 32 threads there.
WARP_PLANES: tuple[tuple[Dims, Dims], ...] = (
    ((1, 1, 1), (32, 1, 1)),
    ((2, 2, 1), (32, 8, 1)),
    ((2, 1, 1), (32, 3, 1)),
    ((3, 1, 1), (32, 2, 1)),
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
    """One launch to check a kernel at, and where it comes from."""

    shape: LaunchShape
    basis: Origin  # of the shape; of the block, if the grid is chosen
    host: HostLaunch | None = None  # the launch of the host code whose arguments it takes
    note: str = ""  # how the shape differs from that of the host code
    as_last: bool = False  # all blocks that do not run have ended before

    @property
    def origin(self) -> LaunchOrigin:
        """Where its block, its grid and its arguments come from."""
        grid = Origin.CHOSEN if self.basis.is_synthesized else self.basis
        if grid is Origin.HOST and self.host is not None and self.host.grid not in {None, self.shape.grid}:
            grid = Origin.SCALED_DOWN
        return LaunchOrigin(self.basis, grid, self.host.origin if self.host is not None else Origin.CHOSEN)

    @property
    def program(self) -> str:
        """What tells apart the launch of the host code that it stands for; empty if it stands for none."""
        return self.host.sizes if self.origin.is_of_program and self.host is not None else ""

    @property
    def assumed(self) -> tuple[tuple[str, int], ...]:
        """The numbers for which it is one of the host code that stand for what the program reads."""
        return self.host.assumed if self.origin.is_of_program and self.host is not None else ()

    @property
    def whole_grid(self) -> Dims:
        """The grid that the host code specifies, if it has fewer blocks, or its own."""
        grid = self.host.grid if self.origin.is_scaled_down and self.host is not None else None
        return grid or self.shape.grid

    @property
    def is_special(self) -> bool:
        """Whether a kernel need not support a chosen launch: a single warp, or a block that ends in a part of a warp.

        It has to support the block that its code suggests, if not only the size of an array does.
        """
        threads = self.shape.threads_per_block
        is_part = threads % WARP != 0 and self.basis > Origin.WEAKLY_SUGGESTED
        return self.basis >= Origin.WEAKLY_SUGGESTED and (threads <= WARP or is_part)


def plan(  # noqa: PLR0913  (the last by name)
    given: Sequence[LaunchShape],
    host: Sequence[HostLaunch],
    indexes: Collection[str],
    bounds: LaunchBounds,
    suggestions: Sequence[SuggestedBlock] = (),
    *,
    whole_warps: bool = False,
) -> list[PlannedLaunch]:
    """Return the launches to check at.

    `indexes` names those of `threadIdx.x`, `blockIdx.y`, … whose values reach the kernel's results, and `suggestions`
    are the blocks that its source and its constants suggest. A kernel in which `whole_warps` take part in shuffles has
    a warp per row of a block of two dimensions.
    """
    if given:
        constant = next((launch for launch in host if launch.arguments), None)
        return [PlannedLaunch(shape, Origin.GIVEN, constant) for shape in given]
    launches = list(_of_host(host))
    blocks = {launch.shape.block for launch in launches}
    launches += [launch for launch in _of_blocks(host, indexes, bounds) if launch.shape.block not in blocks]
    if launches:
        return launches
    fitting = [item for item in suggestions if _block(item.block, bounds) == item.block]
    grids = GRIDS if any(item.fixed for item in fitting) else GRIDS[:1]
    usual = [] if any(item.fixed for item in fitting) else _synthesized(indexes, bounds, whole_warps=whole_warps)
    suggested: dict[LaunchShape, SuggestedBlock] = {}
    for item in fitting:
        for grid in grids:
            suggested.setdefault(_with_block(grid, item.block, indexes), item)
    first = next(iter(host), None)
    shapes = dict.fromkeys([*suggested, *usual])
    return [PlannedLaunch(shape, _basis(suggested.get(shape), bounds), first) for shape in shapes]


def _basis(suggested: SuggestedBlock | None, bounds: LaunchBounds) -> Origin:
    if bounds.required_threads is not None:
        return Origin.REQUIRED if suggested is None else Origin.SPECIFIED
    if suggested is None:
        return Origin.CHOSEN
    return Origin.WEAKLY_SUGGESTED if suggested.weak else Origin.SUGGESTED


def _of_blocks(host: Sequence[HostLaunch], indexes: Collection[str], bounds: LaunchBounds) -> Iterator[PlannedLaunch]:
    """Yield launches with the blocks of the host code, where only its grids are not constant."""
    blocks: dict[Dims, HostLaunch] = {}
    for launch in host:
        if launch.block is not None and launch.grid is None:
            blocks.setdefault(launch.block, launch)
    for block, launch in blocks.items():
        if 0 < prod(block) <= MAX_BLOCK and _block(block, bounds) == block:
            for shape in dict.fromkeys(_with_block(grid, block, indexes) for grid in GRIDS):
                yield PlannedLaunch(shape, Origin.SPECIFIED, launch, BLOCK_OF_HOST)


def _with_block(grid: Dims, block: Dims, indexes: Collection[str]) -> LaunchShape:
    return _scaled(LaunchShape(_grid(grid, indexes), block), max(MOST_SYNTHESIZED // prod(block), 2))


def _of_host(host: Sequence[HostLaunch]) -> Iterator[PlannedLaunch]:
    seen = set()
    for launch in host:
        if launch.block is None or launch.grid is None or 0 in launch.grid:
            continue
        shape = LaunchShape(launch.grid, launch.block)
        smaller = _scaled(shape, max(MOST_THREADS // shape.threads_per_block, 2))
        if (smaller, launch.arguments) in seen or not 0 < shape.threads_per_block <= MAX_BLOCK:
            continue
        seen.add((smaller, launch.arguments))
        notes = [f"{shape} of the host code, scaled down"] if smaller != shape else []
        yield PlannedLaunch(smaller, Origin.HOST, launch, ", ".join((*notes, *_assumptions(launch))))


def fewer_blocks(launch: PlannedLaunch) -> PlannedLaunch | None:
    """Return a launch that nobody gave with four blocks, two or one, the next fewer that it has; None if it has one."""
    shape = launch.shape
    most = next((blocks for blocks in FEWER if blocks < shape.blocks), None)
    if launch.origin.is_given or most is None:
        return None
    if shape.sample:
        if most >= len(shape.sample):
            return None
        first = 0 if launch.as_last else most // 2
        blocks = (*shape.sample[:first], *shape.sample[first - most :])  # at both ends
        return of_sample(replace(shape, sample=blocks), launch.host, launch.basis, as_last=launch.as_last)
    smaller = _scaled(shape, most)
    if smaller == shape:  # one cluster
        return None
    note = launch.note or f"{shape}, scaled down: its threads share too much memory to compare all accesses"
    return replace(launch, shape=smaller, note=note)


def more_blocks(launch: PlannedLaunch, blocks: int) -> PlannedLaunch | None:
    """Return a launch that was scaled down with up to so many blocks; None if it has as many already."""
    larger = _scaled(replace(launch.shape, grid=launch.whole_grid), blocks)
    return replace(launch, shape=larger) if larger.blocks > launch.shape.blocks else None


def without_arguments(launch: PlannedLaunch) -> PlannedLaunch:
    """Return a launch of the host code whose arguments are chosen, because its buffers are too large."""
    host = replace(launch.host, arguments=()) if launch.host is not None else None
    return replace(launch, host=host)


def is_of_same_launch(one: PlannedLaunch, other: PlannedLaunch) -> bool:
    """Whether two launches stand for one of the host code, perhaps with other arguments."""
    if one.host is None or other.host is None:
        return False
    return (one.host.line, one.host.grid, one.host.block) == (other.host.line, other.host.grid, other.host.block)


def is_whole_of(one: PlannedLaunch, other: PlannedLaunch) -> bool:
    """Whether a launch has the arguments of the host code which another one lacks, and at least as many blocks."""
    if one.host is None or other.host is None or not one.host.arguments or other.host.arguments:
        return False
    return is_of_same_launch(one, other) and not one.shape.sample and one.shape.blocks >= other.shape.blocks


def is_edge(launch: PlannedLaunch) -> bool:
    """Whether a launch shows only the last tiles, which are parts, of a grid that the host code rounds up."""
    return any(number == EDGE for _, number in launch.assumed)


def shorter(launch: PlannedLaunch) -> PlannedLaunch:
    """Return a launch of two blocks, whose arguments are chosen; one that the user gave stays."""
    if launch.origin.is_given:
        return launch
    small = _scaled(replace(launch.shape, sample=()), 2)
    note = f"{launch.shape}, scaled down: it did not end" if small != launch.shape else launch.note
    return replace(without_arguments(launch), shape=small, note=note, as_last=False)


def of_blocks(launch: PlannedLaunch, most: int) -> PlannedLaunch | None:
    """Return a launch that did not end with at most so many blocks; None if it has no more, or the user gave it."""
    small = _scaled(launch.shape, most)
    if launch.origin.is_given or launch.shape.sample or small == launch.shape:
        return None
    return replace(launch, shape=small, note=f"{launch.shape}, scaled down: it did not end")


def of_sample(
    shape: LaunchShape, host: HostLaunch | None, basis: Origin = Origin.HOST, *, as_last: bool = False
) -> PlannedLaunch:
    """Return the launch of a sample of the blocks of a launch of the host code, or of the user."""
    whose = "launch of the host code" if basis is Origin.HOST else "given launch"
    which = "the last " if as_last else ""
    note = f"{whose}, of which {which}{len(shape.sample)} of {shape.blocks} blocks ran"
    assumptions = _assumptions(host) if basis is Origin.HOST else ()
    return PlannedLaunch(shape, basis, host, ", ".join((note, *assumptions)), as_last=as_last)


def assumed_texts(host: HostLaunch | None) -> tuple[str, ...]:
    """Return the numbers that stand for what the host code reads, the first ones of many: `argv[1] = 1024`."""
    texts = [f"{name} = {value}" for name, value in host.assumed] if host is not None else []
    return (*texts[:MOST_NAMED], *((f"{len(texts) - MOST_NAMED} more",) if len(texts) > MOST_NAMED else ()))


def not_understood(host: HostLaunch | None) -> str:
    """Return that a launch of the host code has a grid or a block that is not known, as a sentence; empty otherwise."""
    if host is None or (host.grid is not None and host.block is not None):
        return ""
    return f"the launch in line {host.line.line} is not understood"


def _assumptions(host: HostLaunch | None) -> tuple[str, ...]:
    """Return that sizes of a launch of the host code follow from numbers that nobody gave; empty if they do not."""
    texts = assumed_texts(host)
    return (f"for chosen {join_words(texts)}",) if texts else ()


def _scaled(shape: LaunchShape, most: int) -> LaunchShape:
    """Return a shape with at most so many blocks; the block stays, because kernels depend on it."""
    if shape.blocks <= most:
        return shape
    several = sum(size > 1 for size in shape.grid)
    extent = max(int(most ** (1 / several)), 1)
    x, y, z = (min(size, extent) for size in shape.grid)
    if several == 2 and extent > 2 and shape.grid[0] > extent:  # noqa: PLR2004  (two axes; 5x3 instead of 4x4)
        x, y, z = x + 1, max(y - 1, 1), max(z - 1, 1)  # not a square, where x and y could be confused
    if x * y * z == 1 and most > 1:  # two blocks show whether blocks interfere
        x, y, z = (2, 1, 1) if shape.grid[0] > 1 else (1, 2, 1) if shape.grid[1] > 1 else (1, 1, 2)
    return replace(shape, grid=(x, y, z)).in_whole_clusters


def _synthesized(indexes: Collection[str], bounds: LaunchBounds, *, whole_warps: bool) -> list[LaunchShape]:
    threads = [axis for axis in "xyz" if f"threadIdx.{axis}" in indexes]
    blocks = (block for _, block in _shapes_along(threads))
    grids = (grid for grid, _ in _shapes_along([axis for axis in "xyz" if f"blockIdx.{axis}" in indexes]))
    table = list(zip(grids, blocks, strict=True))
    if threads == ["x", "y"] and whole_warps:
        table = [(grid, block) for (grid, _), (_, block) in zip(table, WARP_PLANES, strict=True)]
    if threads == ["y"]:  # threads along x would all do the same
        table = [(grid, (1, size, 1)) for (grid, _), (_, size) in zip(table, LINES, strict=True)]
    elif threads == ["z"]:
        table = [
            (grid, (1, 1, min(size, MAX_BLOCK_DIMS[2]))) for (grid, _), (_, size) in zip(table, LINES, strict=True)
        ]
    shapes = [LaunchShape(_grid(grid, indexes), _block(block, bounds)) for grid, block in table]
    return list(dict.fromkeys(shapes))


def _shapes_along(axes: Sequence[str]) -> Sequence[tuple[Dims, Dims]]:
    """Return grids and blocks with as many dimensions as the last of `axes` needs."""
    if "z" in axes:
        return SOLIDS
    return PLANES if "y" in axes else [((grid, 1, 1), (block, 1, 1)) for grid, block in LINES]


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
