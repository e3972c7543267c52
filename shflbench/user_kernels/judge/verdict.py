"""The verdict on a candidate: a decision with its reasons, in the order in which the questions are asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.schemas.judge import JudgedCandidate, JudgeReason


class Decision(StrEnum):
    """Whether a candidate is accepted."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


class Question(StrEnum):
    """The questions about a candidate, in their order."""

    COMPILES = "compiles"
    CHECKED = "checked"
    EQUAL = "equal"
    HONEST = "honest"
    FASTER = "faster"


class ReasonCode(StrEnum):
    """Why a candidate is not accepted; a code is never renamed, new ones may be added."""

    INCLUDE_OUTSIDE = "include-outside"
    NOT_COMPILED = "not-compiled"
    OTHER_PARAMETERS = "other-parameters"
    RACE = "race"
    BARRIER = "barrier"
    BOUNDS = "bounds"
    UNINITIALIZED = "uninitialized"
    FAULT = "fault"
    NOT_CHECKED = "not-checked"
    WRONG_RESULT = "wrong-result"
    UNWRITTEN = "unwritten"
    INPUT_CHANGED = "input-changed"
    NEEDS_PREFILLED = "needs-prefilled"
    KEEPS_RESULTS = "keeps-results"
    KEEPS_MEMORY = "keeps-memory"
    READS_CLOCK = "reads-clock"
    READS_SURROUNDINGS = "reads-surroundings"
    LAUNCHES_KERNELS = "launches-kernels"
    PINS_CACHE = "pins-cache"
    TOO_FAST = "too-fast"
    SLOWER = "slower"
    EQUALLY_FAST = "equally-fast"
    NOT_TIMED = "not-timed"
    OVER_LIMIT = "over-limit"


@dataclass(frozen=True, slots=True)
class VerdictReason:
    """One reason against a candidate."""

    question: Question
    code: ReasonCode
    sentence: str
    is_certain: bool = True  # whether it rejects the candidate; else it leaves it undecided
    place: str = ""  # `file:line`, if one is known
    input: str = ""  # the name of the input that shows it

    def to_dict(self) -> JudgeReason:
        """Return the reason for JSON; what is not known is null."""
        return {
            "question": self.question.value,
            "code": self.code.value,
            "sentence": self.sentence,
            "is_certain": self.is_certain,
            "place": self.place or None,
            "input": self.input or None,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one candidate."""

    candidate: str
    reasons: tuple[VerdictReason, ...]
    seconds: dict[Question, float]  # that each question took; those that were not asked are not there
    inputs: int = 0  # that its results were compared for
    time_us: float | None = None  # of a launch
    speedup: tuple[float, float, float] | None = None  # relative to the reference, with its 95% interval
    repeat: str = ""  # the command that repeats the failure, if its input was kept

    @property
    def decision(self) -> Decision:
        """Rejected for a certain reason, else undecided for any other one."""
        if any(reason.is_certain for reason in self.reasons):
            return Decision.REJECTED
        return Decision.UNDECIDED if self.reasons else Decision.ACCEPTED

    @property
    def reason(self) -> VerdictReason | None:
        """The reason of the decision: the first certain one, else the first one."""
        return next((reason for reason in self.reasons if reason.is_certain), next(iter(self.reasons), None))

    @property
    def sentence(self) -> str:
        """The decision with its reason, or what was asked."""
        if self.reason:
            return f"{self.decision}: {self.reason.code}: {self.reason.sentence}"
        return f"{self.decision}: {', '.join(self.seconds)}"

    def to_dict(self) -> JudgedCandidate:
        """Return the verdict for JSON; what is not known is null."""
        speed = self.speedup or (None, None, None)
        return {
            "candidate": self.candidate,
            "decision": self.decision.value,
            "reason": self.reason.code.value if self.reason else None,
            "sentence": self.sentence,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "seconds": {question.value: round(time, 3) for question, time in self.seconds.items()},
            "inputs": self.inputs,
            "time_us": self.time_us,
            "speedup": speed[0],
            "speedup_low": speed[1],
            "speedup_high": speed[2],
            "repeat": self.repeat or None,
        }
