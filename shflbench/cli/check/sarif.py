"""The findings of `check` as SARIF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import Level, group_findings
from shflbench.cli.check.output import with_mismatch
from shflbench.cli.sarif import sarif_document, sarif_result
from shflbench.export.sarif_rules import rule_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import FileReport, KernelReport
    from shflbench.pattern_checks.subject_report import SubjectReport

# The other line of a finding, where that is no access.
RELATED = {"barrier-skipped": "where the thread exits", "divergent-warp-barrier": "where other lanes wait"}


def as_sarif(reports: Sequence[SubjectReport], files: Sequence[FileReport]) -> str:
    """Return the findings as one SARIF run; paths relative to the current folder."""
    results = [result for file in files for kernel in file.kernels for result in _of_kernel(kernel)]
    results += [result for report in reports for result in _of_kernel(report.kernel)]
    notes = [note for file in files for note in file.notes]
    results += [sarif_result(note.kind, Level.NOTICE, note.text, note.line) for note in notes if note.line]
    return sarif_document(results)


def _of_kernel(kernel: KernelReport) -> Iterator[dict[str, object]]:
    """Yield the findings of a kernel, or its verdict where that has another reason."""
    level, base = kernel.verdict.level, Path.cwd()
    shown = [group for group in group_findings(kernel.findings) if group.level]
    for group in shown if level else ():
        finding = group.first
        steps = (f"{step[:1].upper()}{step[1:]}." for step in group.history(base))
        text = " ".join((f"{kernel.name}: {group.message(base)}.", *steps))
        rule = rule_id(finding.kind.name)
        other = (finding.other, RELATED.get(rule, "the earlier access")) if finding.other is not None else None
        yield sarif_result(rule, group.level, text, finding.place or kernel.place, other)
    if level and not shown:
        text = f"{kernel.name}: {with_mismatch(kernel)}."
        yield sarif_result(rule_id(kernel.verdict.name), level, text, kernel.place)
