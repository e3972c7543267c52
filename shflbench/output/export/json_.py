"""A comparison as JSON: all its fields, for programs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from shflbench.core.json_objects import object_of, objects_of
from shflbench.output.export.comparison_words import count_unchanged, describe_missed, extent, headline
from shflbench.schemas.compare import SCHEMA, NoiseModelObject, SideObject, VerdictObject

if TYPE_CHECKING:
    from shflbench.analysis.compare.comparison import Comparison
    from shflbench.schemas.compare import ComparisonDocument


def render(comparison: Comparison) -> str:
    """Return an object with the sides, the result and every verdict in the order of the suite.

    The keys of a verdict are the fields of `ChangeVerdict`. Ratios are new / base, fractions are of the base. Unknown
    values, NaN and infinities are null.
    """
    record: ComparisonDocument = {
        "schema": SCHEMA,
        "headline": headline(comparison),
        "unchanged": count_unchanged(comparison),
        "missed": describe_missed(comparison),
        "tested": extent(comparison),
        "exit_code": comparison.exit_code(),
        "exit_code_strict": comparison.exit_code(strict=True),
        "counts": comparison.counts(),
        "metric": comparison.metric,
        "unit": comparison.metric.unit,
        "base": object_of(SideObject, comparison.base),
        "new": object_of(SideObject, comparison.new),
        "noise": object_of(NoiseModelObject, comparison.noise) if comparison.noise else None,
        "false_alarms": comparison.false_alarms,
        "offset_us": comparison.offset_us,
        "across": comparison.across,
        "allowed": sorted(comparison.allowed),
        "notes": comparison.notes,
        "warnings": comparison.warnings,
        "verdicts": objects_of(VerdictObject, comparison.verdicts),
    }
    return json.dumps(_known(record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _known(value: object) -> object:
    """Return `value` with null for NaN and infinities, which JSON cannot represent."""
    match value:
        case dict():
            return {key: _known(item) for key, item in value.items()}
        case list() | tuple():
            return [_known(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value
