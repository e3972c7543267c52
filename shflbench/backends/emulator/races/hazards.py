"""What a launch reveals besides its result: races, wrong masks, dependence on the schedule."""

from dataclasses import dataclass, field
from enum import StrEnum

from shflbench.backends.emulator.frontend.ptx import Location, PtxInstruction


class HazardKind(StrEnum):
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
        return self not in {HazardKind.SAME_VALUE, HazardKind.ACTIVEMASK, HazardKind.ENDED}


@dataclass(frozen=True, slots=True)
class Hazard:
    """One hazard: where, and by which threads (block, index in the block) the first time."""

    kind: HazardKind
    instruction: PtxInstruction
    other: PtxInstruction | None  # the earlier access of a race
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
class HazardLog:
    """Collects hazards; the same kind at the same source lines counts once."""

    noted: dict[tuple[HazardKind, str, str], Hazard] = field(default_factory=dict)

    def add(
        self,
        kind: HazardKind,
        instruction: PtxInstruction,
        threads: tuple[tuple[int, int], ...],
        count: int = 1,
        other: PtxInstruction | None = None,
    ) -> None:
        """Note one hazard that `count` threads met."""
        key = (kind, instruction.where, other.where if other else "")
        earlier = self.noted.get(key)
        if earlier is not None:
            threads, count = earlier.threads, earlier.count + count
        self.noted[key] = Hazard(kind, instruction, other, threads, count)

    def merge(self, hazard: Hazard) -> None:
        """Note what another run found."""
        self.add(hazard.kind, hazard.instruction, hazard.threads, hazard.count, hazard.other)

    def list(self) -> tuple[Hazard, ...]:
        """Return the hazards, in the order in which they first happened."""
        return tuple(self.noted.values())
