"""What threads know of one another after any sequence of barriers, against a plain account of it."""

from typing import Any

import numpy as np
import pytest

from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.machine.threads import Shape
from shflbench.backends.emulator.races.clocks import Clocks
from shflbench.model import WARP
from tests.backends.emulator.threads import program

SHAPE = Shape(2, 64)
THREADS = SHAPE.lanes
STEPS = 60


class Account:
    """For each thread, the set of accesses that happened before its next one: what a barrier hands on is a union."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.before: list[set[tuple[int, int]]] = [set() for _ in range(THREADS)]  # (thread, number of its access)

    def access(self, thread: int, number: int) -> None:
        """Note an access of a thread."""
        self.before[thread] = self.before[thread] | {(thread, number)}

    def meet(self, threads: list[int]) -> None:
        """Let each of the threads know what any of them knows."""
        known = set().union(*(self.before[thread] for thread in threads))
        for thread in threads:
            self.before[thread] = known


def synchronize(clocks: Clocks, account: Account, random: np.random.Generator) -> None:
    """Let a block, some warps, or the lanes of a warp that share a mask meet."""
    kind = random.integers(4)
    if kind == 0:
        block = int(random.integers(SHAPE.grid))
        clocks.synchronize_blocks(np.array([block]))
        account.meet(list(range(block * SHAPE.block, (block + 1) * SHAPE.block)))
    elif kind == 1:
        warps = np.flatnonzero(random.integers(2, size=SHAPE.warps))
        clocks.synchronize_warps(warps)
        for warp in warps.tolist():
            account.meet(list(range(warp * WARP, (warp + 1) * WARP)))
    else:
        numbers = random.integers(3, size=(SHAPE.warps, WARP))  # which of three masks each lane passes
        numbers[random.integers(2, size=SHAPE.warps) == 0] = 0  # some warps pass a full mask, some do not come at all
        coming = np.flatnonzero(random.integers(2, size=SHAPE.warps))
        masks: Any = np.zeros((SHAPE.warps, WARP), np.uint32)
        for warp in coming.tolist():
            for number in range(3):
                lanes = np.flatnonzero(numbers[warp] == number)
                masks[warp, lanes] = np.sum(np.uint32(1) << lanes.astype(np.uint32), dtype=np.uint32)
                if lanes.size:
                    account.meet((warp * WARP + lanes).tolist())
        threads = (coming[:, None] * WARP + np.arange(WARP)).reshape(-1)
        clocks.synchronize_lanes(threads, masks.reshape(-1)[threads])


@pytest.mark.parametrize("seed", range(20))
def test_a_thread_knows_exactly_the_accesses_that_barriers_order_before_its_own(seed: int) -> None:
    random = np.random.default_rng(seed)
    clocks, account = Clocks(State(program(""), SHAPE, 0, MemorySpace("global", 1, 16))), Account()
    made: list[tuple[int, int]] = []
    nothing: Any = None
    for _ in range(STEPS):
        if random.integers(2):
            clocks.access(nothing, nothing, nothing, nothing, nothing)
            for thread in np.flatnonzero(random.integers(4, size=THREADS) == 0).tolist():
                account.access(thread, clocks.now)
                made.append((thread, clocks.now))
        else:
            synchronize(clocks, account, random)
    for thread in range(THREADS):
        block, mine = divmod(thread, SHAPE.block)
        others = [(other, number) for other, number in made if other // SHAPE.block == block and other != thread]
        known = clocks.known(
            np.array(block), np.array(mine), np.array([other % SHAPE.block for other, _ in others], np.intp)
        )
        assert {item for item, limit in zip(others, known.tolist(), strict=True) if item[1] <= limit} == {
            item for item in account.before[thread] if item[0] != thread
        }
