"""Simulate a timed loop with branches and inner loops, where counts of accesses say which warps take which path."""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from math import ceil
from typing import TYPE_CHECKING

from shflbench.analysis.limits.kernel_path import PathLoop
from shflbench.analysis.limits.loop_steps import steps_of
from shflbench.analysis.limits.simulation import Simulation
from shflbench.core.model import TimedCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.analysis.limits.kernel_path import PathStep, WarpPath
    from shflbench.analysis.limits.simulation import Step, _Warp
    from shflbench.core.model import KernelRequests

MOST_STEPS = 4000  # of a pass; a simulation takes too long with more
LONG = 600  # steps of a pass: one of a longer pass is enough


class PathSimulation(Simulation):
    """A run of blocks of which only some warps execute some of the steps: the first ones of each block."""

    def __init__(
        self,
        steps: Sequence[Step],
        executing: Sequence[int],
        warps_per_block: int,
        blocks: int,
        constants: PredictionConstants,
    ) -> None:
        """Prepare blocks; `executing` are the warps of a block that execute each step."""
        super().__init__(steps, warps_per_block, blocks, constants)
        self._executing = executing

    def _wake(self, warp: _Warp) -> None:
        number = warp.number % self._size
        while number >= self._executing[warp.step]:
            warp.step += 1
        super()._wake(warp)


def flat(path: WarpPath) -> Iterator[PathStep]:
    """Yield the steps of a path one after another, those of inner loops as often as they are executed."""
    for part in path:
        if isinstance(part, PathLoop):
            for body in repeat(part.body, round(part.iterations)):
                yield from flat(body)
        else:
            yield part


def length(path: WarpPath) -> int:
    """Return the steps of a path, with all iterations of inner loops."""
    return sum(round(part.iterations) * length(part.body) if isinstance(part, PathLoop) else 1 for part in path)


def cycles_per_pass(
    path: WarpPath, warps_per_block: int, blocks: int, requests: KernelRequests | None, constants: PredictionConstants
) -> float:
    """Return the clocks in which the blocks of an SM take one pass through a timed loop."""
    parts = list(flat(path))
    code = TimedCode(tuple(part.item for part in parts), 1)
    steps = steps_of(code, warps_per_block * blocks, requests, constants)
    executing = tuple(max(1, ceil(part.share * warps_per_block - 0.01)) for part in parts)
    executing = (*executing[:-1], warps_per_block)
    return _simulated(steps, executing, warps_per_block, blocks, constants)


@lru_cache(maxsize=256)
def _simulated(
    steps: tuple[Step, ...], executing: tuple[int, ...], warps: int, blocks: int, constants: PredictionConstants
) -> float:
    warm_up, passes = (1, 1) if len(steps) > LONG else (2, 3)
    start, end = (
        PathSimulation(steps, executing, warps, blocks, constants).run(count) for count in (warm_up, warm_up + passes)
    )
    return (end - start) / passes
