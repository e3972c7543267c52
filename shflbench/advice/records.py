"""Advice as plain data: measured and predicted values never share a field."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.advice.copied_code import CopiedCode
    from shflbench.advice.settling_run import SettlingRun
    from shflbench.analysis.answers.nearest import Advice
    from shflbench.analysis.answers.predicted import PredictedAnswer
    from shflbench.core.model import Noise


def measured_record(
    advice: Advice,
    noise: Noise | None,
    settling: SettlingRun | None,
    code: CopiedCode | None,
    untimed: Sequence[str],
) -> dict[str, object]:
    """Return the advice for one GPU that was measured."""
    answer = advice.answer
    return {
        "gpu": answer.gpu,
        "arch": answer.arch,
        "request": _request(advice),
        "measured": {**asdict(answer), "options": dict(answer.options), "case_ids": answer.case_ids},
        "untimed": list(untimed),
        "predicted": None,
        "noise": noise and asdict(noise),
        "differences": [asdict(difference) for difference in advice.differences],
        "depends": advice.depends,
        "robust": advice.robust,
        "elsewhere": advice.elsewhere,
        "settled_by": settling and asdict(settling),
        "code": code and asdict(code),
    }


def predicted_record(answer: PredictedAnswer, code: CopiedCode | None) -> dict[str, object]:
    """Return the advice for an architecture without results."""
    return {
        "gpu": None,
        "arch": answer.arch,
        "measured": None,
        "predicted": {**asdict(answer), "options": dict(answer.options)},
        "code": code and asdict(code),
    }


def _request(advice: Advice) -> dict[str, object]:
    request = advice.request
    return {
        "pattern": request.pattern,
        "dtype": request.dtype,
        "options": dict(request.options),
        "block": request.block,
        "launch": request.launch,
    }
