"""Statements of one report that exclude each other, by its facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.checker.finding_groups import group_findings
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.emulator.races.hazards import Absence, HazardKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.finding import Finding
    from shflbench.checker.report import KernelReport

EXPLAIN_DEADLOCKS = {HazardKind.NOT_IN_OWN_MASK, HazardKind.MASKS_DIFFER, HazardKind.DIVERGENT_WARP_BARRIER}
_NUMBER = re.compile(r"thread (\d+) of block")


def contradictions(report: KernelReport) -> list[str]:
    """Return what two statements of a report exclude each other."""
    return [*_of_outputs(report), *_of_lines(report), *_of_findings(report), *_of_launches(report), *_of_lanes(report)]


def _of_outputs(report: KernelReport) -> Iterator[str]:
    if report.difference and "no output differs" in report.sentence:
        yield f"no output differs, and {report.difference}"
    if report.difference and report.verdict is KernelVerdict.CLEAN:
        yield f"clean, and {report.difference}"


def _of_lines(report: KernelReport) -> Iterator[str]:
    never = {line for start, end in report.unreached for line in range(start, end + 1)}
    in_part = {line for start, end in report.partly_unreached for line in range(start, end + 1)}
    if never & in_part:
        yield f"lines {never & in_part} never ran, and a part of them ran"
    for finding in report.findings:
        for place in (finding.place, finding.other):
            if place is not None and place.file == report.place.file and place.line in never and not finding.removed:
                yield f"line {place.line} never ran, and has the finding {finding.kind}"


def _of_findings(report: KernelReport) -> Iterator[str]:
    errors = [group for group in group_findings(report.findings) if group.level is Level.ERROR]
    if errors and report.verdict not in {KernelVerdict.BROKEN, KernelVerdict.UNSAFE}:
        yield f"{report.verdict}, and {len(errors)} findings break the kernel"
    expected = report.expectation
    reasons = (errors, report.difference, expected and (expected.wrong or expected.violations))
    if report.verdict is KernelVerdict.BROKEN and not any(reasons):
        yield "broken, without a reason"
    explained = {launch for item in errors if item.kind in EXPLAIN_DEADLOCKS for launch in item.launches}
    for item in errors:
        if item.kind is HazardKind.DEADLOCK and explained & {*item.launches}:
            yield "a deadlock is counted beside what it follows from"
    if report.verdict is KernelVerdict.NEEDS_ARGUMENTS and not report.causes:
        yield "needs arguments, and names none"
    for finding in report.findings:
        variable = finding.memory.variable if finding.memory is not None else ""
        is_open = bool(finding.causes)  # the size that it exceeds is one of those to give
        if finding.kind is HazardKind.OUT_OF_BOUNDS and variable.strip("`") in report.untested and not is_open:
            yield f"bounds of {variable} are not tested, and an access is beyond them"


def _of_launches(report: KernelReport) -> Iterator[str]:
    known = {launch.shape for launch in report.launches}
    shown = [finding for finding in report.findings if finding.level]
    for finding in shown:
        if not known.issuperset(finding.launches) and finding.kind is not HazardKind.INVALID_LAUNCH:
            yield f"{finding.kind} in launches {finding.launches}, of which some did not run"
    for launch in report.launches:
        mine = [finding for finding in shown if launch.shape in finding.launches]
        if launch.exhaustive and len(known) == len(report.launches) and mine:
            yield f"all schedules agree in {launch.shape}, and it has the finding {mine[0].kind}"
        if launch.note.startswith("not judged") and any({*item.launches} == {launch.shape} for item in mine):
            yield f"{launch.shape} is not judged, and has a finding of its own"


def _of_lanes(report: KernelReport) -> Iterator[str]:
    for finding in report.findings:
        if finding.absence is not None and (second := _second(finding)) is not None:
            blocks = [int(shape.partition("x")[2]) for shape in finding.launches if re.fullmatch(r"\d+x\d+", shape)]
            outside = finding.absence is Absence.OUTSIDE_BLOCK
            if blocks and (second >= blocks[0]) != outside:
                yield f"{finding.threads[1]} of a block of {blocks[0]}: {finding.absence}"
        pair = finding.kind in {HazardKind.BARRIER_SKIPPED, HazardKind.CONDITIONAL_BARRIER}
        if pair and len({*finding.threads}) < len(finding.threads):
            yield f"{finding.threads[0]} waits, and goes on"


def _second(finding: Finding) -> int | None:
    number = _NUMBER.match(finding.threads[1]) if len(finding.threads) > 1 else None
    return int(number[1]) if number else None
