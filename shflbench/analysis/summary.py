"""Say in plain sentences which variant is fastest, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from shflbench.analysis.settings import BLOCK, GRID, ITERATIONS, common_factors, factors, one_pass, words
from shflbench.grouping import group_by
from shflbench.model import Mechanism, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.store import Row

MOST_SENTENCES = 20  # of more, those of one pattern with the same fastest variant are folded into one
MOST_OF_A_PATTERN = 2  # folded sentences; the other settings are counted in a clause


@dataclass(frozen=True, slots=True)
class _Topic:
    """What one sentence is about: some settings of one pattern, variant → what its group has in common → row."""

    title: str
    rows: Mapping[str, Mapping[object, Row]]
    unit: str  # what the groups are, for a reader: "launch" or "setting"

    @property
    def baseline(self) -> str | None:
        """The variant that the others are compared with, if it has a time."""
        every = (row for group in self.rows.values() for row in group.values())
        return next((row.baseline for row in every if row.baseline in self.rows), None)

    def mechanism(self, variant: str) -> str:
        """Return the variant's mechanism."""
        return next(iter(self.rows[variant].values())).mechanism

    def ratios(self, variant: str, other: str) -> list[float]:
        """Return how many times as fast as `other` the variant is, in each group that both are in."""
        mine, theirs = self.rows[variant], self.rows[other]
        return [_time_us(theirs[group]) / _time_us(mine[group]) for group in mine if group in theirs]

    def bandwidths(self, variant: str) -> list[float]:
        """Return the variant's GB/s in each group, where all are known."""
        known = [row.gb_per_s for row in self.rows[variant].values() if row.gb_per_s and one_pass(row)]
        return known if len(known) == len(self.rows[variant]) else []


def sentences(rows: Iterable[Row]) -> list[str]:
    """Return a sentence for each pattern, dtype and option (and iterations where they vary), in file order.

    Only timed rows of safe variants count, and library calls do not compete. Where a subject has several launches, the
    sentence gives the range over them; of passes over data of several sizes it takes the largest. Too many sentences
    are folded, by pattern and fastest variant, into ranges over settings.
    """
    timed = [row for row in rows if row.status is Status.TIMED and row.safe and row.time_us]
    competing = [row for row in timed if row.mechanism != Mechanism.LIBRARY]
    varied = len({row.iterations for row in competing if not one_pass(row)}) > 1
    parts = _by_setting(competing)
    if len(parts) <= MOST_SENTENCES:
        return [sentence for part in parts if (sentence := _sentence(_single(part, varied=varied)))]
    patterns = group_by(parts, lambda part: part[0].pattern)
    return [sentence for parts in patterns.values() for sentence in _of_pattern(parts, varied=varied)]


