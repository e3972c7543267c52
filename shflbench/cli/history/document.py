"""The JSON of a history."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shflbench.schemas.history import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.history.findings import HistoryChange, RunMoment, SuiteHistory
    from shflbench.schemas.history import HistoryDocument, MomentObject, StepObject, SuiteHistoryObject


def to_json(histories: Sequence[SuiteHistory]) -> str:
    """Return the document; unknown values are null or empty."""
    document: HistoryDocument = {"schema": SCHEMA, "suites": [_suite(history) for history in histories]}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _suite(history: SuiteHistory) -> SuiteHistoryObject:
    return {
        "suite": history.suite,
        "gpu": history.gpu,
        "gpu_name": history.gpu_name,
        "runs": [_moment(moment) for moment in history.moments],
        "bridges": [
            {
                "old": item.old,
                "new": item.new,
                "commit": item.commit,
                "commits": item.commits,
                "ratios": list(item.ratios),
            }
            for item in history.bridges
        ],
        "offset_change_us": history.series.offset_change_us,
        "changes": [_change(change) for change in history.changes],
        "likely": [
            {
                "case": item.case,
                "ratio": item.ratio,
                "first": _moment(item.first),
                "runs": item.runs,
                "needed": item.needed,
            }
            for item in history.likely
        ],
        "levels": [
            {
                "case": level.case,
                "time_us": level.time_us,
                "error": level.error,
                "runs": level.runs,
                "since": _moment(level.since) if level.since else None,
                "last": _moment(level.last),
                "status": level.status,
            }
            for level in history.levels
        ],
    }


def _moment(moment: RunMoment) -> MomentObject:
    return {"started": moment.started, "commit": moment.commit, "dirty": moment.is_dirty}


def _change(change: HistoryChange) -> StepObject:
    return {
        "case": change.case,
        "kind": "drift" if change.is_drift else "step",
        "ratio": change.ratio,
        "low": change.low,
        "high": change.high,
        "per_month": change.per_month,
        "before_us": change.before_us,
        "after_us": change.after_us,
        "old": _moment(change.old),
        "first": _moment(change.first),
        "seen": _moment(change.seen),
        "named": _moment(change.named) if change.named else None,
        "causes": [
            {
                "label": str(cause.label),
                "changes": [{"name": item.name, "before": item.before, "after": item.after} for item in cause.changes],
                "moved": cause.moved,
                "others": cause.others,
            }
            for cause in change.blame.causes
        ],
        "mark": {"kind": str(change.mark.kind), "reason": change.mark.reason} if change.mark else None,
    }
