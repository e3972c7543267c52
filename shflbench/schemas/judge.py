"""The JSON of `shflbench judge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "One verdict on each candidate, with the reasons against it in the order of the questions."


class JudgeReason(TypedDict):
    """A reason against a candidate."""

    question: Annotated[str, "compiles, checked, equal, honest or faster"]
    code: Annotated[str, "`race`, `wrong-result`, …, of which none is renamed"]
    sentence: Annotated[str, "what was found, and where"]
    is_certain: Annotated[bool, "whether it rejects the candidate; else it leaves the verdict undecided"]
    place: Annotated[str | None, "`file:line`; null if none is known"]
    input: Annotated[str | None, "the input that shows it, one of `inputs`; null if none does"]


class JudgedCandidate(TypedDict):
    """The verdict on a candidate."""

    candidate: Annotated[str, "its name: that of its file without the suffix, or the one that was given"]
    decision: Annotated[str, "accepted, rejected or undecided"]
    reason: Annotated[str | None, "code of the reason of the decision; null if it is accepted"]
    sentence: Annotated[str, "the decision with its reason, or with the questions that were asked"]
    reasons: Annotated[Sequence[JudgeReason], "all reasons, in the order of the questions"]
    seconds: Annotated[Mapping[str, float], "time that each question took, s; a question that was not asked is missing"]
    inputs: Annotated[int, "inputs that were safe, and for which results were compared"]
    time_us: Annotated[float | None, "median time of one launch at the greatest sizes, µs; null if it was not timed"]
    speedup: Annotated[float | None, "time of the reference divided by that of the candidate; null if it is a function"]
    speedup_low: Annotated[float | None, "lower end of the 95% interval of the speed-up"]
    speedup_high: Annotated[float | None, "upper end of this interval"]
    repeat: Annotated[str | None, "command that repeats the failure; null unless its input was kept"]


class JudgeDocument(TypedDict):
    """The verdicts on candidates."""

    schema: Annotated[Literal[1], NUMBER]
    decision: Annotated[str, "accepted if all candidates are, rejected if one is, else undecided"]
    candidates: Annotated[Sequence[JudgedCandidate], "the verdicts, in the order of the candidates"]
    inputs: Annotated[Sequence[str], "inputs for which results were compared, by name"]
    skipped: Annotated[Mapping[str, str], "inputs that the reference does not take, with the reason"]
    notes: Annotated[Sequence[str], "sentences, such as why nothing was timed"]


DOCUMENTS = (JudgeDocument,)
