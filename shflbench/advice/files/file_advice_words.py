"""The launches for which advice on a file holds, and the threads that exchange values, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import LaneRelation
from shflbench.core.words import join_words, one_or_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import BarrierGap, ExchangeAdvice, KernelAdvice

MOST_DISTANCES = 8  # in a cell of the table
WHERE = {  # relation → where the value comes from, as a reader says it
    LaneRelation.THREAD: "the same thread",
    LaneRelation.XOR: "a lane of the warp",
    LaneRelation.SHIFT: "a lane of the warp",
    LaneRelation.BROADCAST: "a lane of the warp",
    LaneRelation.PERMUTATION: "a lane of the warp",
    LaneRelation.SEVERAL: "lanes of the warp, several values each",
    LaneRelation.ACROSS: "another warp",
    LaneRelation.BLOCKS: "another block of the cluster",
    LaneRelation.PARTS: "lanes of the warp, parts of a value each",
}


def exchange_scope(advice: KernelAdvice, origin: str) -> str:
    """Return for which launches the exchanges of a kernel are what they are.

    With the values for which a suggestion holds, if one does not hold for all, or if there is none.
    """
    suggested = [exchange for exchange in advice.exchanges if exchange.instead]
    is_limited = not suggested or not all(exchange.is_proved for exchange in suggested)
    return (
        f"in all launches with blocks of {join_words(_blocks(advice))}"
        if advice.is_fixed
        else _launches(advice, origin, advice.only if is_limited else ())
    )


def barrier_scope(advice: KernelAdvice, origin: str) -> str:
    """Return in which launches the barriers were looked at; `origin` says where they come from.

    With the values for which a suggestion holds, if one does not hold for all; what does says so in its reason.
    """
    is_limited = any(barrier.could_be_weaker and not barrier.is_proved for barrier in advice.barriers)
    return _launches(advice, origin, advice.only if is_limited else ())


def gap_sentence(gap: BarrierGap) -> str:
    """Return where a barrier is missing, and what would be enough."""
    where = f"between lines {gap.first.line} and {gap.last.line}"
    where = f"in line {gap.first.line}, between reading and writing" if gap.first == gap.last else where
    threads = "threads of several warps may exchange values there"
    threads = "all threads that exchange values there are in one warp" if gap.is_of_warp else threads
    return f"{where}, a barrier is missing: {gap.barrier} is enough; {threads}"


def _launches(advice: KernelAdvice, origin: str, only: Sequence[str]) -> str:
    values = f", for {join_words(only)} only" if only else ""
    return f"in {launches_text(advice.launch_texts)} {origin}{values}"


def launches_text(launches: Sequence[str]) -> str:
    """Return launches as a list: `launches 64x256 (also with 16 blocks) and 8x32`."""
    return f"{one_or_many(len(launches), 'launch', 'launches')} {join_words(launches)}"


def _blocks(advice: KernelAdvice) -> list[str]:
    """Return the sizes of the blocks of the launches: `256 threads`, or `32x8 threads`."""
    shapes = (launch.partition(":")[2] or launch.rpartition("x")[2] for launch in advice.launches)
    return [f"{shape} threads" for shape in dict.fromkeys(shapes)]


def sources_of(exchange: ExchangeAdvice) -> str:
    """Return where values come from: `the same thread (80), another warp (60)`."""
    counts: dict[str, int] = {}
    for relation, count in exchange.relations:
        where = WHERE[relation]
        counts[where] = counts.get(where, 0) + count
    parts = [f"{where} ({count:,})" for where, count in counts.items()]
    if 0 < len(exchange.distances) <= MOST_DISTANCES:
        parts.append(_distances(exchange))
    parts += [exchange.scope] if exchange.scope else []
    return ", ".join(parts)


def _distances(exchange: ExchangeAdvice) -> str:
    """Return where the lanes are that values come from: `down 16, 8`, `up 1`, `distance 1` of both lanes, `lane 3`."""
    kinds = {relation for relation, _ in exchange.relations} & set(_WORDS)
    distances = exchange.distances
    if len(kinds) > 1:
        return f"distance {', '.join(f'{item:+d}' for item in distances)}"
    if kinds == {LaneRelation.SHIFT}:
        words = {"down": [item for item in distances if item > 0], "up": [-item for item in distances if item < 0]}
        return ", ".join(f"{word} {', '.join(map(str, items))}" for word, items in words.items() if items)
    word = _WORDS[kinds.pop()] if kinds else "distance"
    return f"{word} {', '.join(map(str, distances))}"


_WORDS = {LaneRelation.SHIFT: "down", LaneRelation.XOR: "distance", LaneRelation.BROADCAST: "lane"}
