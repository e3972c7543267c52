"""What comes out of comparing two sides: a verdict for every case, and what they rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.model import Interval


class Outcome(StrEnum):
    """What became of a case between two runs, in the order of importance."""

    SLOWER = "slower"
    FAILED = "failed"
    MISSING = "missing"
    SUSPECTED = "suspected"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not-comparable"
    FASTER = "faster"
    NEW = "new"
    SAME = "same"

    @property
    def rank(self) -> int:
        """Its place in the order of importance, from 0."""
        return list(Outcome).index(self)


class Reason(StrEnum):
    """Why the outcome is what it is."""

    BEYOND_THRESHOLD = "beyond-threshold"  # slower, faster: at least the threshold, and its interval leaves 0 out
    WITHIN_THRESHOLD = "within-threshold"  # same: no change as large as the threshold is possible
    BELOW_THRESHOLD = "below-threshold"  # same: there is a change, and it is smaller than the threshold
    INTERVAL_TOO_WIDE = "interval-too-wide"  # inconclusive: it reaches from inside the threshold to outside of it
    FEW_PROCESSES = "few-processes"  # suspected: one or two a side do not show by what processes differ
    OTHER_GPU = "other-gpu"  # suspected: two GPUs of one model differ by more than one GPU does
    NO_SENTINELS = "no-sentinels"  # suspected: nothing tells a change of the machine from one of the case
    NO_SAMPLES = "no-samples"  # suspected: only medians and their intervals are known
    TOO_FEW_ROUNDS = "too-few-rounds"  # inconclusive: what lasts as long as a round cannot be told from a change
    NO_INTERVAL = "no-interval"  # inconclusive: a side has a time, and nothing that tells how well it is known
    NO_VALUE = "no-value"  # not comparable: a side does not have the metric that is compared
    OTHER_LAUNCHES = "other-launches"  # not comparable: a sample brackets one launch on one side, eight on the other
    ACROSS = "across"  # not comparable: a report without verdict was asked for
    NOT_IN_BASE = "not-in-base"
    NOT_IN_NEW = "not-in-new"
    RUN_UNFINISHED = "run-unfinished"  # not in the new run, which stopped before its end
    NOT_TIMED_ANY_MORE = "not-timed-any-more"  # skipped, or compiled or verified only
    INCORRECT_RESULT = "incorrect-result"
    CASE_FAILED = "case-failed"
    BASE_NOT_TIMED = "base-not-timed"
    NEITHER_TIMED = "neither-timed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome for one case.

    Values are in the unit of the metric: the mean over the processes of a side of the mean of the fastest half of a
    process's samples, without the offset that the sentinels show for that process. Ratios are new by base, fractions
    are of `base`.
    """

    case_id: str
    outcome: Outcome
    reason: Reason
    sentence: str
    base: float | None = None
    new: float | None = None
    ratio: Interval | None = None  # with the interval that holds for all cases at once
    threshold: float | None = None  # the smallest change that matters, as a fraction
    detectable: float | None = None  # the smallest slowdown that is found in 98 of 100 such comparisons, as a fraction
    needs_processes: int | None = None  # a side, that would settle an inconclusive case; None where none would
    median_ratio: float | None = None  # of the medians of all samples
    p90_ratio: float | None = None  # of what nine of ten samples stay below
    why: tuple[str, ...] = ()  # what changed in the kernel: `registers 32 → 40`
    remarks: tuple[str, ...] = ()  # what a reader should know beside the verdict, a sentence each


FINDINGS = frozenset({Outcome.SLOWER, Outcome.MISSING, Outcome.FAILED})
UNDECIDED = frozenset({Outcome.SUSPECTED, Outcome.INCONCLUSIVE, Outcome.NOT_COMPARABLE})

FOUND = 1
UNCERTAIN = 6


class Metric(StrEnum):
    """What is compared."""

    TIME = "time"
    NS_PER_ITERATION = "ns_per_iteration"
    CYCLES_PER_ITERATION = "cycles_per_iteration"
    REGISTERS = "registers"

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return {"time": "µs", "ns_per_iteration": "ns", "cycles_per_iteration": "cycles", "registers": "registers"}[
            self
        ]


@dataclass(frozen=True, slots=True)
class SideInfo:
    """One side of a comparison, for its reader."""

    name: str  # the folders of its runs, or the name of a baseline
    suite: str
    device: str  # model of the GPU; empty where there was none
    gpus: tuple[str, ...]  # UUIDs
    driver: str
    nvrtc: str
    started: str  # of its first run, UTC
    commit: str  # of the checkout that shflbench ran from; empty if unknown
    runs: int
    processes: int  # the fewest that any timed case was measured in


@dataclass(frozen=True, slots=True)
class NoiseUsed:
    """What was taken for the noise of a process's time: sd² = a² + (b·time)²."""

    source: str  # in words: "learned from 24 processes on this GPU", "fitted to the spread within both sides", …
    a_us: float
    b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The verdict for every case of either side, in the order of the base's cases, then of the new ones."""

    base: SideInfo
    new: SideInfo
    metric: Metric
    verdicts: tuple[Verdict, ...]
    noise: NoiseUsed | None  # None where none was needed
    offset_us: float | None = None  # by how much longer the sentinels say that everything took on the new side
    across: tuple[str, ...] = ()  # what keeps the sides from being compared, where a report was asked for all the same
    notes: tuple[str, ...] = ()  # what else differs between the sides, a sentence each
    warnings: tuple[str, ...] = ()  # what to doubt, a sentence each
    allowed: frozenset[Outcome] = frozenset()  # judgments that do not fail the gate

    def count(self, outcome: Outcome) -> int:
        """Return how many cases came out so."""
        return sum(verdict.outcome is outcome for verdict in self.verdicts)

    def counts(self) -> dict[str, int]:
        """Return how many cases came out how, the most important first; none is 0."""
        return {outcome.value: count for outcome in Outcome if (count := self.count(outcome))}

    def exit_code(self, *, strict: bool = False) -> int:
        """Return 1 for a judgment, 6 where `strict` asks for certainty and a case is undecided, else 0."""
        if self.across:
            return 0
        outcomes = {verdict.outcome for verdict in self.verdicts}
        if outcomes & FINDINGS - self.allowed:
            return FOUND
        return UNCERTAIN if strict and outcomes & UNDECIDED else 0

    def by_importance(self) -> tuple[Verdict, ...]:
        """Return the verdicts, judgments first, and the largest change first among those of an outcome."""

        def importance(verdict: Verdict) -> tuple[int, float]:
            return verdict.outcome.rank, -abs(math.log(verdict.ratio.value)) if verdict.ratio else 0.0

        return tuple(sorted(self.verdicts, key=importance))
