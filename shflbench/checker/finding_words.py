"""Findings in words: one sentence per kind of hazard, with the thread beside each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.emulator.races.hazards import Absence, HazardKind
from shflbench.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from shflbench.cuda_sources.source_lines import SourceLine

ACCESSES = "accesses"
NOWHERE = "a line that the compiler does not name"

# By the names of the emulator's kinds of hazards; a test checks that none is missing. `place` and `other` are lines
# with their threads, `line` is the first one without, and `thread` and `second` are the threads.
WORDS = {
    "RAW": "{place} reads what {other} wrote, with no {order} between",
    "WAR": "{place} overwrites what {other} read, with no {order} between",
    "WAW": "{place} overwrites what {other} wrote, with no {order} between",
    "SAME_VALUE": "{place} overwrites what {other} wrote, with no {order} between",
    "ATOMIC_RACE": "{place} and {other} access the same memory with no {order} between; an atomic is ordered neither "
    "with plain accesses nor with atomics of another size or too narrow a scope",
    "GUESS": "{place} and {other} access the same memory with no {order} between; compare-and-swap checks what the "
    "plain read guesses, which a volatile read does without a race",
    "UNORDERED": "{place} and {other} access the same memory by volatile or relaxed operations, in no fixed order",
    "UNINITIALIZED": "{place} reads memory that no thread has written",
    "UNINITIALIZED_UNUSED": "{place} reads memory that no thread has written, which has no effect on the result",
    "INACTIVE_SOURCE": "{place} uses the value of {source}",
    "ABSENT_VALUE": "{place} reads the value of {source}, which has no effect on the result",
    "NOT_IN_OWN_MASK": "{place} is executed with a mask that does not contain the lane of the thread",
    "MASKS_DIFFER": "{place} is executed with different masks by lanes whose masks contain each other",
    "EXITED": "the mask at {place} contains lanes that have exited",
    "OUT_OF_BOUNDS": "{place} {verb} memory out of bounds",
    "MISALIGNED": "{place} {verb} memory at a misaligned address",
    "READ_ONLY": "{place} writes to read-only memory",
    "OTHER_LOCAL": "{place} {verb} a local variable of another thread, whose address is valid for that thread only",
    "DIVERGENT_WARP_BARRIER": "{place} is a barrier that the lanes of a warp must execute together, and some do not",
    "BARRIER_SKIPPED": "{second} exited before the barrier at {line}, at which {thread} waits",
    "CONDITIONAL_BARRIER": "the barrier at {line}, at which {thread} waits, stands in a condition at {other_line} that "
    "{second_thread} does not fulfill",
    "BARRIER_IMPOSSIBLE": "the barrier at {place} cannot complete",
    "ASSERT_FAILED": "the assertion at {place} fails",
    "TRAPPED": "{place} executes a trap",
    "DEADLOCK": "the {waits_at} at {place} waits for what never arrives",
    "ENDLESS": "the loop at {place} does not terminate",
    "STACK": "the recursion at {place} is too deep",
    "INVALID_LAUNCH": "the launch at {place} is invalid",
    "DEPENDENT_RAW": "{place} reads what {other} writes, and {order}",
    "DEPENDENT_WAR": "{place} overwrites what {other} reads, and {order}",
    "DEPENDENT_WAW": "{place} overwrites what {other} writes, and {order}",
    "DEPENDENT_READ_ONLY": "{place} reads what {other} writes, and {order}",
    "NOT_STARTED": "{place} accesses the shared memory of another block, which may not have started; a barrier of the "
    "cluster, such as cluster.sync(), must come before",
    "ENDED": "{place} accesses the shared memory of another block, which may have ended at {other}; a barrier of the "
    "cluster, such as cluster.sync(), must come between",
    "WEAK_END": "{place} reads the shared memory of another block before this ends at {other}, by an order that "
    "NVIDIA's own code relies on, and that the PTX ISA does not give",
    "WEAK_ORDER": "{place} overwrites what {other} read, by an order that NVIDIA's own code relies on, and that the "
    "PTX ISA does not give",
    "UNFINISHED_COPY": "{place} copies from or to the shared memory of a block, which may have ended at {other} before "
    "the copy is complete; a thread of the block must wait for the copy",
    "PROXY_RACE": "{place} copies what {other} wrote, or overwrites what it accessed, by the async proxy; "
    "fence.proxy.async must come between",
    "PROXY_ORDER": "{place} overwrites what {other} read by the async proxy with no fence.proxy.async between, which "
    "NVIDIA's own code relies on, and the PTX ISA does not allow",
    "ACTIVEMASK": "{place} reads the mask of active lanes, which depends on the schedule",
}
# Of what is a fault only for some of the values that nobody gave.
OPEN_WORDS = {"ENDLESS": "the loop at {place} did not end within the limit of instructions"}
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
# The lane that another one reads from, by why it gives no value.
SOURCES = {
    Absence.OUTSIDE_MASK: "{second_thread}, which the mask does not name",
    Absence.EXITED: "{second_thread}, which has exited",
    Absence.OUTSIDE_BLOCK: "a lane outside of the block",
}
_ABSENT_LANE = "a lane that does not execute the shuffle"
# Their sentences begin with the kind.
LABELED = {
    HazardKind.RAW, HazardKind.WAR, HazardKind.WAW, HazardKind.SAME_VALUE, HazardKind.ATOMIC_RACE,
    HazardKind.DEPENDENT_RAW, HazardKind.DEPENDENT_WAR, HazardKind.DEPENDENT_WAW, HazardKind.DEPENDENT_READ_ONLY,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wait:
    """What threads of a deadlock wait at: the first one, and the one for which it waits."""

    waits_at: str
    elsewhere: SourceLine | None = None
    waits_elsewhere_at: str = ""
    full_mask: bool = False


_NO_WAIT = Wait("barrier or shuffle")


def finding_sentence(  # noqa: PLR0913  (a finding has so many parts)
    kinds: Sequence[HazardKind],
    places: tuple[SourceLine | None, SourceLine | None],
    threads: Sequence[str],
    base: Path,
    *,
    across_blocks: bool,
    verb: str = ACCESSES,
    is_open: bool = False,
    missing: str = "",
    space: str = "",
    absence: Absence | None = None,
    wait: Wait = _NO_WAIT,
) -> str:
    """Return a finding as a sentence without a period; files relative to the folder `base`.

    The first of `kinds` is the one that is described; `places` and `threads` are those of the access that was caught,
    and of the earlier one. The finding `is_open` if values that nobody gave decide whether it is a fault, and `missing`
    says which order launches that overlap lack. `absence` says why the second thread gives no value, and `wait` who
    waits where in a deadlock.
    """
    line, other = (place.shown(base) if place is not None else NOWHERE for place in places)
    thread = threads[0] if threads else "a thread"
    second = second_thread = threads[1] if len(threads) > 1 else ""
    if kinds[0] is HazardKind.BARRIER_SKIPPED and places[1] is not None:
        second = f"{second} ({other})"
    words = OPEN_WORDS.get(kinds[0].name) if is_open else None
    if kinds[0] is HazardKind.DEADLOCK:
        words = _deadlock(wait, is_lost_phase=places[1] is not None)
    text = (words or WORDS[kinds[0].name]).format(
        place=f"{line} ({thread})" if threads else line,
        other=f"{other} ({second})" if second else other,
        line=line,
        thread=thread,
        second=second or "another thread",
        second_thread=second_thread or "another thread",
        other_line=other,
        source=(SOURCES[absence] if absence is not None else _ABSENT_LANE).format(second_thread=second_thread),
        waits_at=wait.waits_at,
        mask="full mask" if wait.full_mask else "mask",
        waits_elsewhere_at=wait.waits_elsewhere_at,
        elsewhere=wait.elsewhere.shown(base) if wait.elsewhere is not None else NOWHERE,
        verb=verb,
        order=missing or _order(space, across_blocks=across_blocks),
    )
    if kinds[0] is HazardKind.DIVERGENT_WARP_BARRIER and places[1] is not None:
        text = f"{text}: they wait at {other}"
    return f"{in_words(kinds)}: {text}" if kinds[0] in LABELED else text


def _deadlock(wait: Wait, *, is_lost_phase: bool) -> str:
    """Return the words for a deadlock."""
    if is_lost_phase:
        return LOST_PHASE
    if wait.elsewhere is None:
        return WORDS["DEADLOCK"]
    return WAIT_FOR_THREADS if wait.waits_at == "barrier" else WAIT_FOR_LANES


def _order(space: str, *, across_blocks: bool) -> str:
    """Return what two accesses lack between them."""
    if across_blocks:
        return "barrier of the cluster" if space == "shared" else "synchronization"
    return "barrier"


def in_words(texts: Iterable[str]) -> str:
    """Return a list in words, each text once: `RAW, WAR and uninitialized read`."""
    return join_words(list(dict.fromkeys(map(str, texts))))
