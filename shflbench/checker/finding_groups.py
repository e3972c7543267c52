"""Findings with one cause, such as one missing barrier, as one: all races between two lines, in either order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.finding_kinds import KINDS, Grouping, kinds_in
from shflbench.checker.verdict import Level
from shflbench.core.words import count_noun
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from shflbench.checker.finding import Finding

LOUDEST_FIRST = (Level.ERROR, Level.WARNING, Level.NOTICE, Level.NONE)
_ORDERED = kinds_in(Grouping.LINES)  # by a barrier between two lines


def group_findings(findings: Sequence[Finding]) -> list[Finding]:
    """Return one finding for all with one cause, the worst first."""
    groups: dict[Hashable, list[Finding]] = {}
    reads: dict[Hashable, list[Finding]] = {}  # the groups with races of reads, by line and memory
    for finding in findings:
        group = groups.setdefault(_key(finding), [])
        group.append(finding)
        if (line := _reading_line(finding)) is not None:
            reads.setdefault((line, finding.variable), group)
    for finding in findings:
        if finding.kind is HazardKind.UNINITIALIZED and (race := reads.get((finding.place, finding.variable))):
            groups.pop(_key(finding), None)  # of one line, several reads may lie in the group
            race.append(finding)
    result = [_merged(sorted(group, key=_rank)) for group in groups.values()]
    return sorted(result, key=lambda finding: LOUDEST_FIRST.index(finding.level))


def _merged(group: Sequence[Finding]) -> Finding:
    """Return the first finding of a group, with what it has of the others."""
    first = group[0]
    causes = () if first.level is Level.ERROR else tuple(dict.fromkeys(c for item in group for c in item.causes))
    return replace(
        first,
        other_kinds=tuple(dict.fromkeys(item.kind for item in group)),
        launches=tuple(dict.fromkeys(shape for item in group for shape in item.launches)),
        causes=causes,
    )


def number_of_errors(findings: Sequence[Finding]) -> str:
    """Return how many findings, each with one cause, break the kernel, as `2 findings: `; "" if there is none."""
    number = sum(finding.level is Level.ERROR for finding in group_findings(findings))
    return f"{count_noun(number, 'finding')}: " if number else ""


def _rank(finding: Finding) -> tuple[int, int]:
    kind = _ORDERED.index(finding.kind) if finding.kind in _ORDERED else len(_ORDERED)
    return LOUDEST_FIRST.index(finding.level), kind


def _key(finding: Finding) -> Hashable:
    """Return what the findings of one group have in common."""
    lines = frozenset((finding.place, finding.other))
    match KINDS[finding.kind].grouping:
        case Grouping.LINES:
            return lines, finding.variable, finding.removed
        case Grouping.LINES_OF_KIND:
            return finding.kind, lines, finding.variable
        case Grouping.LAUNCHES:
            return lines, finding.variable, finding.missing
        case Grouping.PLACE:
            return finding.kind, finding.place, finding.other, finding.variable


def _reading_line(finding: Finding) -> object | None:
    if finding.kind is HazardKind.RAW:
        return finding.place
    return finding.other if finding.kind is HazardKind.WAR else None
