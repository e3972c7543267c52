"""The output of `check`: a table with findings, JSON, or annotations on GitHub."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict, Level, SourceLine
from shflbench.checker.machine.policies import POLICIES
from shflbench.checker.source_lines import relative
from shflbench.cli.check.github import escaped, property_text
from shflbench.cli.layout import Line, Table
from shflbench.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.pattern_checks.report import KernelFinding, KernelReport

STYLES = {Level.ERROR: "bad", Level.WARNING: "doubt", Level.NOTICE: "doubt", Level.NONE: ""}


@dataclass(frozen=True, slots=True)
class ReportGroup:
    """Kernels of one variant with the same result; they differ in dtype only."""

    reports: tuple[KernelReport, ...]

    @property
    def first(self) -> KernelReport:
        """The report that is shown for all."""
        return self.reports[0]

    @property
    def kernel(self) -> str:
        """Pattern, variant and options, e.g. `neighbor/shfl`."""
        options = (f"{name}={value}" for name, value in self.first.options)
        return "/".join((self.first.pattern, self.first.variant, *options))

    @property
    def dtypes(self) -> str:
        """The element types, e.g. `f32 f64`."""
        return " ".join(report.dtype for report in self.reports)


def entries(reports: Sequence[KernelReport]) -> list[ReportGroup]:
    """Return the reports, grouped where only the dtype differs."""
    groups: dict[tuple[object, ...], list[KernelReport]] = {}
    for report in reports:
        findings = frozenset((finding.kind, finding.place, finding.other) for finding in report.findings)
        result = report.sanitizer.sentence if report.sanitizer else None
        said = (report.verdict, report.sentence.replace(_cuda_name(report), ""), report.wrong, findings, result)
        groups.setdefault((report.place, report.variant, report.options, *said), []).append(report)
    return [ReportGroup(tuple(group)) for group in groups.values()]


def _cuda_name(report: KernelReport) -> str:
    """Return the part of the compiler's sentence that names the element type."""
    return report.sentence.partition(" does not compile: ")[0] if report.verdict is KernelVerdict.NOT_COMPILED else ""


def table(groups: Sequence[ReportGroup]) -> Table:
    """Return one line per entry, with the result of compute-sanitizer where it ran."""
    columns = ["kernel", "dtypes", "verdict", "why"]
    has_sanitizer = any(entry.first.sanitizer for entry in groups)
    if has_sanitizer:
        columns.insert(3, "compute-sanitizer")
    lines = []
    for entry in groups:
        report = entry.first
        cells = [entry.kernel, entry.dtypes, report.verdict.value, report.sentence.splitlines()[0]]
        if has_sanitizer:
            cells.insert(3, report.sanitizer.sentence if report.sanitizer else "not run")
        lines.append(Line(tuple(cells), STYLES[report.verdict.level]))
    return Table("", tuple(columns), tuple(lines))


def details(entry: ReportGroup) -> Iterator[str]:
    """Yield the findings behind a verdict, one sentence each; files relative to the current folder."""
    report, base = entry.first, Path.cwd()
    if report.verdict is KernelVerdict.NOT_COMPILED:
        yield from report.sentence.splitlines()[1:]
        return
    yield from (finding.sentence(base) for finding in report.findings)
    yield from (error for error in report.errors if error != report.sentence)
    if report.wrong:
        schedules = "every schedule" if len(report.wrong) == len(POLICIES) else ", ".join(report.wrong)
        yield f"wrong under {schedules}; {report.dtype}: {report.mismatch}"
    if report.sanitizer:
        counts = report.sanitizer.counts.items()
        yield from (f"compute-sanitizer {tool}: {count.first}" for tool, count in counts if count.first)


def summary(reports: Sequence[KernelReport], arch: str) -> str:
    """Return the number of kernels per verdict, and how they were checked."""
    kernels = count_noun(len(reports), "kernel")
    return f"{kernels} for {arch}, {_launches(reports)} threads, {len(POLICIES)} schedules: {verdict_counts(reports)}."


def verdict_counts(reports: Sequence[KernelReport]) -> str:
    """Return the number of kernels per verdict, such as `3 clean, 1 broken`."""
    counts = Counter(report.verdict for report in reports)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in KernelVerdict if counts[verdict])


def _launches(reports: Sequence[KernelReport]) -> str:
    return " and ".join(dict.fromkeys(report.launch for report in reports))


def as_json(reports: Sequence[KernelReport], arch: str, seed: int, files: Sequence[Mapping[str, object]] = ()) -> str:
    """Return all reports as JSON, one object per kernel and one per file; paths relative to the current folder."""
    content: dict[str, object] = {"arch": arch, "seed": seed, "schedules": list(POLICIES)}
    if reports:
        head = {"arch": arch, "launch": _launches(reports), "seed": seed, "schedules": list(POLICIES)}
        content = {**head, "kernels": [_record(report) for report in reports]}
    return json.dumps({**content, "files": list(files)} if files else content, indent=2, ensure_ascii=False)


def _record(report: KernelReport) -> dict[str, object]:
    return {
        "pattern": report.pattern,
        "variant": report.variant,
        "dtype": report.dtype,
        "options": dict(report.options),
        "safe": report.safe,
        "revision": report.revision,
        "verdict": report.verdict.value,
        "sentence": report.sentence,
        **_where(report.place),
        "findings": [_finding(finding) for finding in report.findings],
        "wrong_schedules": list(report.wrong),
        "mismatch": report.mismatch,
        "errors": list(report.errors),
        "violations": list(report.violations),
        "compute_sanitizer": _sanitizer(report),
    }


def _finding(finding: KernelFinding) -> dict[str, object]:
    return {
        "kind": finding.kind.value,
        "breaks": finding.kind.breaks,
        "sentence": finding.sentence(Path.cwd()),
        **_where(finding.place),
        "other": _where(finding.other) if finding.other else None,
        "threads": [{"block": block, "thread": thread} for block, thread in finding.threads],
    }


def _sanitizer(report: KernelReport) -> dict[str, object] | None:
    if report.sanitizer is None:
        return None
    counts = {
        tool.value: {"errors": count.errors, "warnings": count.warnings, "hazards": count.hazards, "first": count.first}
        for tool, count in report.sanitizer.counts.items()
    }
    return {**counts, "failures": list(report.sanitizer.failures)}


def _where(place: SourceLine | None) -> dict[str, object]:
    return (
        {"file": str(relative(place.file, Path.cwd())), "line": place.line} if place else {"file": None, "line": None}
    )


def workflow_commands(groups: Sequence[ReportGroup]) -> Iterator[str]:
    """Yield a workflow command of GitHub for each finding, on its source line.

    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
    """
    for entry in groups:
        level = entry.first.verdict.level
        if level:
            title = f"{entry.kernel} ({entry.dtypes}) {entry.first.verdict}"
            for place, text in _locate(entry.first):
                where = f"file={property_text(str(relative(place.file, Path.cwd())))},line={place.line}"
                yield f"::{level} {where},title={property_text(title)}::{escaped(text)}"


def _locate(report: KernelReport) -> Iterator[tuple[SourceLine, str]]:
    """Yield each finding behind the verdict with its source line."""
    begin, base = report.place, Path.cwd()
    for finding in report.findings:
        yield finding.place or begin, finding.sentence(base)
    for error in report.errors:
        yield report.error_place or begin, error
    if not report.findings and not report.errors:
        yield begin, f"{report.sentence}: {report.mismatch}" if report.mismatch else report.sentence
    elif report.violations:
        yield begin, report.sentence
