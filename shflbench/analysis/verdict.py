"""What can be said of one case of two runs: an outcome, the reason for it, and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.model import Interval


class Outcome(StrEnum):
    """What became of a case between two runs."""

    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    INCONCLUSIVE = "inconclusive"
    MISSING = "missing"
    NEW = "new"
    FAILED = "failed"
    NOT_COMPARABLE = "not-comparable"


class Reason(StrEnum):
    """Why the outcome is what it is."""

    WITHIN_THRESHOLD = "within-threshold"  # the whole interval lies inside the threshold
    BEYOND_THRESHOLD = "beyond-threshold"  # the ratio reaches the threshold, and its interval leaves 1 out
    INTERVAL_TOO_WIDE = "interval-too-wide"  # it reaches from inside the threshold to outside of it
    NO_INTERVAL = "no-interval"  # a side has a time, and no interval of it
    NOT_IN_BASE = "not-in-base"
    NOT_IN_NEW = "not-in-new"
    RUN_UNFINISHED = "run-unfinished"  # not in the new run, which stopped before its end
    NOT_TIMED_ANY_MORE = "not-timed-any-more"  # skipped, or compiled or verified only
    INCORRECT_RESULT = "incorrect-result"
    CASE_FAILED = "case-failed"
    BASE_NOT_TIMED = "base-not-timed"
    NEITHER_TIMED = "neither-timed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one case; `ratio` is new time by base time, where both have one."""

    case_id: str
    outcome: Outcome
    reason: Reason
    sentence: str
    ratio: Interval | None = None
