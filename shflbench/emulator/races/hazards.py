"""The hazards of a launch: races, wrong masks, faults, dependence on the schedule."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Self, TypeAlias

from shflbench.emulator.ptx.syntax import Location, PtxInstruction
from shflbench.emulator.races.facts import HazardAccess, MemoryBytes, UnorderedReason

if TYPE_CHECKING:
    from shflbench.emulator.link.weak_orders import WeakOrder
    from shflbench.emulator.machine.faults import KernelFault


class Absence(StrEnum):
    """Why a lane does not give the value that another one reads from it."""

    OUTSIDE_MASK = "the mask does not name it"
    EXITED = "it has exited"
    OUTSIDE_BLOCK = "the block has no such thread"


class HazardKind(StrEnum):
    """The ways a kernel can break the rules of the memory model and of independent thread scheduling."""

    RAW = "RAW"  # reads what another thread wrote, not ordered by any synchronization
    WAR = "WAR"  # overwrites what another thread read, likewise
    WAW = "WAW"  # overwrites what another thread wrote, likewise
    SAME_VALUE = "WAW of equal values"
    ATOMIC_RACE = "race with an atomic"  # with a plain access, one of another size, or one of too narrow a scope
    GUESS = "guess of compare-and-swap"  # by a plain read, which races by the letter of the memory model
    UNORDERED = "unordered accesses"  # volatile or relaxed ones: no race, but the result may depend on the order
    UNINITIALIZED = "uninitialized read"
    UNINITIALIZED_UNUSED = "uninitialized read without effect"  # whatever the value is, the kernel writes the same
    OUT_OF_BOUNDS = "out of bounds"
    MISALIGNED = "misaligned address"
    READ_ONLY = "write to read-only memory"
    OTHER_LOCAL = "local memory of another thread"
    INACTIVE_SOURCE = "shuffle from an inactive lane"  # whose value changes the result
    ABSENT_VALUE = "value from an absent lane"  # without an effect on the result
    NOT_IN_OWN_MASK = "lane outside its own mask"
    MASKS_DIFFER = "lanes with different masks"
    EXITED = "mask names lanes that have exited"
    DIVERGENT_WARP_BARRIER = "barrier in divergent code of a warp"
    BARRIER_SKIPPED = "barrier skipped by threads that ended"
    CONDITIONAL_BARRIER = "barrier in a condition that not all threads fulfill"
    BARRIER_IMPOSSIBLE = "barrier that cannot complete"
    NOT_STARTED = "shared memory of a block that may not have started"
    ENDED = "shared memory of a block that may have ended"
    WEAK_END = "read of a block that may end, by a weak order"  # after a barrier that orders execution only
    WEAK_ORDER = "overwritten after a read by a weak order"  # likewise; NVIDIA's own code relies on it
    WEAK_READ = "read after a relaxed atomic without a fence"  # and a barrier; NVIDIA's own code relies on it
    UNFINISHED_COPY = "copy that may outlive its block"
    PROXY_RACE = "access and bulk copy without a proxy fence"
    PROXY_ORDER = "bulk copy after a read without a proxy fence"  # NVIDIA's own code relies on it
    ACTIVEMASK = "depends on activemask"
    ASSERT_FAILED = "failed assertion"
    TRAPPED = "trap"
    DEADLOCK = "deadlock"
    ENDLESS = "endless loop"
    STACK = "recursion too deep"
    INVALID_LAUNCH = "invalid launch"  # of the host code: no GPU accepts it
    DEPENDENT_RAW = "RAW between launches"  # that overlap
    DEPENDENT_WAR = "WAR between launches"  # likewise
    DEPENDENT_WAW = "WAW between launches"  # likewise
    DEPENDENT_READ_ONLY = "read-only load between launches"  # of what one that it overlaps writes


# Accesses that can be dropped, so that the launch goes on.
MEMORY_FAULTS = frozenset(
    {HazardKind.OUT_OF_BOUNDS, HazardKind.MISALIGNED, HazardKind.READ_ONLY, HazardKind.OTHER_LOCAL}
)
RACES = frozenset({HazardKind.RAW, HazardKind.WAR, HazardKind.WAW, HazardKind.ATOMIC_RACE})


@dataclass(frozen=True, slots=True)
class Hazard:
    """One hazard: its place, and the threads (block, index in the block) of its first occurrence."""

    kind: HazardKind
    instruction: PtxInstruction
    other: PtxInstruction | None  # the earlier access of a race
    threads: tuple[tuple[int, int], ...]
    count: int  # number of occurrences
    memory: MemoryBytes | None = None  # that it concerns
    accesses: tuple[HazardAccess, ...] = ()  # of a race, the earlier one first
    reasons: tuple[UnorderedReason, ...] = ()
    weak_orders: "tuple[WeakOrder, ...]" = ()  # of the program, if they are a reason
    fault: "KernelFault | None" = None  # the error that it reports
    is_observed: bool = True  # not a fault of a run that no rule observed
    one_store: bool = False  # equal values, always written by the same store of several threads
    after_fault: bool = False  # it happened after an access that was dropped
    in_part: bool = False  # a read of local memory at whose line other reads are of initialized memory
    absence: Absence | None = None  # of the second thread, whose value the first one reads
    elsewhere: PtxInstruction | None = None  # of a deadlock: where the second thread, which the first awaits, waits
    full_mask: bool = False  # that the first thread passes, of a deadlock
    # Of a barrier that the second thread skips: the branches that it executed, and whether it jumped there at last.
    sides: tuple[tuple[PtxInstruction, bool], ...] = ()

    @property
    def space(self) -> str:
        """The space of the memory that it concerns, such as shared or global."""
        return self.memory.space if self.memory is not None else ""

    @property
    def buffer(self) -> int | None:
        """The number of the buffer in global memory."""
        return self.memory.buffer if self.memory is not None else None

    @property
    def locations(self) -> tuple[Location | None, Location | None]:
        """The source lines: of the access that was caught, and of the earlier one."""
        return self.instruction.location, self.other.location if self.other else None

    def __str__(self) -> str:
        """Return one sentence."""
        who = " and ".join(f"thread {thread} of block {block}" for block, thread in self.threads)
        lines = f"{self.instruction.where}, after {self.other.where}" if self.other else self.instruction.where
        return f"{self.kind}: {lines} ({who}; {self.count} times)"


HazardKey: TypeAlias = tuple[HazardKind, str, str, int | None]


def hazard_key(hazard: Hazard) -> HazardKey:
    """Return what the hazards that count once have in common: kind and lines, and the buffer of a fault of memory."""
    buffer = hazard.buffer if hazard.kind in MEMORY_FAULTS else None
    return _key(hazard.kind, hazard.instruction, hazard.other, buffer)


def _key(
    kind: HazardKind, instruction: PtxInstruction, other: PtxInstruction | None, buffer: int | None = None
) -> HazardKey:
    return kind, instruction.where, other.where if other else "", buffer


@dataclass(slots=True)
class HazardLog:
    """Collects hazards; the same kind at the same source lines counts once, a fault of memory once per buffer."""

    hazards: dict[HazardKey, Hazard] = field(default_factory=dict)

    @classmethod
    def of(cls, hazards: Iterable[Hazard]) -> Self:
        """Return a log of these hazards."""
        log = cls()
        for hazard in hazards:
            log.merge(hazard)
        return log

    def add(
        self,
        kind: HazardKind,
        instruction: PtxInstruction,
        threads: tuple[tuple[int, int], ...],
        count: int = 1,
        other: PtxInstruction | None = None,
    ) -> None:
        """Add one hazard of `count` threads."""
        self.merge(Hazard(kind, instruction, other, threads, count))

    def merge(self, hazard: Hazard) -> None:
        """Add a hazard, or its count to that of an equal one."""
        key = hazard_key(hazard)
        if not self._repeat(key, hazard.count, one_store=hazard.one_store):
            self.hazards[key] = hazard

    def has(self, hazard: Hazard) -> bool:
        """Return whether there is a hazard of this kind at the same places."""
        return hazard_key(hazard) in self.hazards

    def repeat(
        self,
        kind: HazardKind,
        instruction: PtxInstruction,
        other: PtxInstruction | None,
        count: int,
        *,
        one_store: bool,
    ) -> bool:
        """Add to the count of an equal hazard; return whether there is one."""
        return self._repeat(_key(kind, instruction, other), count, one_store=one_store)

    def _repeat(self, key: HazardKey, count: int, *, one_store: bool) -> bool:
        earlier = self.hazards.get(key)
        if earlier is not None:
            self.hazards[key] = replace(earlier, count=earlier.count + count, one_store=earlier.one_store and one_store)
        return earlier is not None

    def list(self) -> tuple[Hazard, ...]:
        """Return the hazards, in the order in which they first happened."""
        return tuple(self.hazards.values())
