"""The settings of a chart in which variants compete: who wins, who ties, and how far each lies behind the fastest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import ranking_of, time_us, times
from shflbench.analysis.settings import BLOCK, GRID, one_pass, words
from shflbench.output.plot.axis import axis_of
from shflbench.output.plot.chart_words import join

if TYPE_CHECKING:
    from collections.abc import Collection

    from shflbench.analysis.ranking import Ranking
    from shflbench.output.plot.axis import Axis
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

_MOST_NAMES = 3  # library calls named in a sentence


@dataclass(frozen=True, eq=False)  # without slots, for the cached properties
class Rankings:
    """The settings of a chart in which at least two variants compete."""

    subject: ChartSubject
    all: tuple[Ranking, ...]
    axis: Axis | None = None  # of a sweep
    without: frozenset[str] = frozenset()  # factors that follow from the place on this axis

    @cached_property
    def wins(self) -> Counter[str]:
        """At how many settings each variant wins; a tie is no win."""
        return Counter(ranking.fastest.variant for ranking in self.all if not ranking.is_tie)

    @cached_property
    def ties(self) -> int:
        """At how many settings variants tie."""
        return len(self.all) - self.wins.total()

    @cached_property
    def leads(self) -> dict[str, int]:
        """At how many settings each variant wins or ties, the most frequent one first."""
        leads = Counter(variant for ranking in self.all for variant in ranking.variants)
        return dict(sorted(leads.items(), key=lambda item: (-item[1], -self.wins[item[0]], item[0])))

    @cached_property
    def lags(self) -> dict[str, list[tuple[float, Row]]]:
        """The time of each variant relative to the fastest, and its row, setting by setting."""
        lags: dict[str, list[tuple[float, Row]]] = {}
        for ranking in self.all:
            for row in (*ranking.leaders, *ranking.others):
                lags.setdefault(row.variant, []).append((time_us(row) / time_us(ranking.fastest), row))
        return lags

    @cached_property
    def safest(self) -> tuple[str, float]:
        """The variant whose largest lag is the smallest, and that lag; of those that were timed at all settings."""
        most = {name: max(lag for lag, _ in lags) for name, lags in self.lags.items() if len(lags) == len(self.all)}
        return min(most.items(), key=lambda item: (item[1], item[0]), default=("", inf))

    def factors(self, row: Row) -> dict[str, str]:
        """Return the factors by which the row's setting differs from others."""
        return self.subject.distinct_factors(row, self.without)

    def place(self, row: Row) -> str:
        """Return the setting of a row in words: `f32, words=8`; on an axis of sizes `512 MiB`."""
        axis, setting = self.axis, self.factors(row)
        if axis is None or axis.factor != GRID or axis.name == GRID or (at := axis.place(row)) is None:
            return words(setting) or row.dtype
        return ", ".join(filter(None, (axis.label(at), words({n: v for n, v in setting.items() if n != GRID}))))

    @property
    def unit(self) -> str:
        """The settings, called by what they differ in."""
        if any(self.subject.distinct_factors(row, {GRID, BLOCK}) for row in self.subject.rows):
            unit = "setting"
        else:
            unit = "size" if all(map(one_pass, self.subject.rows)) else "launch shape"
        return unit if len(self.all) == 1 else f"{unit}s"

    @property
    def counted(self) -> str:
        """The number of settings: `16 settings`."""
        return f"{len(self.all)} {self.unit}"

    @property
    def everywhere(self) -> str:
        """All settings in words: `all 16 settings`."""
        match len(self.all):
            case 1:
                return f"the only {self.unit} with two safe variants"
            case 2:
                return f"both {self.unit}"
        return f"all {self.counted}"


def rankings_of(subject: ChartSubject, factor: str = "", drawn: Collection[str] = ()) -> Rankings:
    """Return the rankings of a subject, which is drawn along `factor`; `drawn` are all factors that change with it."""
    rankings = tuple(ranking for rows in subject.groups if (ranking := ranking_of(rows, subject.times)) is not None)
    return Rankings(subject, rankings, axis_of(subject, factor) if factor else None, frozenset(drawn) - {factor})


def libraries(rankings: Rankings) -> str:
    """Return a clause on the library calls that are faster than the fastest variant, or else tie; empty if none is."""
    faster = [(row, ranking.fastest) for ranking in rankings.all for row in ranking.faster_libraries]
    some = faster or [(row, ranking.fastest) for ranking in rankings.all for row in ranking.libraries]
    if not some:
        return ""
    names = [name for name, _ in Counter(row.variant for row, _ in some).most_common()]
    if len(rankings.all) > 1:  # not every call at every setting
        who = join(names, "or") if len(names) <= _MOST_NAMES else f"(of {len(names)})"
        count = len({best.case_id for _, best in some})
        where = rankings.everywhere if count == len(rankings.all) else f"{count} of them"
        return f"; library call {who} {'is faster' if faster else 'ties'} at {where}"
    several = len(names) > 1
    who = f"library call{'s' if several else ''} {join(names)}"
    if not faster:
        return f"; {who} {'tie' if several else 'ties'} with it"
    lead = times(max(time_us(best) / time_us(row) for row, best in faster))
    return f"; {who} {'run' if several else 'runs'} at {'up to ' if several else ''}{lead} that speed"
