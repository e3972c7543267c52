"""From the result of a check to the reason against a candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict
from shflbench.user_kernels.judge.verdict import Question, ReasonCode, VerdictReason

if TYPE_CHECKING:
    from shflbench.checker import CheckFinding, CheckResult

# Kind of a finding, as the check names it → code; all others are faults.
_CODES = {
    **dict.fromkeys(
        (
            "RAW",
            "WAR",
            "WAW",
            "race with an atomic",
            "access and bulk copy without a proxy fence",
            "depends on activemask",
            "shared memory of a block that may not have started",
            "shared memory of a block that may have ended",
            "copy that may outlive its block",
        ),
        ReasonCode.RACE,
    ),
    **dict.fromkeys(
        (
            "value from an absent lane",
            "shuffle from an inactive lane",
            "lane outside its own mask",
            "lanes with different masks",
            "mask names lanes that have exited",
            "barrier in divergent code of a warp",
            "barrier skipped by threads that ended",
            "barrier in a condition that not all threads fulfill",
            "barrier that cannot complete",
            "deadlock",
        ),
        ReasonCode.BARRIER,
    ),
    **dict.fromkeys(
        ("out of bounds", "misaligned address", "write to read-only memory", "local memory of another thread"),
        ReasonCode.BOUNDS,
    ),
    "uninitialized read": ReasonCode.UNINITIALIZED,
}
_GOOD = (KernelVerdict.CLEAN, KernelVerdict.HARMLESS, KernelVerdict.DEPENDENT)


def check_reason(result: CheckResult, name: str = "") -> VerdictReason | None:
    """Return why a kernel is not safe at an input of this name, or why that is unknown; None if it is safe."""
    if result.verdict in _GOOD:
        return None
    finding = result.cause
    if result.verdict is KernelVerdict.BROKEN:
        sentence = next(iter(result.details), result.sentence)
        code = _CODES.get(finding.kind, ReasonCode.FAULT) if finding else ReasonCode.FAULT
        return VerdictReason(Question.CHECKED, code, _with(sentence, name), place=_place(finding), input=name)
    sentence = next(iter(result.details), result.sentence) if finding else result.sentence
    is_doubtful = result.verdict is KernelVerdict.DOUBTFUL and finding is not None
    code = _CODES.get(finding.kind, ReasonCode.NOT_CHECKED) if finding and is_doubtful else ReasonCode.NOT_CHECKED
    return VerdictReason(
        Question.CHECKED,
        code,
        _with(f"{result.verdict}, {sentence}", name),
        is_certain=code is ReasonCode.BARRIER,  # undefined by CUDA, whatever this GPU does
        place=_place(finding),
        input=name,
    )


def _with(sentence: str, name: str) -> str:
    return f"{sentence}, with {name}" if name else sentence


def _place(finding: CheckFinding | None) -> str:
    if finding is None or finding.file is None or finding.line is None:
        return ""
    return f"{finding.file}:{finding.line}"
