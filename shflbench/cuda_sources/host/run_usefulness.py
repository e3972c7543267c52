"""How useful a run of the host code is: which launches it performs, and how large they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.model import MAX_BLOCK, WARP
from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from shflbench.cuda_sources.host.machine import HostState, Performed

MANY_THREADS = 4096
MOST_ROWS = 65_535  # blocks of a grid along y and z
MOST_THREADS, MOST_USEFUL_BYTES = 1 << 20, 1 << 24  # of launches with further numbers, and of their buffers


def score(state: HostState) -> tuple[int, ...]:
    """Return how useful a run is: places with a valid launch, of whole warps, all of which is known and fits.

    Among equal ones, those with several blocks and few threads count.
    """
    valid = [item for item in state.performed if is_valid(item)]
    several = {item.node.id for item in valid if blocks_of(item) > 1}
    small = {item.node.id for item in valid if blocks_of(item) * threads_of(item) <= MANY_THREADS}
    whole = {item.node.id for item in valid if threads_of(item) % WARP == 0}
    known = {item.node.id for item in valid if _is_known(item)}
    reached = {item.node.id for item in state.performed}
    return len({item.node.id for item in valid}), len(reached), len(whole), len(known), len(several & small), len(small)


def progress(state: HostState) -> tuple[int, ...]:
    """Return how far a run came: its use, or the words that it took and the steps to the check that ended it."""
    return (*score(state), *((0, 0) if state.performed else (len(state.given.used), state.steps)))


def _is_known(item: Performed) -> bool:
    """Whether all arguments of a launch are known, and none is larger than needed."""
    return is_moderate(item) and all(
        argument.value is not None or (argument.buffer is not None and argument.buffer.size) or argument.fields
        for argument in item.launch.arguments
    )


def is_valid(item: Performed) -> bool:
    """Whether a launch is known, and has as many threads as a block may have; and blocks, if numbers were chosen."""
    grid, block = item.launch.grid, item.launch.block
    if grid is None or block is None or 0 in grid or not 0 < threads_of(item) <= MAX_BLOCK:
        return False
    return not item.launch.assumed or max(grid[1:]) <= MOST_ROWS


def is_moderate(item: Performed) -> bool:
    """Whether a launch, of a number that was chosen only to be large or odd, is no larger than needed."""
    sizes = [argument.buffer.size or 0 for argument in item.launch.arguments if argument.buffer is not None]
    return blocks_of(item) * threads_of(item) <= MOST_THREADS and max(sizes, default=0) <= MOST_USEFUL_BYTES


def blocks_of(item: Performed) -> int:
    """Return the number of blocks of a launch, 0 if it is not known."""
    x, y, z = item.launch.grid or (0, 0, 0)
    return x * y * z


def threads_of(item: Performed) -> int:
    """Return the number of threads of a block, 0 if it is not known."""
    x, y, z = item.launch.block or (0, 0, 0)
    return x * y * z


def without_numbers(item: Performed) -> Performed:
    """Return a launch without the numbers that stand for what the program reads, to compare it with others."""
    origin = Origin.HOST if item.launch.origin is Origin.ASSUMED else item.launch.origin
    return replace(item, launch=replace(item.launch, origin=origin, assumed=()))
