"""What a run reveals besides its result: races, wrong masks, dependence on the schedule."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.backends.emulator.ptx import Instruction, Location


class Kind(StrEnum):
    """The ways a kernel can break the rules of independent thread scheduling."""

    RAW = "RAW"  # reads what another thread wrote, without a barrier between
    WAR = "WAR"  # overwrites what another thread read, without a barrier between
    WAW = "WAW"  # overwrites what another thread wrote, without a barrier between
    SAME_VALUE = "WAW of equal values"
    UNINITIALISED = "uninitialised read"
    INACTIVE_SOURCE = "shuffle from an absent lane"
    NOT_IN_OWN_MASK = "lane outside its own mask"
    MASKS_DIFFER = "lanes with different masks"
    ENDED = "mask names lanes that have ended"
    DIVERGENT_BARRIER = "divergent barrier"
    ACTIVEMASK = "depends on activemask"

    @property
    def breaks(self) -> bool:
        """Whether the kernel is wrong for it, and not merely dependent on the schedule or doubtful."""
        return self not in {Kind.SAME_VALUE, Kind.ACTIVEMASK, Kind.ENDED}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: where, and by which threads (block, index in the block) the first time."""

    kind: Kind
    instruction: Instruction
    other: Instruction | None  # the earlier access of a race
    threads: tuple[tuple[int, int], ...]
    count: int  # how often it happened

    @property
    def locations(self) -> tuple[Location | None, Location | None]:
        """The source lines: of the access that was caught, and of the earlier one."""
        return self.instruction.location, self.other.location if self.other else None

    def __str__(self) -> str:
        """Return one sentence."""
        who = " and ".join(f"thread {thread} of block {block}" for block, thread in self.threads)
        lines = f"{self.instruction.where}, after {self.other.where}" if self.other else self.instruction.where
        return f"{self.kind}: {lines} ({who}; {self.count} times)"


@dataclass(slots=True)
class Findings:
    """Collects findings; the same kind at the same source lines counts once."""

    found: dict[tuple[Kind, str, str], Finding] = field(default_factory=dict)

    def add(
        self,
        kind: Kind,
        instruction: Instruction,
        threads: tuple[tuple[int, int], ...],
        count: int = 1,
        other: Instruction | None = None,
    ) -> None:
        """Note one finding that `count` threads met."""
        key = (kind, instruction.where, other.where if other else "")
        earlier = self.found.get(key)
        if earlier is not None:
            threads, count = earlier.threads, earlier.count + count
        self.found[key] = Finding(kind, instruction, other, threads, count)

    def merge(self, finding: Finding) -> None:
        """Note what another run found."""
        self.add(finding.kind, finding.instruction, finding.threads, finding.count, finding.other)

    def list(self) -> tuple[Finding, ...]:
        """Return the findings, in the order in which they first happened."""
        return tuple(self.found.values())
