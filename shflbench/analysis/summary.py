"""Say in plain sentences which variant is fastest, and by how much."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import rankings_of, times_range
from shflbench.analysis.settings import BLOCK, GRID, ITERATIONS, common_factors, factors, one_pass, words
from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.core.words import one_or_many

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.analysis.ranking import JointTimes, Ranking
    from shflbench.store import Row

    Rankings = Mapping[str, Ranking]  # by case

_setting = attrgetter("pattern", "dtype", "options", "iterations")

MOST_SENTENCES = 20  # of more, those of one pattern with the same winner are folded into one
MOST_OF_A_PATTERN = 2  # folded sentences; a clause counts the other settings


@dataclass(frozen=True, slots=True)
class _Topic:
    """What one sentence is about: some settings of one pattern, variant → what its group has in common → row."""

    title: str
    rows: Mapping[str, Mapping[object, Row]]
    rankings: Rankings
    unit: str  # what the groups are, for a reader: "launch" or "setting"

    @property
    def baseline(self) -> str | None:
        """The variant that the others are compared with, if it has a time."""
        every = (row for group in self.rows.values() for row in group.values())
        return next((row.baseline for row in every if row.baseline in self.rows), None)

    def mechanism(self, variant: str) -> str:
        """Return the variant's mechanism."""
        return next(iter(self.rows[variant].values())).mechanism

    def pairs(self, variant: str, other: str) -> list[tuple[Row, Row]]:
        """Return the rows of both variants in each group that has both."""
        theirs = self.rows[other]
        return [(row, theirs[group]) for group, row in self.rows[variant].items() if group in theirs]

    def contested(self, variant: str) -> int:
        """Return the number of groups that have the variant and another one."""
        others = [rows for other, rows in self.rows.items() if other != variant]
        return sum(any(group in rows for rows in others) for group in self.rows[variant])

    def ratios(self, variant: str, other: str) -> list[float]:
        """Return the speed of the variant relative to `other`, in each group that has both."""
        return [_time_us(their_row) / _time_us(row) for row, their_row in self.pairs(variant, other)]

    def tie(self, row: Row, other: Row) -> bool:
        """Whether neither of two rows of a group is shown to be slower."""
        return self.rankings[row.case_id].tie(row, other)

    def ties(self, variant: str, other: str) -> bool:
        """Whether the two variants tie in every group that has both."""
        pairs = self.pairs(variant, other)
        return bool(pairs) and all(self.tie(row, their_row) for row, their_row in pairs)

    def leaders(self) -> list[Row]:
        """Return the leading rows of each group."""
        groups = {row.case_id: self.rankings[row.case_id].leaders for row in self.rows[_fastest(self)].values()}
        return [row for leaders in groups.values() for row in leaders]

    def libraries(self, variant: str) -> dict[str, list[Row]]:
        """Return, by library call, its rows that are at least as fast as any candidate where the variant has a row."""
        calls = [call for row in self.rows[variant].values() for call in self.rankings[row.case_id].libraries]
        return group_by(calls, attrgetter("variant"))

    def bandwidths(self, variant: str) -> list[float]:
        """Return the variant's GB/s in each group, where all are known."""
        known = [row.gb_per_s for row in self.rows[variant].values() if row.gb_per_s and one_pass(row)]
        return known if len(known) == len(self.rows[variant]) else []


def sentences(rows: Iterable[Row], times: JointTimes | None = None, most: int = MOST_SENTENCES) -> list[str]:
    """Return a sentence for each pattern, dtype and option (and iterations where they vary), in file order.

    Candidates and ties are those of `ranking_of`. Where a setting has several launches, the sentence gives the range
    over them; of passes over data of several sizes it takes the largest. More sentences than `most` are folded, by
    pattern and winner, into ranges over settings.
    """
    rows = list(rows)
    rankings = {row.case_id: ranking for ranking in rankings_of(rows, times) for row in ranking.candidates}
    competing = [row for row in rows if row.case_id in rankings]
    varied = len({row.iterations for row in competing if not one_pass(row)}) > 1
    parts = _by_setting(competing)
    if len(parts) <= most:
        topics = [_single(part, rankings, varied=varied) for part in parts]
        return [sentence for topic in topics if (sentence := _sentence(topic, _fastest(topic)))]
    patterns = group_by(parts, lambda part: part[0].pattern)
    return [sentence for parts in patterns.values() for sentence in _of_pattern(parts, rankings, varied=varied)]


