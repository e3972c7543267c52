"""Reports as objects of JSON: of a file, and of a kernel. Paths are relative to the current folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import relative
from shflbench.emulator import POLICIES
from shflbench.schemas.check import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.checker.finding import Finding
    from shflbench.checker.report import FileReport, KernelReport, LaunchRecord
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.schemas.check import (
        CheckDocument,
        CheckedKernelObject,
        CheckFileObject,
        CheckLaunch,
        CheckPlace,
        FindingObject,
    )


def check_document(reports: Iterable[FileReport], arch: str, seed: int) -> CheckDocument:
    """Return the object for a check of files."""
    return {
        "schema": SCHEMA,
        "arch": arch,
        "seed": seed,
        "schedules": list(POLICIES),
        "files": [file_object(report) for report in reports],
    }


def file_object(report: FileReport) -> CheckFileObject:
    """Return the object for one file."""
    return {
        "file": _path(report.path),
        "arch": report.arch,
        "compiler": report.compiler,
        "notes": [
            {"kind": note.kind, "text": note.text, **_where(note.line), "not_checked": list(note.left_out)}
            for note in report.notes
        ],
        "kernels": [kernel_object(kernel) for kernel in report.kernels],
    }


def kernel_object(kernel: KernelReport) -> CheckedKernelObject:
    """Return the object for one kernel."""
    return {
        "name": kernel.name,
        "symbol": kernel.symbol,
        "verdict": kernel.verdict.value,
        "sentence": kernel.sentence,
        **_where(kernel.place),
        "findings": [_finding(finding) for finding in kernel.findings],
        "needs": list(kernel.causes),
        "difference": kernel.difference,
        "lines_never_run": list(kernel.unreached),
        "lines_run_in_part": list(kernel.partly_unreached),
        "bounds_not_tested": list(kernel.untested),
        "launches": [_launch(launch) for launch in kernel.launches],
        "printed": list(kernel.printed),
        "errors": list(kernel.errors),
    }


def _finding(finding: Finding) -> FindingObject:
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


def _launch(launch: LaunchRecord) -> CheckLaunch:
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


def _where(place: SourceLine | None) -> CheckPlace:
    return {"file": _path(place.file), "line": place.line} if place else {"file": None, "line": None}


def _path(path: Path) -> str:
    return str(relative(path.absolute(), Path.cwd()))
