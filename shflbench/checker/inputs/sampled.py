"""Launches of the host code that are too large to run whole: some of their blocks run, at the real sizes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker.inputs.default_launches import of_sample
from shflbench.checker.inputs.numbers import is_too_large
from shflbench.checker.inputs.shapes import MOST_THREADS, LaunchShape
from shflbench.emulator.link.interruptions import waits_by_memory
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import HostLaunch
    from shflbench.emulator.link.program import Op

MOST_WHOLE = 1 << 14  # threads of a launch that the user gives to time it
MOST_SAMPLED = 2048  # threads of the blocks that run; two blocks at least
FEW_SAMPLED = 3  # blocks of a grid that is larger than what runs whole: the first, the last, and the one before


def with_samples(
    launch_plan: Sequence[PlannedLaunch],
    ops: Sequence[Op],
    indexes: Collection[str],
    *,
    of_any_size: bool = True,
    first: bool = False,
) -> list[PlannedLaunch]:
    """Return a plan with some blocks of each launch of the host code that was scaled down, behind it or `first`.

    They come first where loops step by the grid: with fewer blocks, loops have more iterations. Numbers that stand for
    what the program reads may be too large: then launches with smaller ones come first.

    Not for a kernel whose blocks may wait for one another, or that does not ask for its block's index. Unless grids are
    `of_any_size`, only of those whose buffers fit: contents that are indices take long to make for larger ones.
    """
    if may_wait(ops) or not any(name.startswith("blockIdx") for name in indexes):
        return list(launch_plan)
    samples: dict[LaunchShape, list[PlannedLaunch]] = {}
    for launch in launch_plan:
        host = launch.host
        if host is None or not launch.origin.is_scaled_down:
            continue
        whole = LaunchShape(launch.whole_grid, launch.shape.block)
        is_large = whole.threads > MOST_THREADS
        if is_large and not of_any_size and is_too_large(host):
            continue
        most = max(MOST_SAMPLED // whole.threads_per_block, 2)
        blocks = _sample(whole.grid, FEW_SAMPLED if is_large else most)
        shape = LaunchShape(whole.grid, whole.block, blocks)
        samples.setdefault(shape, []).append(of_sample(shape, host))
    sampled = [item for every in samples.values() for item in _first_and_last(every)]
    before = [item for item in sampled if first and item.host is not None and not item.host.assumed]
    return [*before, *launch_plan, *(item for item in sampled if item not in before)]


def _first_and_last(launches: Sequence[PlannedLaunch]) -> list[PlannedLaunch]:
    """Return launches of one shape with the first and the last numbers that stand for what the host code reads.

    The last are large, so that loops that step by the grid iterate several times. Launches in place, of which several
    pointers point to one buffer, are others than those with a buffer for each.
    """
    by_sharing: dict[object, dict[object, PlannedLaunch]] = {}
    for launch in launches:
        if launch.host is not None:
            by_sharing.setdefault(_shared_places(launch.host), {}).setdefault(launch.host.assumed, launch)
    return [launch for first, *others in map(dict.values, by_sharing.values()) for launch in (first, *others[-1:])]


def _shared_places(host: HostLaunch) -> tuple[int, ...]:
    """Return for each pointer of a launch the place of the first one that points to the same buffer."""
    numbers = [item.buffer.number if item.buffer is not None else None for item in host.arguments]
    return tuple(numbers.index(number) for number in numbers if number is not None)


def shortened_launch(shape: LaunchShape) -> LaunchShape:
    """Return a launch of which some blocks run, at its real size, if it has too many threads to run whole."""
    if shape.threads <= MOST_WHOLE:
        return shape
    return replace(shape, sample=_sample(shape.grid, max(MOST_SAMPLED // shape.threads_per_block, 2)))


def counted_blocks(blocks: int, threads_per_block: int) -> tuple[int, ...]:
    """Return the numbers of the blocks that stand for a launch: pairs of neighbors, evenly spread; empty for all.

    Neighbors, because these show whether blocks use the same data.
    """
    pairs = max(MOST_SAMPLED // threads_per_block // 2, 1)
    if blocks * threads_per_block <= MOST_WHOLE or blocks <= 2 * pairs:
        return ()
    firsts = [(2 * number + 1) * blocks // (2 * pairs) for number in range(pairs)]
    return tuple(sorted({block for first in firsts for block in (first, min(first + 1, blocks - 1))}))


def may_wait(ops: Sequence[Op]) -> bool:
    """Whether blocks may wait for others by memory.

    An atomic whose result is not used tells nobody anything, and the shared memory of a block nothing of other blocks.
    """
    used = {slot for op in ops for slot in (*op.sources, op.guard, op.place.base if op.place else None)}
    visible = (op for op in ops if not _is_of_block(op))
    return waits_by_memory([op for op in visible if not _is_atomic(op) or used.intersection(op.results)])


def _is_of_block(op: Op) -> bool:
    return isinstance(op.form, Access) and op.form.space == "shared" and not op.form.distributed


def _is_atomic(op: Op) -> bool:
    return isinstance(op.form, Access) and op.form.kind == "atom"


def _sample(grid: Dims, most: int) -> tuple[int, ...]:
    """Return the numbers of at most so many blocks: the first and the last, other corners, then their neighbors.

    The one before the last in each dimension comes third: in grids of `n / 16 + 1` blocks, the last may have no work.
    """
    last = tuple(size - 1 for size in grid)
    corners = list(product(*({0, end} for end in last)))
    neighbors = product(*({0, min(1, end), max(end - 1, 0), end} for end in last))
    before = tuple(max(end - 1, 0) for end in last)
    ranked = dict.fromkeys([(0, 0, 0), last, before, *sorted(corners), *sorted(neighbors)])
    return tuple(sorted(x + grid[0] * (y + grid[1] * z) for x, y, z in list(ranked)[: min(most, prod(grid))]))
