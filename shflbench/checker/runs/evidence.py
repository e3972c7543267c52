"""The launches of one kernel, and the findings in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.emulator.machine.scheduler import StepLimitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.emulator.explore import ScheduleResult
    from shflbench.emulator.races.hazards import Hazard
    from shflbench.errors import BudgetError


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """A byte of a buffer that differs between two schedules."""

    policy: str
    buffer: str
    byte: int

    def __str__(self) -> str:
        """Return the difference in words, without a period."""
        return f"`{self.buffer}` differs at byte {self.byte} under `{self.policy}`"


@dataclass(frozen=True, slots=True)
class LaunchEvidence:
    """One launch with one set of arguments, under one or more schedules."""

    launch: PlannedLaunch
    arguments: Arguments
    seed: int
    results: tuple[ScheduleResult, ...]
    differences: tuple[OutputDifference, ...] = ()
    printed: tuple[str, ...] = ()  # by device-side printf, under the first schedule
    # The first and last basic block of straight code that ran, and the ids of ops whose guard held for a thread; each
    # with the thread that alone executed it, or the negative number of those that did at once.
    runs: Mapping[tuple[int, int], int] = field(default_factory=dict)
    guarded: Mapping[int, int] = field(default_factory=dict)
    has_other_numbers: bool = False  # than those that names and the launch suggest, in place of what nobody gave
    partial: tuple[ScheduleResult, ...] = ()  # races of schedules that did not end within the limit of instructions

    @property
    def hazards(self) -> Iterator[Hazard]:
        """The hazards of all schedules."""
        for result in (*self.results, *self.partial):
            yield from result.hazards


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is declared of a kernel, and what comparing its results with expected ones showed."""

    safe: bool  # as declared
    right: str = "right"  # what a result is that is not wrong: `deterministic`, ``the same as `smem` ``
    wrong: tuple[str, ...] = ()  # the schedules under which the result was wrong
    mismatch: str = ""  # the first wrong value, in words
    incomparable: str = ""  # why there is nothing to compare results with
    violations: tuple[str, ...] = ()  # expected instruction counts that the machine code does not have


@dataclass(frozen=True, slots=True)
class KernelEvidence:
    """All launches of one kernel."""

    launches: tuple[LaunchEvidence, ...]
    unfinished: str = ""  # why not all planned launches, or not all schedules, ran
    ended_by: BudgetError | None = None  # the budget or the time limit of the file, if it ended the runs
    expectation: Expectation | None = None  # None where nothing is known of the results but that they agree


def did_not_end(launch: LaunchEvidence) -> bool:
    """Whether a launch reached the limit of instructions under one of its schedules."""
    return any(isinstance(result.error, StepLimitError) for result in launch.results)
