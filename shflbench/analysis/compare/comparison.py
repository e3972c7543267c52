"""The result of a comparison: a verdict for each case, and the data that the verdicts are based on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT

if TYPE_CHECKING:
    from shflbench.analysis.compare.cause import Cause
    from shflbench.core.model import Interval


class Outcome(StrEnum):
    """How a case differs between two runs, in the order of importance."""

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
        """The position in the order of importance, from 0."""
        return list(Outcome).index(self)


class Reason(StrEnum):
    """The reason for an outcome."""

    BEYOND_THRESHOLD = "beyond-threshold"  # slower, faster: at least the threshold, and the interval excludes 0
    WITHIN_THRESHOLD = "within-threshold"  # same: a change as large as the threshold is excluded
    BELOW_THRESHOLD = "below-threshold"  # same: the change is real, and smaller than the threshold
    INTERVAL_TOO_WIDE = "interval-too-wide"  # inconclusive: the interval contains the threshold
    FEW_PROCESSES = "few-processes"  # suspected: one or two per side do not show how processes differ
    OTHER_GPU = "other-gpu"  # suspected: two GPUs of one model differ by more than two runs on one GPU
    PAGE_PLACEMENT = "page-placement"  # suspected: a kernel that waits for memory; other pages change it by as much
    NO_SENTINELS = "no-sentinels"  # suspected: a change of the machine cannot be separated from one of the case
    NOT_ALTERNATED = "not-alternated"  # suspected: as above, and the processes of the sides did not run in turn
    CLOCKS_UNKNOWN = "clocks-unknown"  # suspected: as above, and the clock of the samples was not recorded
    CLOCKS_DIFFER = "clocks-differ"  # suspected: as above, and the clock of the samples was not the same
    NO_SAMPLES = "no-samples"  # suspected: only medians and their intervals are known
    TOO_FEW_ROUNDS = "too-few-rounds"  # suspected or inconclusive: a slow state lasts as long as a round
    NO_INTERVAL = "no-interval"  # suspected or inconclusive: a side has a time without an interval
    NO_VALUE = "no-value"  # not comparable: a side does not have the metric that is compared
    OTHER_LAUNCHES = "other-launches"  # not comparable: one launch per sample on one side, eight on the other
    ACROSS = "across"  # not comparable: a report without verdicts was requested
    NOT_IN_BASE = "not-in-base"
    NOT_IN_NEW = "not-in-new"
    NOT_IN_ALL_PROCESSES = "not-in-all-processes"  # missing: some processes of another tool lack it; else inconclusive
    RUN_UNFINISHED = "run-unfinished"  # not in the new run, which is unfinished
    NOT_TIMED_ANY_MORE = "not-timed-any-more"  # skipped, compiled or verified on the new side
    INCORRECT_RESULT = "incorrect-result"
    CASE_FAILED = "case-failed"
    BASE_NOT_TIMED = "base-not-timed"
    NEITHER_TIMED = "neither-timed"


@dataclass(frozen=True, slots=True)
class Correction:
    """The difference that is judged minus the difference of the measured values, in the unit of the metric."""

    total: float
    sentinels: float  # minus how much longer the sentinels ran on the new side; 0 if the sides have none in common
    # The rest: the mean of the fastest half of a process's samples instead of their median, the mean over processes
    # instead of the median over rounds, and the exclusion of an outlier process.
    fastest_half: float


class LimitState(StrEnum):
    """How the time of a case relates to its absolute limit."""

    WITHIN = "within"
    UNCERTAIN = "uncertain"  # the interval of the time contains the limit; if it is unknown, the time is near it
    OVER = "over"


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """The time of a case on the new side, checked against the longest time that it may take."""

    state: LimitState
    limit_us: float
    time_us: float  # as measured
    low_us: float | None = None  # interval of the time; None if it is unknown
    high_us: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeVerdict:
    """The outcome for one case.

    Values are in the unit of the metric. Measured values are those of results.csv, which other commands print. The rule
    judges `base` and `new`: a process's value is the mean of the fastest half of its samples, minus the process's
    offset, which the sentinels measure; a side's value is the mean over its processes. Ratios are new / base, fractions
    are of `base`.
    """

    case_id: str
    outcome: Outcome
    reason: Reason
    sentence: str
    advice: str = ""  # why an undecided case is not certain, and what to do
    measured_base: float | None = None  # of several runs: the median of their values
    measured_new: float | None = None
    correction: Correction | None = None  # None if the measured values are judged as they are
    base: float | None = None
    new: float | None = None
    ratio: Interval | None = None  # with an interval that is simultaneous for all cases, or an unknown one
    threshold: float | None = None  # the smallest change that matters, as a fraction
    detectable: float | None = None  # the smallest slowdown that 98 of 100 such comparisons find, as a fraction
    detectable_95: float | None = None  # likewise, that 95 of 100 find
    needs_processes: int | None = None  # per side, to settle an inconclusive case; None: more will not settle it
    median_ratio: float | None = None  # of the medians of all samples
    p90_ratio: float | None = None  # of the 90th percentiles of all samples
    why: tuple[str, ...] = ()  # what changed in the kernel: `registers 32 → 40`
    remarks: tuple[str, ...] = ()  # further sentences about the case
    causes: tuple[Cause, ...] = ()  # likely ones of the change, the most specific first
    limit: LimitCheck | None = None  # of the new side's time; None without a limit, or without a time

    def is_limit(self, state: LimitState) -> bool:
        """Return whether the case has a limit, in this state."""
        return self.limit is not None and self.limit.state is state


FINDINGS = frozenset({Outcome.SLOWER, Outcome.MISSING, Outcome.FAILED})
UNDECIDED = frozenset({Outcome.SUSPECTED, Outcome.INCONCLUSIVE, Outcome.NOT_COMPARABLE})


class Metric(StrEnum):
    """The quantity that is compared."""

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
    """A description of one side of a comparison."""

    name: str  # the folders of its runs, or the name of a baseline
    suite: str
    device: str  # model of the GPU; empty without one
    gpus: tuple[str, ...]  # UUIDs
    driver: str
    nvrtc: str
    started: str  # of its first run, UTC
    commit: str  # of the checkout that shflbench ran from; empty if unknown
    runs: int
    processes: int  # the minimum over all timed cases
    most_processes: int = 0  # the maximum


@dataclass(frozen=True, slots=True)
class NoiseUsed:
    """The noise model of a comparison, for the time of one process: sd² = a² + (b·time)²."""

    source: str  # in words: "learned from 24 processes on this GPU", "fitted to the spread within both sides", …
    a_us: float
    b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The verdict for each case of either side: the base's cases in their order, then the new ones."""

    base: SideInfo
    new: SideInfo
    metric: Metric
    verdicts: tuple[ChangeVerdict, ...]
    noise: NoiseUsed | None  # None if no case was judged by it
    false_alarms: float | None = None  # in this share of comparisons of unchanged code, at most, by design of the rule
    offset_us: float | None = None  # how much longer the sentinels ran on the new side
    across: tuple[str, ...] = ()  # why the sides cannot be compared, if a report was requested anyway
    notes: tuple[str, ...] = ()  # other differences between the sides, a sentence each
    warnings: tuple[str, ...] = ()  # a sentence each
    allowed: frozenset[Outcome] = frozenset()  # findings that do not fail the gate

    @property
    def is_corrected(self) -> bool:
        """Whether what is judged differs from the measured values."""
        return any(verdict.correction and verdict.correction.total for verdict in self.verdicts)

    def count(self, outcome: Outcome) -> int:
        """Return the number of cases with this outcome."""
        return sum(verdict.outcome is outcome for verdict in self.verdicts)

    def counts(self) -> dict[str, int]:
        """Return the number of cases of each outcome that occurs, the most important outcome first."""
        return {outcome.value: count for outcome in Outcome if (count := self.count(outcome))}

    def exit_code(self, *, strict: bool = False) -> int:
        """Return 1 for a finding or a time over its limit, 6 for an undecided case if `strict`, else 0."""
        if self.across:
            return 0
        outcomes = {verdict.outcome for verdict in self.verdicts}
        if outcomes & FINDINGS - self.allowed or self.count_limits(LimitState.OVER):
            return FINDING_EXIT
        undecided = bool(outcomes & UNDECIDED) or self.count_limits(LimitState.UNCERTAIN) > 0
        return UNDECIDED_EXIT if strict and undecided else 0

    def count_limits(self, state: LimitState) -> int:
        """Return the number of cases whose time relates to its limit in this way."""
        return sum(verdict.is_limit(state) for verdict in self.verdicts)

    def by_importance(self) -> tuple[ChangeVerdict, ...]:
        """Return the verdicts: times over their limit, then by importance of the outcome and by size of the change."""

        def importance(verdict: ChangeVerdict) -> tuple[bool, int, float]:
            size = abs(math.log(verdict.ratio.value)) if verdict.ratio else 0.0
            return not verdict.is_limit(LimitState.OVER), verdict.outcome.rank, -size

        return tuple(sorted(self.verdicts, key=importance))
