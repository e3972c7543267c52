"""Choose the launches to run: under all schedules the smallest ones, which show most, and one to compare them with.

A launch that needs too much memory is replaced, and one that would not end is left out.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from shflbench.checker.inputs.default_launches import fewer_blocks, without_arguments
from shflbench.checker.inputs.numbers import is_too_large
from shflbench.checker.runs.evidence import did_not_end
from shflbench.core.model import WARP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.kernel_file import HostLaunch
    from shflbench.emulator.races.hazards import Hazard, HazardKind


def adversarial(launches: Sequence[LaunchEvidence]) -> list[LaunchEvidence]:
    """Return the launches to run under all schedules: the smallest one with several warps, and the smallest of all.

    The first has several blocks, too, where the kernel is launched with several. One that stopped is not run again.
    """
    usual = [item for item in launches if not item.launch.is_special] or list(launches)
    warps = [item for item in usual if item.launch.shape.threads_per_block > WARP] or usual
    several = [item for item in warps if item.launch.shape.blocks > 1] or warps
    smallest = [_smallest(group) for group in (several, launches) if group]
    chosen = smallest if len(smallest) < 2 or smallest[0] is not smallest[1] else smallest[:1]  # noqa: PLR2004  (both)
    return [item for item in chosen if item.results[0].error is None]


def to_compare(launches: Sequence[LaunchEvidence]) -> list[LaunchEvidence]:
    """Return the smallest launch with a suggested block where none of these ran, and only other schedules show a fault.

    The kernel may be made for that block only, for which the fault then says nothing.
    """
    explored = [item for item in launches if len(item.results) > 1]
    if any(item.launch.origin.has_suggested_block for item in explored) or not any(map(_shows_more, explored)):
        return []
    suggested = [item for item in launches if item.launch.origin.has_suggested_block and item.results[0].error is None]
    return [_smallest(suggested)] if suggested else []


def _shows_more(item: LaunchEvidence) -> bool:
    """Return whether a schedule shows a hazard that lockstep does not."""
    first, *others = (_keys(result.hazards) for result in item.results)
    return any(keys - first for keys in others)


def _keys(hazards: Sequence[Hazard]) -> set[tuple[HazardKind, str]]:
    return {(hazard.kind, hazard.instruction.where) for hazard in hazards}


def _smallest(launches: Sequence[LaunchEvidence]) -> LaunchEvidence:
    return min(launches, key=lambda item: item.launch.shape.threads)


def that_fits(launch: PlannedLaunch) -> PlannedLaunch | None:
    """Return a launch that needs less memory: with chosen numbers, and then with fewer blocks; None if there is none.

    Not for blocks of a launch at its real sizes, which are left out.
    """
    host = launch.host
    if launch.shape.sample:
        return None
    if host is not None and host.arguments and is_too_large(host):
        return without_arguments(launch)
    return fewer_blocks(launch)


def shows_parts_of_tiles(launch: PlannedLaunch, before: Sequence[LaunchEvidence]) -> bool:
    """Whether the grid of a launch counts a part of a tile as a whole one, which no launch before it does.

    Both have numbers of the program itself, as in a loop over a table of sizes: 2 blocks for 192, and 4 for 512.
    """
    hosts = [item.launch.host for item in before if item.launch.host is not None and item.launch.program]
    if launch.host is None or not launch.program or launch.shape.sample:
        return False
    is_shown = any(_rounds_up(one, other) for one in hosts for other in hosts)
    return not is_shown and any(_rounds_up(launch.host, one) for one in hosts)


def _rounds_up(host: HostLaunch, other: HostLaunch) -> bool:
    """Whether a grid has a block for a part of the tiles that the sizes and the grid of another launch suggest."""
    if host.block != other.block or host.grid is None or other.grid is None:
        return False
    pairs = [(one.value, two.value) for one, two in zip(host.values, other.values, strict=False)]
    ratios = {
        Fraction(one, two) for one, two in pairs if isinstance(one, int) and isinstance(two, int) and one > 0 < two
    }
    return any(
        (tiles * ratio).denominator > 1 and size == ceil(tiles * ratio)
        for size, tiles in zip(host.grid, other.grid, strict=True)
        for ratio in ratios
        if tiles > 1
    )


def would_not_end(launch: PlannedLaunch, before: Sequence[LaunchEvidence]) -> bool:
    """Whether blocks of a launch would not end, because fewer blocks with its numbers did not."""
    return bool(launch.shape.sample) and any(item.launch.host is launch.host and did_not_end(item) for item in before)
