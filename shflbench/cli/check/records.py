"""Reports as JSON: one object per kernel of a pattern, and one per file with its kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cli.check.output import launches_of
from shflbench.core.files import relative
from shflbench.emulator import POLICIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import FileReport, Finding, KernelReport, LaunchRecord
    from shflbench.cuda_sources import SourceLine
    from shflbench.kernel_facts.pattern_checks.sanitizer_result import SanitizerResult
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport


def as_json(reports: Sequence[SubjectReport], files: Sequence[FileReport], arch: str, seed: int) -> str:
    """Return all reports; paths relative to the current folder."""
    content: dict[str, object] = {"arch": arch, "seed": seed, "schedules": list(POLICIES)}
    if reports:
        head = {"arch": arch, "launch": launches_of(reports), "seed": seed, "schedules": list(POLICIES)}
        content = {**head, "kernels": [_subject(report) for report in reports]}
    return json.dumps({**content, "files": file_records(files)} if files else content, indent=2, ensure_ascii=False)


def _subject(report: SubjectReport) -> dict[str, object]:
    case, expected = report.case, report.kernel.expectation
    return {
        "pattern": case.pattern,
        "variant": case.variant,
        "dtype": case.dtype,
        "options": dict(case.options),
        "safe": report.safe,
        "revision": report.revision,
        **_kernel(report.kernel),
        "wrong_schedules": list(expected.wrong) if expected else [],
        "mismatch": expected.mismatch if expected else "",
        "violations": list(expected.violations) if expected else [],
        "compute_sanitizer": _sanitizer(report.sanitizer),
    }


def _sanitizer(result: SanitizerResult | None) -> dict[str, object] | None:
    if result is None:
        return None
    counts = {
        tool.value: {"errors": count.errors, "warnings": count.warnings, "hazards": count.hazards, "first": count.first}
        for tool, count in result.counts.items()
    }
    return {**counts, "failures": list(result.failures)}


def file_records(reports: Sequence[FileReport]) -> list[dict[str, object]]:
    """Return one object per file; files relative to the current folder."""
    return [
        {
            "file": _path(report.path),
            "arch": report.arch,
            "compiler": report.compiler,
            "notes": [
                {"kind": note.kind, "text": note.text, **_where(note.line), "not_checked": list(note.left_out)}
                for note in report.notes
            ],
            "kernels": [_kernel(kernel) for kernel in report.kernels],
        }
        for report in reports
    ]


def _kernel(kernel: KernelReport) -> dict[str, object]:
    return {
        "name": kernel.name,
        "symbol": kernel.symbol,
        "verdict": kernel.verdict.value,
        "sentence": kernel.sentence,
        **_where(kernel.place),
        "findings": [_finding(finding) for finding in kernel.findings],
        "needs": list(kernel.causes),
        "difference": kernel.difference,
        "lines_never_run": [list(item) for item in kernel.unreached],
        "lines_run_in_part": [list(item) for item in kernel.partly_unreached],
        "bounds_not_tested": list(kernel.untested),
        "launches": [_launch(launch) for launch in kernel.launches],
        "printed": list(kernel.printed),
        "errors": list(kernel.errors),
    }


def _finding(finding: Finding) -> dict[str, object]:
    base = Path.cwd()
    return {
        "kind": finding.kind.value,
        "level": finding.level.value,
        "sentence": finding.sentence(base),
        **_where(finding.place),
        "other": _where(finding.other) if finding.other else None,
        "threads": list(finding.threads),
        "launches": list(finding.launches),
        "space": finding.space,
        "detail": finding.detail,
        "history": list(finding.history(base)),
        "count": finding.count,
        "after_fault": _where(finding.after) if finding.after else None,
        "needs": list(finding.causes),
        "store_removed": finding.removed,
    }


def _launch(launch: LaunchRecord) -> dict[str, object]:
    return {
        "launch": launch.shape,
        "cluster": launch.cluster,
        "origin": launch.origin,
        "note": launch.note,
        "arguments": [{"text": str(value), "origin": value.origin.text} for value in launch.arguments],
        "shared_bytes": launch.shared_bytes,
        "seeds": list(launch.seeds),
        "schedules": list(launch.schedules),
        "exhaustive": launch.exhaustive,
    }


def _where(place: SourceLine | None) -> dict[str, object]:
    return {"file": _path(place.file), "line": place.line} if place else {"file": None, "line": None}


def _path(path: Path) -> str:
    return str(relative(path.absolute(), Path.cwd()))
