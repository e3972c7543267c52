"""Vector clocks after any sequence of barriers, compared with explicit sets of accesses."""

from typing import Any

import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.races.clocks import Clocks
from shflbench.errors import EmulatorError
from tests.emulator.threads import program

SHAPE = Shape(2, 64)
THREADS = SHAPE.lanes
STEPS = 60


class HappensBefore:
    """For each thread, the set of accesses that happened before its next one; a barrier unites these sets."""

    def __init__(self) -> None:
        """Start without accesses."""
        self.before: list[set[tuple[int, int]]] = [set() for _ in range(THREADS)]  # (thread, number of its access)

    def access(self, thread: int, number: int) -> None:
        """Add an access of a thread."""
        self.before[thread] = self.before[thread] | {(thread, number)}

    def meet(self, threads: list[int], waiting: list[int] | None = None) -> None:
        """Unite the sets of the threads, for those that wait; by default for all."""
        known = set().union(*(self.before[thread] for thread in threads))
        for thread in threads if waiting is None else waiting:
            self.before[thread] = known


def synchronize(clocks: Clocks, order: HappensBefore, random: np.random.Generator) -> None:
    """Synchronize a block, some warps, some threads of a block, or the lanes of warps by partial masks."""
    kind = random.integers(5)
    if kind == 0:
        block = int(random.integers(SHAPE.grid))
        clocks.synchronize_blocks(np.array([block]))
        order.meet(list(range(block * SHAPE.block, (block + 1) * SHAPE.block)))
    elif kind == 1:
        warps = np.flatnonzero(random.integers(2, size=SHAPE.warps))
        clocks.synchronize_warps(warps)
        for warp in warps.tolist():
            order.meet(list(range(warp * WARP, (warp + 1) * WARP)))
    elif kind == 2:
        block = int(random.integers(SHAPE.grid))
        threads = block * SHAPE.block + np.flatnonzero(random.integers(2, size=SHAPE.block))
        waiting = threads[random.integers(3, size=threads.size) > 0]  # the others only arrive
        for arriving in np.array_split(threads, 2):
            clocks.release_to_barrier(arriving, meeting=1)
        clocks.acquire_from_barrier(waiting, meeting=1)
        order.meet(threads.tolist(), waiting.tolist())
    else:
        numbers = random.integers(3, size=(SHAPE.warps, WARP))  # which of three masks each lane passes
        numbers[random.integers(2, size=SHAPE.warps) == 0] = 0  # some warps pass a full mask
        warps_that_meet = np.flatnonzero(random.integers(2, size=SHAPE.warps))
        masks: Any = np.zeros((SHAPE.warps, WARP), np.uint32)
        for warp in warps_that_meet.tolist():
            for number in range(3):
                lanes = np.flatnonzero(numbers[warp] == number)
                masks[warp, lanes] = np.sum(np.uint32(1) << lanes.astype(np.uint32), dtype=np.uint32)
                if lanes.size:
                    order.meet((warp * WARP + lanes).tolist())
        threads = (warps_that_meet[:, None] * WARP + np.arange(WARP)).reshape(-1)
        clocks.synchronize_lanes(threads, masks.reshape(-1)[threads])


@pytest.mark.parametrize("seed", range(20))
def test_a_thread_knows_exactly_the_accesses_that_barriers_order_before_its_own(seed: int) -> None:
    random = np.random.default_rng(seed)
    clocks, order = Clocks(State(program(""), SHAPE, 0, MemorySpace("global", 1, 16))), HappensBefore()
    made: list[tuple[int, int]] = []
    nothing: Any = None
    for _ in range(STEPS):
        if random.integers(2):
            clocks.access(nothing, nothing, nothing, nothing, nothing)
            for thread in np.flatnonzero(random.integers(4, size=THREADS) == 0).tolist():
                order.access(thread, clocks.now)
                made.append((thread, clocks.now))
        else:
            synchronize(clocks, order, random)
    for thread in range(THREADS):
        block, mine = divmod(thread, SHAPE.block)
        others = [(other, number) for other, number in made if other // SHAPE.block == block and other != thread]
        known = clocks.known(
            np.array(block), np.array(mine), np.array([other % SHAPE.block for other, _ in others], np.intp)
        )
        assert {item for item, limit in zip(others, known.tolist(), strict=True) if item[1] <= limit} == {
            item for item in order.before[thread] if item[0] != thread
        }


def test_few_threads_of_many_may_learn_by_themselves() -> None:
    shape = Shape(300, 256)
    clocks = Clocks(State(program(""), shape, 0, MemorySpace("global", 1, 16)))
    row = np.arange(shape.lanes, dtype=np.int32)
    clocks.learn(70_000, row)
    assert clocks.knows(np.array([70_000, 70_001]), np.array([5, 5])).tolist() == [5, 0]
    clocks.synchronize_blocks(np.array([70_000 // 256]))
    assert clocks.knows(np.array([70_001, 1]), np.array([5, 5])).tolist() == [5, 0]
    with pytest.raises(EmulatorError, match="too many of 76800 for the emulator"):
        clocks.learn_all(np.arange(shape.lanes), row)
