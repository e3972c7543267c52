"""Verdicts on claims as JSON: every setting with its interval, its cases and the reason."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from shflbench.core.model import Interval
from shflbench.output.export.claims.verdict_words import counts
from shflbench.schemas.claims import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.analysis.claims.by_gpu import GpuVerdicts
    from shflbench.analysis.claims.verdict import ClaimVerdict, SettingOutcome
    from shflbench.core.json_objects import OpenInterval
    from shflbench.schemas.claims import JudgedClaim, JudgedGpu, SettingObject


def render(gpus: Iterable[GpuVerdicts]) -> str:
    """Return a list with an object per GPU model; unknown values are null."""
    return json.dumps([_gpu(one) for one in gpus], indent=2, ensure_ascii=False, allow_nan=False)


def _gpu(judged: GpuVerdicts) -> JudgedGpu:
    return {
        "schema": SCHEMA,
        "device": judged.gpu.device or None,
        "backend": judged.gpu.backend,
        "arch": judged.gpu.arch,
        "runs": [str(run.run.folder) for run in judged.gpu.runs],
        "counts": {str(verdict): number for verdict, number in counts(judged.verdicts).items()},
        "claims": [_verdict(one) for one in judged.verdicts],
    }


def _verdict(one: ClaimVerdict) -> JudgedClaim:
    claim = one.claim
    return {
        "id": claim.id,
        "says": claim.says,
        "source": claim.source or None,
        "figure": claim.figure or None,
        "where": {key: list(values) for key, values in claim.where.items()},
        "holds": claim.text or None,
        "quantifier": str(claim.quantifier),
        "required": claim.required,
        "untestable": claim.untestable or None,
        "verdict": str(one.verdict),
        "sentence": one.sentence,
        "measured": one.measured or None,
        "quantity": one.quantity or None,
        "condition": one.condition or None,
        "why": one.why or None,
        "why_setting": one.why_setting or None,
        "worst": _setting(one.worst) if one.worst else None,
        "settings": [_setting(setting) for setting in one.settings],
    }


def _setting(setting: SettingOutcome) -> SettingObject:
    return {
        "run": setting.run,
        "suite": setting.suite,
        "pattern": setting.pattern,
        "setting": setting.setting,
        "outcome": str(setting.outcome),
        "measured": _measured(setting.measured),
        "reason": setting.reason or None,
        "missing": setting.is_missing,
        "why": setting.why or None,
        "cases": list(setting.case_ids),
    }


def _measured(value: Interval | str | None) -> OpenInterval | str | None:
    """Return an interval as an object; an end that is infinite is null, because JSON has no such number."""
    if not isinstance(value, Interval):
        return value
    return {"value": _finite(value.value), "low": _finite(value.low), "high": _finite(value.high)}


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None
