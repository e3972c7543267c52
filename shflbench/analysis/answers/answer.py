"""The answer to "which variant?" in one measured setting, and over the settings of a pattern and dtype."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.core.statistics import ratio

if TYPE_CHECKING:
    from shflbench.analysis.ranking import Certainty
    from shflbench.core.model import Interval
    from shflbench.store.columns import Options


class Role(StrEnum):
    """Whether a variant can be recommended, and if not, why."""

    CANDIDATE = "candidate"
    UNSAFE = "unsafe"  # the memory model does not guarantee its result
    LIBRARY = "library"  # it shows what a library call compiles to


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedVariant:
    """One timed variant of a setting."""

    variant: str
    mechanism: str
    role: Role
    case_id: str
    time_us: Interval
    slowdown: Interval  # its time divided by that of the recommended variant
    limit_fraction: float | None = None  # of the limit in its time, 0 to 1
    limit_by: str | None = None


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """The answer of an earlier run of the same setting."""

    run: str  # the run's folder
    variant: str
    other: str | None  # the next best
    over: Interval | None  # its time divided by that of the variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Which variant to use in one measured setting: a group, the cases that differ in variant only."""

    run: str  # the run's folder
    suite: str
    gpu: str  # its name; empty where the run does not say
    arch: str
    pattern: str
    dtype: str
    launch: str  # as the suite has it, `2*sms x 1024`
    grid: int | None
    block: int
    iterations: int
    options: Options
    setting: str  # all of these in words: `f32, 26x1024, 4096 iterations, mode=idx`
    variant: str  # the recommended one: the fastest; of those as fast, the simplest
    mechanism: str
    certainty: Certainty
    tied: tuple[str, ...]  # the other candidates that tie with it, or cannot be distinguished; fastest first
    libraries: tuple[str, ...]  # library calls that are at least as fast as the fastest candidate, fastest first
    undecided_libraries: tuple[str, ...]  # library calls with a longer time, not shown to be slower
    baseline: str | None  # None where it has no time
    over_baseline: Interval | None  # the baseline's time divided by the recommended variant's; None if that is it
    runner_up: str | None  # the fastest candidate that is clearly slower; None where all tie
    over_runner_up: Interval | None
    rival: str | None  # the fastest candidate of another mechanism; None without one, or where it leads, too
    over_rival: Interval | None
    limit_fraction: float | None  # of the recommended variant
    limit_by: str | None
    notes: tuple[str, ...]  # on safety, a sentence each
    ranking: tuple[RankedVariant, ...]  # all timed variants, fastest first
    earlier: tuple[EarlierAnswer, ...] = ()  # newest first
    is_unreached: bool = False  # whether something else than the limit takes most of the time

    @property
    def leaders(self) -> tuple[str, ...]:
        """The recommended variant and those that tie with it."""
        return self.variant, *self.tied

    @property
    def next_best(self) -> tuple[str | None, Interval | None]:
        """The rival, without one the runner-up, and its time divided by that of the recommended variant."""
        return (self.rival, self.over_rival) if self.rival else (self.runner_up, self.over_runner_up)

    @property
    def brief(self) -> EarlierAnswer:
        """The answer as a newer one of the same setting names it."""
        return EarlierAnswer(self.run, self.variant, *self.next_best)

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The cases that the answer rests on, fastest first."""
        return tuple(ranked.case_id for ranked in self.ranking)

    def rank(self, variant: str) -> RankedVariant | None:
        """Return a timed variant; None where it has no time in this setting."""
        return next((ranked for ranked in self.ranking if ranked.variant == variant), None)

    def speedup(self, variant: str, other: str) -> Interval | None:
        """Return the time of `other` divided by that of `variant`; None where one has no time."""
        first, second = self.rank(variant), self.rank(other)
        return ratio(second.time_us, first.time_us) if first and second else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryAnswer:
    """Which variant to use for one pattern and dtype: at the setting that stands for them, and in how many others."""

    usual: Answer  # at the pattern's usual setting, or the measured one that is nearest to it
    leads: int  # settings in which its variant leads, alone or in a tie
    exceptions: tuple[str, ...]  # another variant, by what factor, where: `cg (1.3× the speed of shfl) at words=32`
    answers: tuple[Answer, ...]  # of all settings, in file order
