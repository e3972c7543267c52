"""Report the launches of the host code that no GPU accepts: each is a finding, and the kernel is broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.finding import Finding
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.launch_rules import InvalidLaunch
    from shflbench.checker.report import KernelReport


def with_invalid(report: KernelReport, invalid: Sequence[InvalidLaunch]) -> KernelReport:
    """Return the report on the other launches with a finding for each invalid one, before those of hazards."""
    if not invalid:
        return report
    findings = (*map(_finding, invalid), *report.findings)
    first = f"{HazardKind.INVALID_LAUNCH} ({invalid[0].line.shown(Path.cwd())}: {invalid[0].reason})"
    return replace(report, verdict=KernelVerdict.BROKEN, reason=f"{first}; {report.reason}", findings=findings)


def _finding(launch: InvalidLaunch) -> Finding:
    return Finding(
        kind=HazardKind.INVALID_LAUNCH,
        level=Level.ERROR,
        place=launch.line,
        other=None,
        threads=(),
        launches=(launch.shape,) if launch.shape else (),
        problem=launch.reason,
    )
