"""Find out how threads that ended before a barrier went on without it."""

from collections.abc import Iterable
from dataclasses import replace

from shflbench.emulator.machine.branch_sides import BranchSides
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.races.hazards import Hazard, HazardKind, HazardLog
from shflbench.emulator.races.watched import ScheduledRun


def with_sides(run: ScheduledRun, hazards: Iterable[Hazard]) -> HazardLog:
    """Run a launch again, and return its hazards; barriers that threads skip with the branches of the first of these.

    It ended, so that it comes second among the threads of the hazard.
    """
    kept: list[tuple[State, BranchSides]] = []

    def observe(state: State) -> list[Observer]:
        state.branch_sides = BranchSides(state.shape.lanes)
        kept.append((state, state.branch_sides))
        return []

    run.execute(observe)
    state, sides = kept[0]

    def completed(hazard: Hazard) -> Hazard:
        if hazard.kind is not HazardKind.BARRIER_SKIPPED or len(hazard.threads) < 2:  # noqa: PLR2004  (both threads)
            return hazard
        block, index = hazard.threads[1]
        taken = sides.of(block * state.shape.lanes_per_block + index)
        return replace(hazard, sides=tuple((branch.instruction, jumps) for branch, jumps in taken))

    return HazardLog.of(map(completed, hazards))
