"""The hazards of a launch: races, wrong masks, dependence on the schedule."""

from dataclasses import dataclass, field
from enum import StrEnum

from shflbench.backends.emulator.frontend.ptx import Location, PtxInstruction


class HazardKind(StrEnum):
    """The ways a kernel can break the rules of independent thread scheduling."""

    RAW = "RAW"  # reads what another thread wrote, without a barrier between
    WAR = "WAR"  # overwrites what another thread read, without a barrier between
    WAW = "WAW"  # overwrites what another thread wrote, without a barrier between
    SAME_VALUE = "WAW of equal values"
    UNINITIALIZED = "uninitialized read"
    INACTIVE_SOURCE = "shuffle from an inactive lane"
    NOT_IN_OWN_MASK = "lane outside its own mask"
    MASKS_DIFFER = "lanes with different masks"
    EXITED = "mask names lanes that have exited"
    DIVERGENT_BARRIER = "divergent barrier"
    ACTIVEMASK = "depends on activemask"

    @property
    def breaks(self) -> bool:
        """Whether the hazard makes the kernel wrong, and not only doubtful or dependent on the schedule."""
        return self not in {HazardKind.SAME_VALUE, HazardKind.ACTIVEMASK, HazardKind.EXITED}


@dataclass(frozen=True, slots=True)
class Hazard:
    """One hazard: its place, and the threads (block, index in the block) of its first occurrence."""

    kind: HazardKind
    instruction: PtxInstruction
    other: PtxInstruction | None  # the earlier access of a race
    threads: tuple[tuple[int, int], ...]
    count: int  # number of occurrences

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
class HazardLog:
    """Collects hazards; the same kind at the same source lines counts once."""

    hazards: dict[tuple[HazardKind, str, str], Hazard] = field(default_factory=dict)

    def add(
        self,
        kind: HazardKind,
        instruction: PtxInstruction,
        threads: tuple[tuple[int, int], ...],
        count: int = 1,
        other: PtxInstruction | None = None,
    ) -> None:
        """Add one hazard of `count` threads."""
        key = (kind, instruction.where, other.where if other else "")
        earlier = self.hazards.get(key)
        if earlier is not None:
            threads, count = earlier.threads, earlier.count + count
        self.hazards[key] = Hazard(kind, instruction, other, threads, count)

    def merge(self, hazard: Hazard) -> None:
        """Add a hazard of another launch."""
        self.add(hazard.kind, hazard.instruction, hazard.threads, hazard.count, hazard.other)

    def list(self) -> tuple[Hazard, ...]:
        """Return the hazards, in the order in which they first happened."""
        return tuple(self.hazards.values())
