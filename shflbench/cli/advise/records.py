"""Advice as JSON: measured and predicted values never share a field."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from shflbench.analysis.advice.costs import ExchangeCost

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.analysis.advice.nearest import Advice
    from shflbench.analysis.advice.predicted import PredictedAnswer
    from shflbench.cli.advise.code import CopiedCode
    from shflbench.cli.advise.settle import SettlingRun
    from shflbench.model import Noise

SCHEMA = 1  # increases if a key changes its meaning or is removed; keys may be added at any time


def measured_record(
    advice: Advice, noise: Noise | None, settling: SettlingRun | None, code: CopiedCode | None
) -> dict[str, object]:
    """Return the advice for one GPU that was measured."""
    answer = advice.answer
    return {
        "gpu": answer.gpu,
        "arch": answer.arch,
        "request": _request(advice),
        "measured": {**asdict(answer), "options": dict(answer.options), "case_ids": answer.case_ids},
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


def costs_text(costs: Iterable[ExchangeCost]) -> str:
    """Return the table of costs with the meaning of each field."""
    meanings = {item.name: item.metadata["meaning"] for item in fields(ExchangeCost)}
    return dump("costs", [asdict(cost) for cost in costs], fields=meanings)


def _request(advice: Advice) -> dict[str, object]:
    request = advice.request
    return {
        "pattern": request.pattern,
        "dtype": request.dtype,
        "options": dict(request.options),
        "block": request.block,
        "launch": request.launch,
    }


def dump(key: str, records: list[dict[str, object]], **others: object) -> str:
    """Return an object with the records; ASCII, because a name in a run may hold what controls a terminal."""
    text = json.dumps({"schema": SCHEMA, **others, key: records}, indent=2, allow_nan=False)
    return text.replace("\x7f", "\\u007f")
