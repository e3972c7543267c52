"""Findings with one cause are shown as one."""

from dataclasses import replace
from pathlib import Path

from shflbench.checker.finding import Finding
from shflbench.checker.finding_groups import group_findings
from shflbench.checker.verdict import Level
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.races.hazards import HazardKind

LINE, OTHER = SourceLine(Path("k.cu"), 4), SourceLine(Path("k.cu"), 9)
DEADLOCK = Finding(HazardKind.DEADLOCK, Level.ERROR, LINE, None, ("thread 0 of block 0",), ("1x64",), problem="a")


def test_deadlocks_at_one_line_are_one_finding_whatever_their_messages_say() -> None:
    (finding,) = group_findings([DEADLOCK, replace(DEADLOCK, problem="b of c", launches=("2x64",))])
    assert finding.launches == ("1x64", "2x64")
    assert len(group_findings([DEADLOCK, replace(DEADLOCK, place=OTHER)])) == 2


def test_races_between_two_lines_in_either_order_are_one_finding_with_both_kinds() -> None:
    raw = replace(DEADLOCK, kind=HazardKind.RAW, other=OTHER, problem="")
    (finding,) = group_findings([replace(raw, kind=HazardKind.WAR, place=OTHER, other=LINE), raw])
    assert finding.kind is HazardKind.RAW
    assert finding.kinds == (HazardKind.RAW, HazardKind.WAR)
