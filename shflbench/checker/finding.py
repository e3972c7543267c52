"""A finding: one kind of hazard at one place as facts, and its words.

Findings are plain data: what leads to them, a hazard in its launches, stays in the judgment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shflbench.checker.finding_kinds import KINDS
from shflbench.core.words import join_words
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.link.weak_orders import Weakness
from shflbench.emulator.races.facts import UnorderedReason
from shflbench.emulator.races.hazards import Absence, HazardKind

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.checker.verdict import Level
    from shflbench.emulator.races.facts import MemoryBytes

Place: TypeAlias = SourceLine | str  # text for a line of a library, or of the PTX

NOWHERE = "a line that the compiler does not name"
MOST_NAMED = 3  # weak orders in a sentence
_VERBS = {"ld": "reads", "ldu": "reads", "st": "writes", "atom": "updates", "red": "updates"}  # by opcode
_ACCESSED = {"ld": "read", "st": "wrote"}  # by kind of access
_ORDERS = {"weak": "", "volatile": " (volatile)"}
_NOUN = "barrier or shuffle"
_NOUNS = {  # of what threads wait at, by opcode
    "shfl": "shuffle", "vote": "vote", "match": "match", "redux": "reduction", "elect": "election", "bar": "barrier",
    "barrier": "barrier",
}  # fmt: skip
# Of a thread that waits for a phase of a barrier in memory that is over.
LOST_PHASE = (
    "{place} waits for a phase that is over: two have ended since the thread last tested the barrier, the second one "
    "at {other}"
)
# Of a deadlock whose threads wait at different places.
WAIT_FOR_LANES = (
    "the {waits_at} at {place} waits for lanes that its {mask} names, and that are in another branch: they wait at the "
    "{waits_elsewhere_at} at {elsewhere}"
)
WAIT_FOR_THREADS = "the {waits_at} at {place} waits for threads that wait at the {waits_elsewhere_at} at {elsewhere}"
WAIT_FOR_MEMORY = "the loop at {place} waits for a change of memory that never comes"
# The lane that another one reads from, by why it gives no value.
SOURCES = {
    Absence.OUTSIDE_MASK: "{second_thread}, which the mask does not name",
    Absence.EXITED: "{second_thread}, which has exited",
    Absence.OUTSIDE_BLOCK: "a lane outside of the block",
}
_ABSENT_LANE = "a lane that does not execute the shuffle"
REASONS = {
    UnorderedReason.WEAK_BARRIERS: "they are ordered in execution only, not in memory: {weak_orders}",
    UnorderedReason.UNUSED_BEFORE_ARRIVAL: "nothing uses what was read before its thread arrives, so that the load may "
    "still be in flight: arrive with .release at the scope .cluster, or use the value before the arrival",
    UnorderedReason.UNUSED_BEFORE_COPY: "nothing uses what was read before the copy, so that the load may still be in "
    "flight: execute fence.proxy.async before the copy, or use the value before the barrier between them",
    UnorderedReason.NO_FENCE_AFTER_READ: "no fence follows the relaxed atomic, or the relaxed read, by which the block "
    "learns that the value is there, and a barrier alone does not acquire it: execute __threadfence() after it",
    UnorderedReason.NO_FENCE_BEFORE_COUNT: "nothing orders the write before the atomic that counts its block, so that "
    "the last block may read an older value: execute __threadfence() after the write, and a barrier if another thread "
    "counts",
}
WEAK_ORDERS = {
    Weakness.CLUSTER_ARRIVAL_RELAXED: "a relaxed arrival at the barrier of the cluster",
    Weakness.WAIT_RELAXED: "a wait for a barrier in memory with .relaxed",
    Weakness.WAIT_OF_BLOCK: "a wait for a barrier in memory with the scope .cta",
    Weakness.ARRIVAL_RELAXED: "an arrival at a barrier in memory with .relaxed",
    Weakness.ARRIVAL_OF_BLOCK: "an arrival at a barrier in memory with the scope .cta",
}


@dataclass(frozen=True, slots=True)
class FindingAccess:
    """One access of a race: which thread, where, how, and the barrier that the thread passed last before it."""

    thread: str
    place: Place
    kind: str  # ld, st, atom or red
    size: int  # bytes
    order: str  # weak, volatile, relaxed, …
    scope: str
    barrier: Place | None

    def sentence(self, base: Path) -> str:
        """Return the access in words without a period."""
        verb = _ACCESSED.get(self.kind, "atomically updated")
        order = _ORDERS.get(self.order, f" ({self.order}.{self.scope})")
        text = f"{self.thread} {verb} {_bytes(self.size)}{order} at {_shown(self.place, base)}"
        return f"{text}, after the barrier at {_shown(self.barrier, base)}" if self.barrier is not None else text

    def is_plain(self, places: Sequence[SourceLine], base: Path) -> bool:
        """Whether the access is one of several bytes as most are, at one of these lines, after no barrier."""
        is_usual = self.size > 1 and self.order == "weak" and self.barrier is None
        return is_usual and _shown(self.place, base) in {place.shown(base) for place in places}


@dataclass(frozen=True, slots=True)
class WeakOrderPlace:
    """An operation that orders the execution of threads only, and its line."""

    weakness: Weakness
    place: Place


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of hazard at one place: lines, threads, memory, and the launches in which it happened.

    Of several with one cause, the worst one stands for all: it has the kinds, launches and causes of the others, too.
    """

    kind: HazardKind
    level: Level
    place: SourceLine | None
    other: SourceLine | None  # the earlier access of a race
    threads: tuple[str, ...]  # of the first occurrence: `thread 3 of block 0`, `thread (1, 2) of block (0, 0)`
    launches: tuple[str, ...]
    memory: MemoryBytes | None = None
    problem: str = ""  # what an error says of the memory, or why a launch is invalid
    error: str = ""  # the message of a fault
    accesses: tuple[FindingAccess, ...] = ()  # of a race, the earlier one first
    reasons: tuple[UnorderedReason, ...] = ()
    weak_orders: tuple[WeakOrderPlace, ...] = ()
    count: int = 1
    causes: tuple[str, ...] = ()  # options that decide whether it is a fault: parameters, `--launch`, `--shared`
    removed: bool = False  # a store takes part that the optimizer removed: the compiled program has no such fault
    across_blocks: bool = False  # the two threads belong to different blocks
    opcode: str = ""  # of the instruction
    after: SourceLine | None = None  # of a memory fault without which it may not happen
    missing: str = ""  # between launches that overlap: why nothing orders the two accesses, and the usual fix
    absence: Absence | None = None  # why the second thread gives no value to the first one
    elsewhere: SourceLine | None = None  # where the second thread waits, for which the first one waits
    elsewhere_opcode: str = ""  # of the instruction there
    full_mask: bool = False  # that the first thread passes in a deadlock
    other_kinds: tuple[HazardKind, ...] = ()  # of the others for which it stands

    @property
    def kinds(self) -> tuple[HazardKind, ...]:
        """All kinds, its own first; equal values only where no others are overwritten."""
        kinds = dict.fromkeys((self.kind, *self.other_kinds))
        if HazardKind.WAW in kinds:
            kinds.pop(HazardKind.SAME_VALUE, None)
        return tuple(kinds)

    @property
    def space(self) -> str:
        """The memory space, such as shared or global."""
        return self.memory.space if self.memory is not None else ""

    @property
    def variable(self) -> Hashable:
        """What findings in the same memory have in common."""
        return (self.space, self.memory.variable) if self.memory is not None else ""

    @property
    def detail(self) -> str:
        """The bytes: "bytes 0–3 of `s` in shared memory"; or what an error says of them."""
        return self.problem or (_bytes_in_words(self.memory) if self.memory is not None and self.memory.size else "")

    def sentence(self, base: Path) -> str:
        """Return the finding as a sentence without a period; files relative to the folder `base`."""
        removed = "; the compiler removed this code" if self.removed else ""
        facts = [*([self.detail] if self.detail else []), *_launches(self.launches)]
        if self.after is not None:
            facts.append(f"after the fault at {self.after.shown(base)}")
        text = f"{self._message(base)}{removed}"
        return f"{text} ({'; '.join(facts)})" if facts else text

    def history(self, base: Path) -> tuple[str, ...]:
        """Return what the two threads did before and why nothing orders it, one sentence each without a period."""
        reasons = (REASONS[reason].format(weak_orders=self._weak_orders(base)) for reason in self.reasons)
        error = (self.error,) if self.error else ()
        return (*(access.sentence(base) for access in self.accesses), *reasons, *error)

    def further_history(self, base: Path) -> tuple[str, ...]:
        """Return the history where it is more than the sentence says: a barrier, a kind of access."""
        if self.place is None or self.other is None:
            return ()
        places = (self.place, self.other)
        is_plain = not (self.reasons or self.error) and all(item.is_plain(places, base) for item in self.accesses)
        return () if is_plain else self.history(base)

    def _message(self, base: Path) -> str:
        """Return what happened: the message of its kind, with the threads beside their lines."""
        line, other = (place.shown(base) if place is not None else NOWHERE for place in (self.place, self.other))
        thread = self.threads[0] if self.threads else "a thread"
        second = second_thread = self.threads[1] if len(self.threads) > 1 else ""
        if self.kind is HazardKind.BARRIER_SKIPPED and self.other is not None:
            second = f"{second} ({other})"
        text = self._words().format(
            kinds=in_words(self.kinds),
            place=f"{line} ({thread})" if self.threads else line,
            other=f"{other} ({second})" if second else other,
            line=line,
            thread=thread,
            second=second or "another thread",
            second_thread=second_thread or "another thread",
            other_line=other,
            source=(SOURCES[self.absence] if self.absence is not None else _ABSENT_LANE).format(
                second_thread=second_thread
            ),
            waits_at=self._waits_at,
            mask="full mask" if self.full_mask else "mask",
            waits_elsewhere_at=_NOUNS.get(self.elsewhere_opcode, _NOUN) if self.elsewhere_opcode else "",
            elsewhere=self.elsewhere.shown(base) if self.elsewhere is not None else NOWHERE,
            verb=_VERBS.get(self.opcode, "accesses"),
            order=self.missing or self._order(),
        )
        if self.kind is HazardKind.DIVERGENT_WARP_BARRIER and self.other is not None:
            text = f"{text}: they wait at {other}"
        return text

    def _words(self) -> str:
        """Return the message with its gaps."""
        row = KINDS[self.kind]
        if self.kind is not HazardKind.DEADLOCK:
            return row.open_message if self.causes and row.open_message else row.message
        if self.other is not None:
            return LOST_PHASE
        if self.elsewhere is None:
            return WAIT_FOR_MEMORY if self.opcode in _VERBS else row.message
        return WAIT_FOR_THREADS if self._waits_at == "barrier" else WAIT_FOR_LANES

    @property
    def _waits_at(self) -> str:
        """What the first thread waits at in a deadlock."""
        return _NOUNS.get(self.opcode, _NOUN)

    def _order(self) -> str:
        """Return what two accesses lack between them."""
        if self.across_blocks:
            return "barrier of the cluster" if self.space == "shared" else "synchronization"
        return "barrier"

    def _weak_orders(self, base: Path) -> str:
        """Return the first operations that order execution only, and how many there are besides."""
        named = list(dict.fromkeys(f"{WEAK_ORDERS[o.weakness]} at {_shown(o.place, base)}" for o in self.weak_orders))
        more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        return f"{', '.join(named[:MOST_NAMED])}{more}"


def in_words(texts: Iterable[str]) -> str:
    """Return a list in words, each text once: `RAW, WAR and uninitialized read`."""
    return join_words(list(dict.fromkeys(map(str, texts))))


def _bytes_in_words(memory: MemoryBytes) -> str:
    """Return bytes in words: "bytes 0–3 of `s` in shared memory"."""
    first, last = memory.first, memory.first + memory.size - 1
    bytes_ = f"bytes {first}–{last}" if memory.size > 1 else f"byte {first}"
    is_named = memory.space in {"shared", "local"} and memory.variable.startswith("`")
    in_space = f" in {memory.space} memory" if is_named else ""
    return f"{bytes_} of {memory.variable or f'{memory.space} memory'}{in_space}"


def _bytes(size: int) -> str:
    return f"{size} byte{'s' if size > 1 else ''}"


def _launches(shapes: Sequence[str]) -> Iterator[str]:
    """Yield the first launch, and how many more there are."""
    if shapes:
        more = f" and {len(shapes) - 1} more" if len(shapes) > 1 else ""
        yield f"launch {shapes[0]}{more}"


def _shown(place: Place, base: Path) -> str:
    return place if isinstance(place, str) else place.shown(base)
