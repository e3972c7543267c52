"""Findings in the rows of one pattern, in a sentence each: the titles of the charts (pure functions).

Candidates, winners and ties are those of `ranking_of`. Settings with only one candidate do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.ranking import competes, time_us, times, times_range
from shflbench.core.grouping import group_by
from shflbench.output.plot.answers import answer
from shflbench.output.plot.chart_words import join
from shflbench.output.plot.rankings import libraries, rankings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.analysis.ranking import Ranking
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

_MOST_RANKINGS = 3  # up to which each is named; more are counted
_LONGEST = 110  # characters of a sentence that names each ranking


def best_variants(subject: ChartSubject) -> str:
    """Say which safe variant wins each setting, and at what speed; of many settings see `answer`."""
    rankings = rankings_of(subject)
    if subject.is_of_kernels:
        return answer(subject)
    title = _by_setting(subject, rankings.all) if 0 < len(rankings.all) <= _MOST_RANKINGS else ""
    return f"{title}{libraries(rankings)}" if 0 < len(title) <= _LONGEST else answer(subject)


def _by_setting(subject: ChartSubject, rankings: Sequence[Ranking]) -> str:
    """Say who wins or ties, setting by setting; settings of the same outcome are named together."""
    clauses = [
        f"{verb} {_ratios(subject, alike, named=len(alike) < len(rankings))}"
        for verb, alike in group_by(rankings, lambda ranking: _verb(subject, ranking)).items()
    ]
    return f"{subject.pattern}: {'; '.join(clauses)}".rstrip()


def _verb(subject: ChartSubject, ranking: Ranking) -> str:
    """Return who leads, and what its speed is compared with: `shfl runs at`, `smem and shfl tie`."""
    names = join(ranking.variants)
    if subject.baseline in ranking.variants or ranking.fastest.speedup is None:
        return f"{names} tie" if ranking.is_tie else f"{names} is the fastest safe variant"
    return f"{names} tie at" if ranking.is_tie else f"{names} runs at"


def _ratios(subject: ChartSubject, rankings: Sequence[Ranking], *, named: bool) -> str:
    """Return what follows the verb: the ratios, and the places of each if they are several."""
    fastest = [ranking.fastest for ranking in rankings]
    if not _verb(subject, rankings[0]).endswith(" at"):
        return f"({_places(subject, fastest)})" if named else ""
    by_ratio = group_by(fastest, lambda row: times(row.speedup or 0.0))
    if len(by_ratio) == 1 and not named:
        return f"{times(fastest[0].speedup or 0.0)} the speed of {subject.baseline}"
    ratios = join([f"{ratio} ({_places(subject, rows)})" for ratio, rows in by_ratio.items()])
    return f"{ratios} the speed of {subject.baseline}"


def next_mechanism(subject: ChartSubject) -> str:
    """Give the lead of the fastest variants over the best safe one of another mechanism; empty where they only tie."""
    leads, rivals, baselines = [], [], []
    for ranking in rankings_of(subject).all:
        rival = ranking.next_mechanism
        if rival not in ranking.others:
            continue
        if rival.variant == rival.baseline:  # the title gives the lead over the baseline
            baselines.append(rival.variant)
            continue
        leads.append(time_us(rival) / time_us(ranking.fastest))
        rivals.append(rival.variant)
    if not leads:
        return ""
    lead, names = times_range(leads), join(_unique(rivals))
    if baselines:
        return f"Where the next safe mechanism is not {baselines[0]}, the fastest runs at {lead} its speed ({names})."
    return f"The fastest runs at {lead} the speed of the next safe mechanism ({names})."


def note_uncounted(subject: ChartSubject) -> list[str]:
    """Return a note on the settings that have one safe variant, where others have more."""
    alone = [rows for rows in subject.groups if sum(map(competes, rows)) == 1]
    if not alone or not rankings_of(subject).all:
        return []
    if len(alone) == 1:
        return ["1 setting has only one safe variant and is not counted."]
    return [f"{len(alone)} settings have only one safe variant each and are not counted."]


def _places(subject: ChartSubject, rows: Iterable[Row]) -> str:
    return ", ".join(_place(subject, row) for row in rows)


def _place(subject: ChartSubject, row: Row) -> str:
    return subject.distinct_setting(row) or row.dtype


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
