"""Orders in which threads may legally run under independent thread scheduling.

A policy divides the threads into groups that run in lockstep, and orders the groups. A group runs ahead until it has to
wait for others, or has used its turn. A GPU may choose any of these orders (CUDA C++ Programming Guide, "Independent
Thread Scheduling"; blocks run "in any order, in parallel or in series", ibid., "Thread Hierarchy"): a program that is
right only under some of them is wrong.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from itertools import pairwise
from math import prod

from shflbench.core.model import WARP
from shflbench.emulator.machine.threads import Shape, ThreadSet, regular

EVERY = slice(None)
TURN = 16  # traces after which another group runs, so that a spinning group cannot block the others
BLOCK_TURN = 512  # likewise, for groups of a block: long enough for most blocks to end, short enough to wait for one
MOST_PARTS = 8  # of a grid: of a larger one, several neighboring blocks run as one, or it would take too long


class Diverged(Enum):
    """Which threads of a group run first once they have diverged.

    Those that lag behind converge with the others again. The other orders show more of what threads that wait by memory
    may do to one another.
    """

    LAGGING_FIRST = auto()
    FARTHEST_FIRST = auto()
    BY_TURNS = auto()  # those that have executed the fewest strong accesses


@dataclass(frozen=True, slots=True)
class Policy:
    """One order of threads."""

    name: str
    summary: str
    lockstep_groups: Callable[[Shape], list[ThreadSet]]  # in the order in which they run
    random: bool = False  # which group runs is drawn each time
    turn: int = TURN
    of_blocks: bool = False  # the groups are whole blocks: a grid of one block runs as in lockstep
    diverged: Diverged = Diverged.LAGGING_FIRST  # only in programs whose threads may wait by memory
    delays: bool = False  # the first group runs only while no other one can go on
    confirms: bool = False  # runs also where lockstep proves that no order matters, and would show that it does


def all_threads(shape: Shape) -> list[ThreadSet]:
    """Return all threads as one set."""
    return [regular(shape, EVERY, EVERY)]


def _lanes(*groups: slice) -> Callable[[Shape], list[ThreadSet]]:
    return lambda shape: [regular(shape, EVERY, lanes) for lanes in groups]


def _warps_reversed(shape: Shape) -> list[ThreadSet]:
    count = shape.warps_per_block
    return [regular(shape, slice(warp, None, count), EVERY) for warp in reversed(range(count))]


def _blocks(shape: Shape) -> list[ThreadSet]:
    parts = min(shape.grid, MOST_PARTS)
    starts = [shape.grid * part // parts * shape.warps_per_block for part in range(parts + 1)]
    return [regular(shape, slice(*ends), EVERY, whole_blocks=True) for ends in pairwise(starts)]


def _blocks_reversed(shape: Shape) -> list[ThreadSet]:
    return _blocks(shape)[::-1]


_each_lane = _lanes(*(slice(lane, lane + 1) for lane in range(WARP)))

LOCKSTEP = Policy("lockstep", "all threads run the same instruction at once", all_threads)
ADVERSARIAL = (
    Policy(
        "half-warp first",
        "lanes 0 to 15 run ahead of lanes 16 to 31",
        _lanes(slice(0, 16), slice(16, 32)),
        diverged=Diverged.BY_TURNS,
    ),
    Policy(
        "odd lanes first",
        "odd lanes run ahead of even lanes",
        _lanes(slice(1, None, 2), slice(0, None, 2)),
        diverged=Diverged.FARTHEST_FIRST,
        confirms=True,
    ),
    Policy("lanes in order", "each lane runs ahead of the next", _each_lane),
    Policy("lanes at random", "a lane drawn at random runs ahead", _each_lane, random=True),
    Policy(
        "warps in reverse", "the last warp of each block runs ahead", _warps_reversed, diverged=Diverged.FARTHEST_FIRST
    ),
    Policy("warps at random", "a warp drawn at random runs ahead", _warps_reversed, random=True, confirms=True),
    Policy("blocks one at a time", "each block runs ahead of the next", _blocks, turn=BLOCK_TURN, of_blocks=True),
    Policy("blocks in reverse", "the last block runs ahead", _blocks_reversed, turn=BLOCK_TURN, of_blocks=True),
    Policy("blocks at random", "a block drawn at random runs ahead", _blocks, random=True, of_blocks=True),
)
POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in (LOCKSTEP, *ADVERSARIAL)}


def until_shown(policies: Iterable[Policy], is_shown: Callable[[], bool]) -> Iterator[Policy]:
    """Yield the policies to run: only those that confirm it once `is_shown` that all have the same results.

    If one of these differs, so that nothing is shown any more, the others follow.
    """
    remaining = list(policies)
    if is_shown():
        yield from (policy for policy in remaining if policy.confirms)
        remaining = [] if is_shown() else [policy for policy in remaining if not policy.confirms]
    yield from remaining


def delaying(shape: Shape) -> list[Policy]:
    """Return orders that delay a warp of each block, or a block of a cluster, for as long as all others can go on.

    Threads that wait for a phase of a barrier in memory may then miss it: others complete the next one before they test
    the barrier again. Of many warps, the first two and the last two are delayed in turn.
    """
    warps, blocks = shape.warps_per_block, prod(shape.cluster)
    chosen = sorted({0, 1, warps - 2, warps - 1}) if warps > 1 else []
    late_warps = [
        Policy(f"warp {warp} late", "all other warps run ahead", partial(_late_warp, warp), delays=True)
        for warp in chosen
    ]
    late_blocks = [
        Policy(f"block {block} late", "all other blocks run ahead", partial(_late_block, block), delays=True)
        for block in (sorted({0, blocks - 1}) if blocks > 1 else ())
    ]
    return late_warps + late_blocks


def _late_warp(late: int, shape: Shape) -> list[ThreadSet]:
    count = shape.warps_per_block
    order = [late, *(warp for warp in range(count) if warp != late)]
    return [regular(shape, slice(warp, None, count), EVERY) for warp in order]


def _late_block(late: int, shape: Shape) -> list[ThreadSet]:
    """Return a block of the first cluster, the other ones of this cluster, and those of all others as one group."""
    count, blocks = shape.warps_per_block, prod(shape.cluster)
    order = [late, *(block for block in range(blocks) if block != late)]
    ends = [(block, block + 1) for block in order] + ([(blocks, shape.grid)] if shape.grid > blocks else [])
    return [regular(shape, slice(first * count, end * count), EVERY, whole_blocks=True) for first, end in ends]
