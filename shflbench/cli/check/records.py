"""Reports as JSON: one object per kernel of a pattern, and one per file with its kernels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from shflbench.checker import file_object, kernel_object
from shflbench.cli.check.output import launches_of
from shflbench.emulator import POLICIES
from shflbench.schemas.check import SCHEMA, SanitizerObject

if TYPE_CHECKING:
    from shflbench.kernel_facts.pattern_checks.sanitizer_result import SanitizerResult
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.output.export.checks import CheckOutcome
    from shflbench.schemas.check import CheckDocument, PatternKernelObject


def as_json(outcome: CheckOutcome) -> str:
    """Return all reports; paths relative to the current folder."""
    arch, seed = outcome.arch, outcome.seed
    content: CheckDocument = {"schema": SCHEMA, "arch": arch, "seed": seed, "schedules": list(POLICIES)}
    if outcome.patterns:
        content = {
            "schema": SCHEMA,
            "arch": arch,
            "launch": launches_of(outcome.patterns),
            "seed": seed,
            "schedules": list(POLICIES),
            "kernels": [_subject(report) for report in outcome.patterns],
        }
    if outcome.files:
        content["files"] = [file_object(report) for report in outcome.files]
    return json.dumps(content, indent=2, ensure_ascii=False)


def _subject(report: SubjectReport) -> PatternKernelObject:
    case, expected = report.case, report.kernel.expectation
    return {
        "pattern": case.pattern,
        "variant": case.variant,
        "dtype": case.dtype,
        "options": dict(case.options),
        "safe": report.safe,
        "revision": report.revision,
        **kernel_object(report.kernel),
        "wrong_schedules": list(expected.wrong) if expected else [],
        "mismatch": expected.mismatch if expected else "",
        "violations": list(expected.violations) if expected else [],
        "compute_sanitizer": _sanitizer(report.sanitizer),
    }


def _sanitizer(result: SanitizerResult | None) -> SanitizerObject | None:
    if result is None:
        return None
    counts = {
        tool.value: {"errors": count.errors, "warnings": count.warnings, "hazards": count.hazards, "first": count.first}
        for tool, count in result.counts.items()
    }
    return cast(SanitizerObject, {**counts, "failures": list(result.failures)})
