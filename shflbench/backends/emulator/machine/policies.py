"""Orders in which threads may legally run under independent thread scheduling.

A policy divides the threads into groups that run in lockstep, and orders the groups. A group runs ahead until it has to
wait for others. A GPU may choose any of these orders (CUDA C++ Programming
Guide, "Independent Thread Scheduling"): a program that is right only under some of them is wrong.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shflbench.backends.emulator.machine.threads import Shape, ThreadSet, regular
from shflbench.model import WARP

EVERY = slice(None)


@dataclass(frozen=True, slots=True)
class Policy:
    """One order of threads."""

    name: str
    summary: str
    lockstep_groups: Callable[[Shape], list[ThreadSet]]  # in the order in which they run
    random: bool = False  # which group runs is drawn each time


def all_threads(shape: Shape) -> list[ThreadSet]:
    """Return all threads as one set."""
    return [regular(shape, EVERY, EVERY)]


def _lanes(*groups: slice) -> Callable[[Shape], list[ThreadSet]]:
    return lambda shape: [regular(shape, EVERY, lanes) for lanes in groups]


def _warps_reversed(shape: Shape) -> list[ThreadSet]:
    count = shape.warps_per_block
    return [regular(shape, slice(warp, None, count), EVERY) for warp in reversed(range(count))]


_each_lane = _lanes(*(slice(lane, lane + 1) for lane in range(WARP)))

LOCKSTEP = Policy("lockstep", "all threads run the same instruction at once", all_threads)
ADVERSARIAL = (
    Policy("half-warp first", "lanes 0 to 15 run ahead of lanes 16 to 31", _lanes(slice(0, 16), slice(16, 32))),
    Policy("odd lanes first", "odd lanes run ahead of even lanes", _lanes(slice(1, None, 2), slice(0, None, 2))),
    Policy("lanes in order", "each lane runs ahead of the next", _each_lane),
    Policy("lanes at random", "a lane drawn at random runs ahead", _each_lane, random=True),
    Policy("warps in reverse", "the last warp of each block runs ahead", _warps_reversed),
    Policy("warps at random", "a warp drawn at random runs ahead", _warps_reversed, random=True),
)
POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in (LOCKSTEP, *ADVERSARIAL)}
