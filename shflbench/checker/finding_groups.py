"""Findings with one cause, such as one missing barrier, as one: all races between two lines, in either order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.judgment.sentences import options_text
from shflbench.checker.verdict import Level
from shflbench.emulator.races.hazards import HazardKind
from shflbench.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from pathlib import Path

    from shflbench.checker.report import Finding

LOUDEST_FIRST = (Level.ERROR, Level.WARNING, Level.NOTICE, Level.NONE)
ORDERED = (HazardKind.RAW, HazardKind.WAR, HazardKind.WAW, HazardKind.SAME_VALUE)  # by a barrier between two lines
BETWEEN_LAUNCHES = frozenset(
    {HazardKind.DEPENDENT_RAW, HazardKind.DEPENDENT_WAR, HazardKind.DEPENDENT_WAW, HazardKind.DEPENDENT_READ_ONLY}
)


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings with one cause; the first one, with its lines and threads, stands for all."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that is shown."""
        return self.findings[0]

    @property
    def level(self) -> Level:
        """The level of the worst finding."""
        return self.first.level

    @property
    def kinds(self) -> tuple[HazardKind, ...]:
        """The kinds, that of the first finding first; equal values only where no others are overwritten."""
        kinds = dict.fromkeys(finding.kind for finding in self.findings)
        if HazardKind.WAW in kinds:
            kinds.pop(HazardKind.SAME_VALUE, None)
        return tuple(kinds)

    def sentence(self, base: Path) -> str:
        """Return the group as a sentence without a period; files relative to the folder `base`."""
        launches = tuple(dict.fromkeys(shape for finding in self.findings for shape in finding.launches))
        return self.first.sentence(base, kinds=self.kinds, launches=launches)

    def message(self, base: Path) -> str:
        """Return the sentence with what the user has to give, where it may be no fault."""
        causes = () if self.level is Level.ERROR else dict.fromkeys(c for item in self.findings for c in item.causes)
        return f"{self.sentence(base)}; to decide, {options_text(tuple(causes))}" if causes else self.sentence(base)

    def history(self, base: Path) -> tuple[str, ...]:
        """Return what the two threads did, where it is more than the sentence says: a barrier, a kind of access."""
        first = self.first
        if first.place is None or first.other is None:
            return ()
        plain = (f" bytes at {first.place.shown(base)}", f" bytes at {first.other.shown(base)}")
        return () if all(step.endswith(plain) for step in first.history) else first.history


def group_findings(findings: Sequence[Finding]) -> list[FindingGroup]:
    """Return the findings in groups, the worst first."""
    groups: dict[Hashable, list[Finding]] = {}
    reads: dict[Hashable, list[Finding]] = {}  # the groups with races of reads, by line and memory
    for finding in findings:
        group = groups.setdefault(_key(finding), [])
        group.append(finding)
        if (line := _reading_line(finding)) is not None:
            reads.setdefault((line, finding.memory), group)
    for finding in findings:
        if finding.kind is HazardKind.UNINITIALIZED and (race := reads.get((finding.place, finding.memory))):
            groups.pop(_key(finding), None)  # of one line, several reads may lie in the group
            race.append(finding)
    result = [FindingGroup(tuple(sorted(group, key=_rank))) for group in groups.values()]
    return sorted(result, key=lambda group: LOUDEST_FIRST.index(group.level))


def number_of_errors(findings: Sequence[Finding]) -> str:
    """Return how many findings, each with one cause, break the kernel, as `2 findings: `; "" if there is none."""
    number = sum(group.level is Level.ERROR for group in group_findings(findings))
    return f"{count_noun(number, 'finding')}: " if number else ""


def _rank(finding: Finding) -> tuple[int, int]:
    kind = ORDERED.index(finding.kind) if finding.kind in ORDERED else len(ORDERED)
    return LOUDEST_FIRST.index(finding.level), kind


def _key(finding: Finding) -> Hashable:
    """Return what the findings of one group have in common."""
    if finding.kind in ORDERED:
        return frozenset((finding.place, finding.other)), finding.memory, finding.removed
    if finding.kind in {HazardKind.ATOMIC_RACE, HazardKind.GUESS, HazardKind.UNORDERED}:
        return finding.kind, frozenset((finding.place, finding.other)), finding.memory
    if finding.kind in BETWEEN_LAUNCHES:
        return frozenset((finding.place, finding.other)), finding.memory, finding.missing
    return finding.kind, finding.place, finding.other, finding.memory


def _reading_line(finding: Finding) -> object | None:
    if finding.kind is HazardKind.RAW:
        return finding.place
    return finding.other if finding.kind is HazardKind.WAR else None