def _by_setting(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each pattern, dtype, options and iterations; of passes over data those of the largest size."""
    parts = group_by(rows, _setting).values()
    return [_largest(part) if all(map(one_pass, part)) else part for part in parts]


def _largest(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the launch with the most threads, or of the first of several."""
    launch = max(rows, key=lambda row: (row.grid or 0) * row.block).launch
    return [row for row in rows if row.launch == launch]


def _single(rows: Sequence[Row], rankings: Rankings, *, varied: bool) -> _Topic:
    """Return the subject of one setting, over its launches."""
    first = rows[0]
    at = first.launch if one_pass(first) else f"{first.iterations} iterations" if varied else ""
    title = ", ".join(filter(None, (first.pattern, first.dtype, *first.option_texts, at)))
    return _Topic(title, _by_variant(rows), rankings, "launch")


def _by_variant(rows: Iterable[Row]) -> dict[str, dict[object, Row]]:
    variants: dict[str, dict[object, Row]] = {}
    for row in rows:
        variants.setdefault(row.variant, {})[row.dtype, row.launch, row.iterations, row.options] = row
    return variants


def _of_pattern(parts: Sequence[list[Row]], rankings: Rankings, *, varied: bool) -> list[str]:
    """Return one pattern's sentences: one per setting if they are few, else one per variant that wins."""
    topics = {number: _single(part, rankings, varied=varied) for number, part in enumerate(parts)}
    topics = {number: topic for number, topic in topics.items() if _rivals(topic, _fastest(topic))}
    if len(topics) <= MOST_OF_A_PATTERN:
        return [_sentence(topic, _fastest(topic)) for topic in topics.values()]
    wins = group_by(topics, lambda number: _winner(topics[number]))
    ties = wins.pop("", [])
    winners = sorted(wins, key=lambda variant: -len(wins[variant]))
    if not winners:
        best = _fastest(_fold([parts[number] for number in ties], len(topics), rankings))
        ran = [number for number in ties if best in topics[number].rows]
        wins, winners, ties = {best: ran}, [best], [number for number in ties if number not in ran]
    folded = winners[:MOST_OF_A_PATTERN]
    lines = [_sentence(_fold([parts[number] for number in wins[best]], len(topics), rankings), best) for best in folded]
    rest = [f"{variant} wins {len(wins[variant])}" for variant in winners[MOST_OF_A_PATTERN:]]
    rest += [_ties(topics[number] for number in ties)] if ties else []
    if rest:
        lines[-1] += f"; other settings: {', '.join(rest)}"
    return lines


def _ties(topics: Iterable[_Topic]) -> str:
    """Count settings without a winner, and name the variants that tie: `2 are ties (of shfl and smem)`."""
    leaders = [dict.fromkeys(row.variant for row in topic.leaders()) for topic in topics]
    names = sorted(set().union(*leaders))
    count = f"{len(leaders)} {one_or_many(len(leaders), 'is a tie', 'are ties')}"
    return f"{count} (of {', '.join(names[:-1])} and {names[-1]})"


def _fold(parts: Sequence[Sequence[Row]], of: int, rankings: Rankings) -> _Topic:
    """Return the subject of several settings of one pattern."""
    rows = [row for part in parts for row in part]
    common = common_factors(factors(row) for row in rows)
    setting = words({name: value for name, value in common.items() if name not in {GRID, BLOCK, ITERATIONS}})
    count = {1: "", of: f"{of} settings"}.get(len(parts), f"{len(parts)} of {of} settings")
    groups = Counter((row.launch, *_setting(row)) for row in rows)
    unit = "launch" if sum(variants > 1 for variants in groups.values()) > len(parts) else "setting"
    some = f"{count} ({setting})" if len(parts) < of and count and setting else ""
    title = ", ".join(filter(None, (rows[0].pattern, some) if some else (rows[0].pattern, setting, count)))
    return _Topic(title, _by_variant(rows), rankings, unit)


def _sentence(topic: _Topic, best: str) -> str:
    """Compare one variant with the best of another mechanism, shuffle and the baseline; empty where it is alone."""
    rivals = _rivals(topic, best)
    if not rivals:
        return ""
    launches = ""
    if topic.unit == "launch" and (count := topic.contested(best)) > 1:
        launches = f", {count} launches"
    shuffle = next((variant for variant in rivals if topic.mechanism(variant) == Mechanism.SHFL), None)
    mechanism = topic.mechanism(best)
    nearest = next((variant for variant in rivals if topic.mechanism(variant) != mechanism), rivals[0])
    named = [other for other in dict.fromkeys((nearest, shuffle, topic.baseline)) if other in rivals]
    lead = "shuffle is slower: " if shuffle and _is_beaten(topic, best) else ""
    reached = _reached(topic.bandwidths(best))
    clauses = _clauses(topic, best, named, verb=not reached)
    return f"{topic.title}{launches}: {lead}{best} {reached}{clauses}{_libraries(topic, best)}"


def _libraries(topic: _Topic, best: str) -> str:
    """Name the library calls that are at least as fast, and in how many groups; empty if none is."""
    groups = len(topic.rows[best])
    calls = [
        name if groups == 1 else f"{name} at {len(rows)} of {groups} {_plural(topic.unit, groups)}"
        for name, rows in topic.libraries(best).items()
    ]
    return f"; library calls that are at least as fast: {', '.join(calls)}" if calls else ""


def _reached(bandwidths: Sequence[float]) -> str:
    """Return `reaches 2353 to 2735 GB/s, `; empty for a variant without bandwidths."""
    if not bandwidths:
        return ""
    low, high = f"{min(bandwidths):.0f}", f"{max(bandwidths):.0f}"
    return f"reaches {low if low == high else f'{low} to {high}'} GB/s, "


def _rivals(topic: _Topic, best: str) -> list[str]:
    """Return the variants that share a group with the given one, the fastest first."""
    ratios = {other: topic.ratios(best, other) for other in topic.rows if other != best}
    return sorted((other for other in ratios if ratios[other]), key=lambda other: _mean(ratios[other]))


def _winner(topic: _Topic) -> str:
    """Return the fastest variant; empty where it ties with another."""
    best = _fastest(topic)
    return "" if any(topic.ties(best, other) for other in _rivals(topic, best)) else best


def _fastest(topic: _Topic) -> str:
    """Return the fastest variant, by the geometric mean over the groups shared with the reference."""
    reference = topic.baseline or next(iter(topic.rows))
    speeds = {variant: _mean(ratios) for variant in topic.rows if (ratios := topic.ratios(variant, reference))}
    return max(speeds, key=lambda variant: speeds[variant])


def _is_beaten(topic: _Topic, best: str) -> bool:
    """Whether plain memory beats each shuffle everywhere; what does it by shuffles or collectives, too, is no loss."""
    if topic.mechanism(best) in {Mechanism.SHFL, Mechanism.COLLECTIVE, Mechanism.HYBRID}:
        return False
    shuffles = [variant for variant in topic.rows if topic.mechanism(variant) == Mechanism.SHFL]
    pairs = [pair for variant in shuffles for pair in topic.pairs(best, variant)]
    return all(_time_us(row) < _time_us(other) and not topic.tie(row, other) for row, other in pairs)


def _clauses(topic: _Topic, variant: str, others: Sequence[str], *, verb: bool) -> str:
    """Compare the speeds: `runs at 1.8× the speed of smem-syncwarp, 5.0× that of smem`; ties come last."""
    ties = [other for other in others if topic.ties(variant, other)]
    apart = [other for other in others if other not in ties]
    clauses = [
        f"{times_range(topic.ratios(variant, other))} {'that' if number else 'the speed'} of {other}"
        f"{_exceptions(topic, variant, other)}"
        for number, other in enumerate(apart)
    ]
    tied = [f"tied with {' and '.join(ties)}"] if ties else []
    verb_text = ("runs at " if apart else "is ") if verb else ""
    return verb_text + ", ".join(clauses + tied)


def _exceptions(topic: _Topic, variant: str, other: str) -> str:
    """Say in how many groups the variant only ties with the other, and in how many it is slower."""
    pairs = topic.pairs(variant, other)
    tied = sum(topic.tie(row, their_row) for row, their_row in pairs)
    slower = sum(_time_us(row) > _time_us(their_row) and not topic.tie(row, their_row) for row, their_row in pairs)
    parts = [
        f"{word} at {count} {_plural(topic.unit, count)}"
        for word, count in (("tied", tied), ("slower", slower))
        if count
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _plural(unit: str, count: int) -> str:
    if count == 1:
        return unit
    return f"{unit}es" if unit == "launch" else f"{unit}s"


def _time_us(row: Row) -> float:
    return row.time_us or math.nan


def _mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