def _by_setting(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each pattern, dtype, options and iterations; of passes over data those of the largest size."""
    parts = group_by(rows, attrgetter("pattern", "dtype", "options", "iterations")).values()
    return [_largest(part) if all(map(one_pass, part)) else part for part in parts]


def _largest(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the launch with the most threads, or of the first of several."""
    launch = max(rows, key=lambda row: (row.grid or 0) * row.block).launch
    return [row for row in rows if row.launch == launch]


def _single(rows: Sequence[Row], *, varied: bool) -> _Topic:
    """Return the subject of one setting, over its launches."""
    first = rows[0]
    at = first.launch if one_pass(first) else f"{first.iterations} iterations" if varied else ""
    title = ", ".join(filter(None, (first.pattern, first.dtype, *first.option_texts, at)))
    return _Topic(title, _by_variant(rows), "launch")


def _by_variant(rows: Iterable[Row]) -> dict[str, dict[object, Row]]:
    variants: dict[str, dict[object, Row]] = {}
    for row in rows:
        variants.setdefault(row.variant, {})[row.dtype, row.launch, row.iterations, row.options] = row
    return variants


def _of_pattern(parts: Sequence[list[Row]], *, varied: bool) -> list[str]:
    """Return one pattern's sentences: one a setting if they are few, else one for each fastest variant."""
    if len(parts) <= MOST_OF_A_PATTERN:
        return [sentence for part in parts if (sentence := _sentence(_single(part, varied=varied)))]
    folds: dict[str, list[list[Row]]] = {}
    for part in parts:
        if ranking := _ranking(_single(part, varied=varied)):
            folds.setdefault(ranking[0], []).append(part)
    largest = sorted(folds, key=lambda variant: -len(folds[variant]))
    told = [_sentence(_fold(folds[variant], len(parts))) for variant in largest[:MOST_OF_A_PATTERN]]
    if rest := [f"{variant} at {len(folds[variant])}" for variant in largest[MOST_OF_A_PATTERN:]]:
        told[-1:] = [f"{told[-1]}; at other settings the fastest is {', '.join(rest)}"]
    return [sentence for sentence in told if sentence]


def _fold(parts: Sequence[Sequence[Row]], of: int) -> _Topic:
    """Return the subject of several settings of one pattern."""
    rows = [row for part in parts for row in part]
    common = common_factors(factors(row) for row in rows)
    said = words({name: value for name, value in common.items() if name not in {GRID, BLOCK, ITERATIONS}})
    count = {1: "", of: f"{of} settings"}.get(len(parts), f"{len(parts)} of {of} settings")
    return _Topic(", ".join(filter(None, (rows[0].pattern, said, count))), _by_variant(rows), "setting")


def _sentence(subject: _Topic) -> str:
    """Compare the fastest variant with the baseline, the next best and shuffle; empty where it is alone."""
    best, *others = _ranking(subject)
    slower = [other for other in others if subject.ratios(best, other)]
    if not slower:
        return ""
    launches = ""
    if subject.unit == "launch" and (count := len(subject.rows[best])) > 1:
        launches = f", {count} launches"
    shuffle = next((variant for variant in slower if subject.mechanism(variant) == Mechanism.SHFL), None)
    if subject.bandwidths(best):
        return f"{subject.title}{launches}: {_bandwidth_clauses(subject, best, slower, shuffle)}"
    named = [other for other in dict.fromkeys((subject.baseline, slower[0], shuffle)) if other in slower]
    lead = "shuffle is slower: " if shuffle and _is_beaten(subject, best, shuffle) else ""
    clauses = ", ".join(_clause(subject, best, other, first=other == named[0]) for other in named)
    return f"{subject.title}{launches}: {lead}{best} is {clauses}"


def _bandwidth_clauses(subject: _Topic, best: str, slower: Sequence[str], shuffle: str | None) -> str:
    """Say what bandwidth shuffle reaches (the fastest where there is none) of the fastest, and over the others."""
    variant = shuffle or best
    reached = f"{variant} reaches {_range([f'{value:.0f}' for value in sorted(subject.bandwidths(variant))])} GB/s"
    shares = [f"{100 * ratio:.0f}" for ratio in sorted(subject.ratios(variant, best))]
    of_best = [f"{_range(shares)} % of {best}"] if variant != best else []
    rivals = [other for other in dict.fromkeys((subject.baseline or slower[0], slower[0])) if other in slower]
    told = [other for other in rivals if other != variant][: None if variant == best else 1]
    return ", ".join((reached, *of_best, *(_clause(subject, variant, other, first=other == told[0]) for other in told)))


def _ranking(subject: _Topic) -> list[str]:
    """Return the variants, fastest first, by their geometric mean over the groups shared with the reference."""
    reference = subject.baseline or next(iter(subject.rows))
    speed = {variant: subject.ratios(variant, reference) for variant in subject.rows}
    return sorted((variant for variant in speed if speed[variant]), key=lambda variant: -_mean(speed[variant]))


def _is_beaten(subject: _Topic, best: str, shuffle: str) -> bool:
    """Whether plain memory beats shuffle; a collective instruction that does is shuffle's own kind."""
    if subject.mechanism(best) in {Mechanism.SHFL, Mechanism.COLLECTIVE}:
        return False
    return float(_number(_mean(subject.ratios(best, shuffle)))) > 1


def _clause(subject: _Topic, best: str, other: str, *, first: bool) -> str:
    ratios = sorted(subject.ratios(best, other))
    span = _range([_number(ratio) for ratio in ratios])
    if span == _EQUAL:
        return f"about as fast as {other}"
    slower = sum(float(_number(ratio)) < 1 for ratio in ratios)
    warning = f" (slower at {slower} {_plural(subject.unit, slower)})" if slower else ""
    return f"{span} times as {'fast as ' if first else ''}{other}{warning}"


def _plural(unit: str, count: int) -> str:
    if count == 1:
        return unit
    return f"{unit}es" if unit == "launch" else f"{unit}s"


def _range(numbers: Sequence[str]) -> str:
    """Return the first and the last of sorted numbers: `1.8 to 4.7`, or the one that they are."""
    return numbers[0] if numbers[0] == numbers[-1] else f"{numbers[0]} to {numbers[-1]}"


def _time_us(row: Row) -> float:
    return row.time_us or math.nan


def _mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


_EQUAL = "1.0"


def _number(ratio: float) -> str:
    """Return the ratio with one decimal; from 100 on a decimal says nothing."""
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}"  # noqa: PLR2004
