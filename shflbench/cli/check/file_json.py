"""The reports on files as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.source_lines import relative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import FileFinding, FileKernelReport, FileReport, LaunchRecord, SourceLine


def file_records(reports: Sequence[FileReport]) -> list[dict[str, object]]:
    """Return one object per file; files relative to the current folder."""
    return [
        {
            "file": _path(report.path),
            "arch": report.arch,
            "compiler": report.compiler,
            "notes": [{"kind": note.kind, "text": note.text, **_where(note.line)} for note in report.notes],
            "kernels": [_kernel(kernel) for kernel in report.kernels],
        }
        for report in reports
    ]


def _kernel(kernel: FileKernelReport) -> dict[str, object]:
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
        "bounds_not_tested": list(kernel.untested),
        "launches": [_launch(launch) for launch in kernel.launches],
        "printed": list(kernel.printed),
        "errors": list(kernel.errors),
    }


def _finding(finding: FileFinding) -> dict[str, object]:
    return {
        "kind": finding.kind.value,
        "level": finding.level.value,
        "sentence": finding.sentence(Path.cwd()),
        **_where(finding.place),
        "other": _where(finding.other) if finding.other else None,
        "threads": list(finding.threads),
        "launches": list(finding.launches),
        "space": finding.space,
        "detail": finding.detail,
        "history": list(finding.history),
        "count": finding.count,
        "after_fault": _where(finding.after) if finding.after else None,
        "needs": list(finding.causes),
        "store_removed": finding.removed,
    }


def _launch(launch: LaunchRecord) -> dict[str, object]:
    return {
        "launch": launch.shape,
        "origin": launch.origin,
        "note": launch.note,
        "arguments": [{"text": text, "origin": origin} for text, origin in launch.arguments],
        "shared_bytes": launch.shared_bytes,
        "seeds": list(launch.seeds),
        "schedules": list(launch.schedules),
    }


def _where(place: SourceLine | None) -> dict[str, object]:
    return {"file": _path(place.file), "line": place.line} if place else {"file": None, "line": None}


def _path(path: Path) -> str:
    return str(relative(path.absolute(), Path.cwd()))
