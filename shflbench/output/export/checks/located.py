"""The findings of `check` with their source lines, as every format but the table shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import KINDS, KernelVerdict, Level, finding_message, group_findings
from shflbench.core.files import relative
from shflbench.cuda_sources import SourceLine
from shflbench.output.export.sarif_rules import rule_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import FileReport, KernelReport

# How the sentence on what a compiler rejects begins, where the compiler names a line.
_REJECTED_LINE = re.compile(r"(?P<file>[^\n]+?):(?P<line>[0-9]{1,9}): (?P<text>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A finding behind a verdict, or the verdict where it has another reason."""

    place: SourceLine
    level: Level
    rule: str  # of SARIF: `raw`, `not-compiled`
    text: str  # without a period
    history: tuple[str, ...] = ()  # sentences without a period
    other: tuple[SourceLine, str] | None = None  # another line, and what it is

    @property
    def message(self) -> str:
        """The text and the history as one sentence."""
        return "; ".join((self.text, *self.history))


def locate_findings(kernel: KernelReport) -> Iterator[LocatedFinding]:
    """Yield each finding behind a verdict with its source line and severity."""
    base, level = Path.cwd(), kernel.verdict.level
    if not level:
        return
    rule = rule_id(kernel.verdict.name)
    findings = [finding for finding in group_findings(kernel.findings) if finding.level]
    for finding in findings:
        other = (finding.other, KINDS[finding.kind].other) if finding.other is not None else None
        yield LocatedFinding(
            finding.place or kernel.place,
            finding.level,
            rule_id(finding.kind.name),
            finding_message(finding, base),
            finding.further_history(base),
            other,
        )
    if not findings:
        yield _located_verdict(kernel, level, rule)
    elif kernel.expectation and kernel.expectation.violations:
        yield LocatedFinding(kernel.place, level, rule, "; ".join(kernel.expectation.violations))


def locate_notes(files: Sequence[FileReport]) -> Iterator[LocatedFinding]:
    """Yield each note on a line of a file."""
    for note in (note for report in files for note in report.notes):
        if note.line is not None:
            yield LocatedFinding(note.line, Level.NOTICE, note.kind, note.text)


def shown_path(path: Path) -> str:
    """Return a path relative to the current folder if it lies below it."""
    return str(relative(path.absolute(), Path.cwd()))


def with_mismatch(kernel: KernelReport) -> str:
    """Return the sentence of a kernel with the first wrong value."""
    mismatch = kernel.expectation.mismatch if kernel.expectation else ""
    return f"{kernel.sentence}: {mismatch}" if mismatch else kernel.sentence


def _located_verdict(kernel: KernelReport, level: Level, rule: str) -> LocatedFinding:
    """Return a verdict at its kernel, or at the line that the compiler rejects."""
    text = with_mismatch(kernel)
    match = _REJECTED_LINE.fullmatch(text) if kernel.verdict is KernelVerdict.NOT_COMPILED else None
    if match is not None:
        file = kernel.place.file if match["file"] == shown_path(kernel.place.file) else Path(match["file"])
        if file.is_file():
            return LocatedFinding(SourceLine(file, int(match["line"])), level, rule, match["text"])
    return LocatedFinding(kernel.place, level, rule, text)
