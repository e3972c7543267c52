"""What can be said of one case of two runs: an outcome, the reason for it, and a sentence."""

from __future__ import annotations

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
