"""Compare the work of a kernel at the iteration counts that are timed with that at few iterations, in the emulator.

Right results do not show that a kernel has done its work: where the values of a pattern converge, fewer iterations have
the same result, and a kernel may keep results from one launch for the next. So a few blocks of the launch, at its real
grid, run in lockstep, and what they execute is counted. An iteration has to execute as much at all counts, and a second
launch as much as the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from shflbench.checker import may_wait
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.emulator import Shape, count_work
from shflbench.errors import EmulatorError, LaunchError
from shflbench.measure.schedule import iteration_counts
from shflbench.measure.workload import Workload, call_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.core.model import Case, Kernel
    from shflbench.cuda.backends.base import Array
    from shflbench.cuda.backends.emulator import EmulatedKernel
    from shflbench.emulator import EmulatedLaunch, ExecutedWork
    from shflbench.patterns.discover import LoadedPattern

# Of the work of an iteration: without branches on data it is the same at all counts. With them, as where it is not the
# same for two inputs, few blocks differ by 4% from others (`ballot-smem` of `broadcast-last`).
TOLERANCE, OF_BRANCHES = 0.005, 0.1
FEW_PASSES = (1, 3)  # through the unrolled loop, with which the other counts are compared
MOST_THREADS = 512  # that run, or two blocks
MOST_TIMED_BYTES = 1 << 28  # of the buffers of a launch, which the emulator copies
STEP_LIMIT = 500_000  # instructions: some seconds
INPUT_SETS = (0, 1)
INSTRUCTIONS = "instructions"
SMALL_GRID = 2  # of the launch whose results the check compares, also at the timed counts


def work_doubt(pattern: LoadedPattern, case: Case, kernel: Kernel, seed: int) -> str:
    """Return how a kernel does other work where it is timed, as a clause; empty if it does not.

    The case has a grid. Nothing is said of a kernel that the emulator does not run in time, or whose blocks may wait
    for one another.
    """
    timed = _SampledLaunch.of(pattern, case, kernel, seed)
    small = _SampledLaunch.of(pattern, replace(case, launch=replace(case.launch, grid=SMALL_GRID)), kernel, seed)
    if timed is None or small is None:
        return ""
    try:
        whole = timed.first(case.iterations)
        return _of_iterations(timed, small, whole, case.iterations, pattern) or _of_second_launch(timed, whole, case)
    except EmulatorError:
        return ""


def _of_iterations(
    timed: _SampledLaunch, small: _SampledLaunch, whole: ExecutedWork, iterations: int, pattern: LoadedPattern
) -> str:
    """Return how the work of an iteration differs from that at few iterations of a small launch."""
    declared = pattern.declaration
    counts = sorted(iteration_counts(iterations, declared.unroll))
    few = [passes * declared.unroll + iterations % declared.unroll for passes in FEW_PASSES]
    if declared.one_pass or counts[0] <= few[-1]:
        return ""
    usual, other = (
        _per_iteration({count: small.per_block(small.first(count, place)) for count in few}, *few)
        for place in range(len(INPUT_SETS))
    )
    tolerance = TOLERANCE if usual == other else OF_BRANCHES
    work = {count: timed.per_block(timed.first(count)) for count in (*few, *counts) if count != iterations}
    work[iterations] = timed.per_block(whole)
    for low, high in pairwise((*few, *counts)):
        measured = _per_iteration(work, low, high)
        for kind in sorted(measured.keys() | usual.keys(), key=lambda kind: (kind == INSTRUCTIONS, kind)):
            amount, expected = measured.get(kind, 0.0), usual.get(kind, 0.0)
            if amount < (1 - tolerance) * expected:
                share = f"{max(amount, 0.0) / expected:.0%} of the {kind}"
                return f"from {low} to {high}, an iteration executes {share} that few iterations of two blocks do"
    return ""


def _of_second_launch(timed: _SampledLaunch, first: ExecutedWork, case: Case) -> str:
    """Return how a launch differs from the one before it, which had the same inputs."""
    second = timed.again(case.iterations, first).totals
    for kind, count in first.totals.items():
        if abs(second.get(kind, 0) - count) > OF_BRANCHES * count:
            return f"a second launch with the same inputs executes {second.get(kind, 0) / count:.0%} of the {kind}"
    return "it changes its inputs" if timed.changes_inputs(first) else ""


def _per_iteration(work: Mapping[int, Mapping[str, float]], low: int, high: int) -> Mapping[str, float]:
    kinds = work[low].keys() | work[high].keys()
    return {kind: (work[high].get(kind, 0) - work[low].get(kind, 0)) / (high - low) for kind in kinds}


@dataclass(frozen=True, slots=True)
class _SampledLaunch:
    """A launch of which a few blocks run, at its real grid."""

    emulated: EmulatedKernel
    inputs: Sequence[Sequence[Array]]  # by the place in `INPUT_SETS`
    shape: Shape

    @classmethod
    def of(cls, pattern: LoadedPattern, case: Case, kernel: Kernel, seed: int) -> _SampledLaunch | None:
        """Return the launch of a case; None if it cannot run."""
        grid, block = case.launch.grid or 1, case.launch.block
        workload = Workload.of(pattern, case, grid, seed)
        if sum(buffer.nbytes for buffer in workload.buffers) > MOST_TIMED_BYTES:
            return None
        try:
            emulated = EmulatorBackend(kernel.arch).open(call_of(pattern, case, kernel, workload.setting))
        except (EmulatorError, LaunchError):  # reported by the check
            return None
        if emulated.program.cluster != NO_CLUSTER or case.launch.dims is not None:
            return None
        # Other blocks for each file, so that nobody can write a kernel that does its work in these blocks only.
        random = np.random.default_rng((seed, crc32(kernel.ptx.encode()), grid))
        number = max(MOST_THREADS // block, 2)
        sample = tuple(sorted(random.choice(grid, number, replace=False).tolist())) if grid > number else ()
        if sample and may_wait(list(emulated.program.ops())):
            return None
        return cls(
            emulated, [workload.inputs(index) for index in INPUT_SETS], Shape.of((grid, 1, 1), (block, 1, 1), sample)
        )

    def first(self, iterations: int, place: int = 0) -> ExecutedWork:
        """Return the work of a launch that finds nothing of others."""
        return count_work(self._launch(iterations, place), STEP_LIMIT)

    def again(self, iterations: int, before: ExecutedWork) -> ExecutedWork:
        """Return the work of a launch that finds all memory as the launch `before` left it."""
        launch = replace(self._launch(iterations), outputs=before.contents, symbols=before.symbols)
        return count_work(launch, STEP_LIMIT)

    def per_block(self, work: ExecutedWork) -> Mapping[str, float]:
        """Return the exchanges of a block on average, and the instructions, which all blocks execute together."""
        return {
            **{kind: count / self.shape.grid for kind, count in work.exchanges.items()},
            INSTRUCTIONS: work.instructions,
        }

    def changes_inputs(self, work: ExecutedWork) -> bool:
        """Whether a launch has left other inputs than it found."""
        given = self.emulated.launch(self.inputs[0], 1).inputs  # without those that a kernel may write
        return any(
            not np.array_equal(_bytes(before), _bytes(after))
            for before, after in zip(given, work.contents, strict=False)
        )

    def _launch(self, iterations: int, place: int = 0) -> EmulatedLaunch:
        """Return a launch all of whose buffers are outputs, so that their contents are known afterwards."""
        launch = self.emulated.launch(self.inputs[place], iterations)
        buffers = [np.ascontiguousarray(item).reshape(-1) for item in launch.inputs]
        return replace(launch, shape=self.shape, inputs=(), outputs=[*buffers, *launch.outputs])


def _bytes(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
