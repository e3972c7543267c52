"""A challenge as JSON: what was checked, the verdicts of a timed run, and the estimates without one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shflbench.core.json_objects import objects_of
from shflbench.schemas.challenge import SCHEMA, EstimatedLaunch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.schemas.challenge import ChallengedLaunch, ChallengeDocument, CodeObject, RivalObject
    from shflbench.user_kernels.challenge.outcome import ChallengeOutcome
    from shflbench.user_kernels.challenge.verdict import CodeFacts, RivalComparison, SettingVerdict


def as_json(outcome: ChallengeOutcome, verdicts: Sequence[SettingVerdict]) -> str:
    """Return the object for a challenge; unknown values are null, and so is the folder without a run."""
    challenge, folder = outcome.challenge, outcome.folder
    challenged = challenge.challenged
    record: ChallengeDocument = {
        "schema": SCHEMA,
        "pattern": challenged.name,
        "dtype": challenged.dtype.name,
        "options": {**challenged.options, **challenged.launch_options},
        "file": str(challenge.file),
        "folder": str(folder) if folder else None,
        "challengers": [
            {
                "kernel": one.case.variant,
                "verdict": one.verdict.value,
                "sentence": one.kernel.sentence,
                "doubt": outcome.doubts.get(one.case.variant, ""),
            }
            for one in outcome.reports
        ],
        "launches": [_launch(verdict) for verdict in verdicts],
        "estimates": objects_of(EstimatedLaunch, outcome.estimates),
    }
    return json.dumps(record, indent=2, ensure_ascii=True, allow_nan=False)


def _launch(verdict: SettingVerdict) -> ChallengedLaunch:
    return {
        "launch": verdict.launch,
        "iterations": verdict.rows[0].iterations,
        "times_per": verdict.basis,
        "comparisons": [_comparison(one) for one in verdict.comparisons],
        "published_missing": list(verdict.missing),
        "code": [_facts(facts) for facts in verdict.facts],
    }


def _comparison(one: RivalComparison) -> RivalObject:
    return {
        "challenger": one.challenger,
        "published": one.published,
        "mechanism": one.mechanism,
        "verdict": one.verdict.value,
        "doubt": one.doubt,
        "factor": one.factor.value,
        "factor_low": one.factor.low,
        "factor_high": one.factor.high,
    }


def _facts(facts: CodeFacts) -> CodeObject:
    limit = facts.limit
    return {
        "variant": facts.variant,
        "mechanism": facts.mechanism,
        "instructions": facts.instructions,
        "moves": dict(facts.moves),
        "limit_us": limit.limit_us if limit else None,
        "limit_cycles": limit.limit_cycles if limit else None,
        "limit_by": limit.limit_by if limit else None,
        "limit_fraction": limit.limit_fraction if limit else None,
    }
