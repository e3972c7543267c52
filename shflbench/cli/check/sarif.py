"""The findings of `check` as SARIF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import KINDS, Level, finding_message, group_findings
from shflbench.cli.check.output import with_mismatch
from shflbench.cli.sarif import sarif_document, sarif_result
from shflbench.output.export.sarif_rules import rule_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import FileReport, KernelReport
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport


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
    shown = [finding for finding in group_findings(kernel.findings) if finding.level]
    for finding in shown if level else ():
        steps = (f"{step[:1].upper()}{step[1:]}." for step in finding.further_history(base))
        text = " ".join((f"{kernel.name}: {finding_message(finding, base)}.", *steps))
        rule = rule_id(finding.kind.name)
        other = (finding.other, KINDS[finding.kind].other) if finding.other is not None else None
        yield sarif_result(rule, finding.level, text, finding.place or kernel.place, other)
    if level and not shown:
        text = f"{kernel.name}: {with_mismatch(kernel)}."
        yield sarif_result(rule_id(kernel.verdict.name), level, text, kernel.place)
