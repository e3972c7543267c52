"""Advice as plain data: measured and predicted values never share a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.json_objects import MachineNoise, object_of, objects_of
from shflbench.schemas.advise import (
    SCHEMA,
    CodeToCopy,
    MeasuredAnswer,
    PredictedAnswerObject,
    SettingDifference,
    SettlingObject,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.advice.copied_code import CopiedCode
    from shflbench.advice.settling_run import SettlingRun
    from shflbench.analysis.answers.nearest import Advice
    from shflbench.analysis.answers.predicted import PredictedAnswer
    from shflbench.core.model import Noise
    from shflbench.schemas.advise import AdviceDocument, AdviceRequest, GpuAdviceObject


def measured_record(
    advice: Advice,
    noise: Noise | None,
    settling: SettlingRun | None,
    code: CopiedCode | None,
    untimed: Sequence[str],
) -> GpuAdviceObject:
    """Return the advice for one GPU that was measured."""
    answer = advice.answer
    return {
        "gpu": answer.gpu,
        "arch": answer.arch,
        "request": _request(advice),
        "measured": object_of(MeasuredAnswer, answer, options=dict(answer.options), case_ids=answer.case_ids),
        "untimed": list(untimed),
        "predicted": None,
        "noise": object_of(MachineNoise, noise) if noise else None,
        "differences": objects_of(SettingDifference, advice.differences),
        "depends": advice.depends,
        "robust": advice.robust,
        "elsewhere": advice.elsewhere,
        "settled_by": object_of(SettlingObject, settling) if settling else None,
        "code": object_of(CodeToCopy, code) if code else None,
    }


def predicted_record(answer: PredictedAnswer, code: CopiedCode | None) -> GpuAdviceObject:
    """Return the advice for an architecture without results."""
    return {
        "gpu": None,
        "arch": answer.arch,
        "measured": None,
        "predicted": object_of(PredictedAnswerObject, answer, options=dict(answer.options)),
        "code": object_of(CodeToCopy, code) if code else None,
    }


def advice_document(records: Sequence[GpuAdviceObject]) -> AdviceDocument:
    """Return the advice for all GPUs as one object."""
    return {"schema": SCHEMA, "advice": records}


def _request(advice: Advice) -> AdviceRequest:
    request = advice.request
    return {
        "pattern": request.pattern,
        "dtype": request.dtype,
        "options": dict(request.options),
        "block": request.block,
        "launch": request.launch,
    }
