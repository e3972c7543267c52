"""Say in plain sentences which variant is fastest, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.model import Mechanism, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.store import Row


@dataclass(frozen=True, slots=True)
class _Subject:
    """What one sentence is about: the launches of one pattern and dtype, variant → launch → time in µs."""

    title: str
    times: dict[str, dict[str, float]]
    mechanisms: dict[str, str]
    baseline: str | None

    def ratios(self, variant: str, other: str) -> list[float]:
        """Return how many times as fast as `other` the variant is, at each launch that both have."""
        mine, theirs = self.times[variant], self.times[other]
        return [theirs[launch] / mine[launch] for launch in mine if launch in theirs]


def sentences(rows: Iterable[Row]) -> list[str]:
    """Return a sentence for each pattern and dtype (and option, and iterations where they vary), in file order.

    Only timed rows of safe variants count, and library calls do not compete. Where a subject has
    several launches, the sentence gives the range over them.
    """
    timed = [row for row in rows if row.status is Status.TIMED and row.safe and row.time_us]
    return [sentence for subject in _subjects(timed) if (sentence := _sentence(subject))]


def _subjects(rows: Sequence[Row]) -> list[_Subject]:
    varied = len({row.iterations for row in rows}) > 1
    parts: dict[tuple[str, str, str, int], list[Row]] = {}
    for row in rows:
        if row.mechanism != Mechanism.LIBRARY:
            key = (row.pattern, row.dtype, row.options, row.iterations)
            parts.setdefault(key, []).append(row)
    return [_subject(part, varied=varied) for part in parts.values()]


def _subject(rows: Sequence[Row], *, varied: bool) -> _Subject:
    first = rows[0]
    title = [first.pattern, first.dtype, *filter(None, first.options.split(";"))]
    if varied:
        title.append(f"{first.iterations} iterations")
    times: dict[str, dict[str, float]] = {}
    for row in rows:
        times.setdefault(row.variant, {})[row.launch] = row.time_us or math.nan
    mechanisms = {row.variant: row.mechanism for row in rows}
    baseline = next((row.baseline for row in rows if row.baseline in times), None)
    return _Subject(", ".join(title), times, mechanisms, baseline)


def _sentence(subject: _Subject) -> str:
    """Compare the fastest variant with the baseline, the next best and shuffle; empty where it is alone."""
    best, *others = _ranking(subject)
    slower = [other for other in others if subject.ratios(best, other)]
    if not slower:
        return ""
    shuffle = next((variant for variant in slower if subject.mechanisms[variant] == Mechanism.SHFL), None)
    named = [other for other in dict.fromkeys((subject.baseline, slower[0], shuffle)) if other in slower]
    launches = f", {count} launches" if (count := len(subject.times[best])) > 1 else ""
    lead = "shuffle is slower: " if shuffle and _beaten(subject, best, shuffle) else ""
    clauses = ", ".join(_clause(subject, best, other, first=other == named[0]) for other in named)
    return f"{subject.title}{launches}: {lead}{best} is {clauses}"


def _ranking(subject: _Subject) -> list[str]:
    """Return the variants, fastest first, by their geometric mean over the launches shared with the reference."""
    reference = subject.baseline or next(iter(subject.times))
    speed = {variant: subject.ratios(variant, reference) for variant in subject.times}
    return sorted((variant for variant in speed if speed[variant]), key=lambda variant: -_mean(speed[variant]))


def _beaten(subject: _Subject, best: str, shuffle: str) -> bool:
    """Whether plain memory beats shuffle; a collective instruction that does is shuffle's own kind."""
    if subject.mechanisms[best] in {Mechanism.SHFL, Mechanism.COLLECTIVE}:
        return False
    return float(_number(_mean(subject.ratios(best, shuffle)))) > 1


def _clause(subject: _Subject, best: str, other: str, *, first: bool) -> str:
    ratios = subject.ratios(best, other)
    low, high = _number(min(ratios)), _number(max(ratios))
    if low == high == _EQUAL:
        return f"about as fast as {other}"
    span = low if low == high else f"{low} to {high}"
    slower = sum(float(_number(ratio)) < 1 for ratio in ratios)
    warning = f" (slower at {slower} launch{'es' if slower > 1 else ''})" if slower else ""
    return f"{span} times as {'fast as ' if first else ''}{other}{warning}"


def _mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


_EQUAL = "1.0"


def _number(ratio: float) -> str:
    """Return the ratio with one decimal; from 100 on a decimal says nothing."""
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}"  # noqa: PLR2004
