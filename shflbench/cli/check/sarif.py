"""The findings of `check` as SARIF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cli.sarif import sarif_document, sarif_result
from shflbench.output.export.checks.located import locate_findings, locate_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker import KernelReport
    from shflbench.output.export.checks import CheckOutcome


def as_sarif(outcome: CheckOutcome) -> str:
    """Return the findings as one SARIF run; paths relative to the current folder."""
    results = [result for file in outcome.files for kernel in file.kernels for result in _of_kernel(kernel)]
    results += [result for report in outcome.patterns for result in _of_kernel(report.kernel)]
    results += [sarif_result(note.rule, note.level, note.text, note.place) for note in locate_notes(outcome.files)]
    return sarif_document(results)


def _of_kernel(kernel: KernelReport) -> Iterator[dict[str, object]]:
    """Yield the findings of a kernel, or its verdict where that has another reason."""
    for one in locate_findings(kernel):
        steps = (f"{step[:1].upper()}{step[1:]}." for step in one.history)
        text = " ".join((f"{kernel.name}: {one.text}.", *steps))
        yield sarif_result(one.rule, one.level, text, one.place, one.other)
