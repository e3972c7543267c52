"""The verdict on a claim, and its outcome in each setting."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.core.claims.claim import Claim
    from shflbench.core.model import Interval


class ClaimStatus(StrEnum):
    """Whether a claim holds."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    DEPENDS = "depends"  # it holds in some settings and not in others
    INCONCLUSIVE = "inconclusive"
    UNTESTABLE = "untestable"


class SettingStatus(StrEnum):
    """Whether a claim holds in one setting."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"  # the interval contains the boundary, or a value is missing


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingOutcome:
    """A claim in one setting: the cases of a run that differ in variant only."""

    outcome: SettingStatus
    run: str  # the run's folder
    suite: str
    pattern: str
    setting: str  # in words: `f32, 26x1024, 4096 iterations, mode=idx`
    case_ids: tuple[str, ...]  # that the expression uses
    measured: Interval | str | None = None  # of the claim's measured quantity
    reason: str = ""  # why it is undecided
    is_missing: bool = False  # undecided because a case is missing, failed, not verified or not timed
    why: str = ""  # what limits the cases, and counts of their machine code


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerdict:
    """The verdict on a claim for one GPU."""

    claim: Claim
    verdict: ClaimStatus
    sentence: str  # what was found, where it fails, what is missing
    settings: tuple[SettingOutcome, ...] = ()
    measured: str = ""  # in words: `4.7×`, `1.8× to 5.3×`
    worst: SettingOutcome | None = None  # the setting in which the claim is farthest from holding
    quantity: str = ""  # what was measured, unless it is all that the condition contains: `time(cub) / time(shfl)`
    condition: str = ""  # what is tested of it, if it is compared with a number: `<= 1.05`
    why: str = ""  # limiters and counts, where the settings agree; else of the worst
    why_setting: str = ""  # of which setting `why` is: its name, or that it is the same in all
