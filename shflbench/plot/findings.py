"""What the rows of one pattern say, in a sentence each: the titles of the charts (pure functions).

Candidates, winners and ties are those of `contest_of`. Settings with only one candidate do not count.
"""

from __future__ import annotations

from collections import Counter
from math import log2
from statistics import mean
from typing import TYPE_CHECKING

from shflbench.analysis.contest import NO_CHOICE, competes, contest_of, time_us, times, times_range
from shflbench.analysis.settings import BLOCK, GRID, one_pass
from shflbench.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.analysis.contest import Contest
    from shflbench.plot.subject import ChartSubject
    from shflbench.store import Row

_MOST_CONTESTS = 3  # up to which each is named; more are counted
_LONGEST = 110  # characters of a sentence that names each contest
_MOST_WINNERS = 3  # variants named in a sentence


def best_variants(subject: ChartSubject) -> str:
    """Say which safe variant wins each setting, and at what speed; of many settings how often each wins."""
    contests = _contests(subject)
    title = _by_setting(subject, contests) if 0 < len(contests) <= _MOST_CONTESTS else ""
    return title if 0 < len(title) <= _LONGEST else winners(subject)


def _by_setting(subject: ChartSubject, contests: Sequence[Contest]) -> str:
    """Say who wins or ties, setting by setting; settings of the same outcome are named together."""
    clauses = [
        f"{verb} {_ratios(subject, alike, named=len(alike) < len(contests))}"
        for verb, alike in group_by(contests, lambda contest: _verb(subject, contest)).items()
    ]
    return f"{subject.pattern}: {'; '.join(clauses)}".rstrip()


def _verb(subject: ChartSubject, contest: Contest) -> str:
    """Return who leads, and what its speed is compared with: `shfl runs at`, `smem and shfl tie`."""
    names = _join(contest.variants)
    if subject.baseline in contest.variants or contest.fastest.speedup is None:
        return f"{names} tie" if contest.is_tie else f"{names} is the fastest safe variant"
    return f"{names} tie at" if contest.is_tie else f"{names} runs at"


def _ratios(subject: ChartSubject, contests: Sequence[Contest], *, named: bool) -> str:
    """Return what follows the verb: the ratios, and the places of each if they are several."""
    fastest = [contest.fastest for contest in contests]
    if not _verb(subject, contests[0]).endswith(" at"):
        return f"({_places(subject, fastest)})" if named else ""
    by_ratio = group_by(fastest, lambda row: times(row.speedup or 0.0))
    if len(by_ratio) == 1 and not named:
        return f"{times(fastest[0].speedup or 0.0)} the speed of {subject.baseline}"
    ratios = _join([f"{ratio} ({_places(subject, rows)})" for ratio, rows in by_ratio.items()])
    return f"{ratios} the speed of {subject.baseline}"


def winners(subject: ChartSubject) -> str:
    """Say at how many settings which safe variant wins, how many are ties, and how fast the first winner is."""
    contests = _contests(subject)
    if not contests:
        return f"{subject.pattern}: {_alone(subject)}"
    of_all = f"of {_counted(subject, len(contests))}"
    wins = Counter(contest.fastest.variant for contest in contests if not contest.is_tie)
    if not wins:
        leaders = {contest.variants for contest in contests}
        who = _join(contests[0].variants) if len(leaders) == 1 else "different safe variants"
        return f"{subject.pattern}: {who} tie at {len(contests)} {of_all}"
    (first, count), *others = wins.most_common()
    parts = [f"{first} is the fastest safe variant at {count} {of_all}"]
    parts += [f"{variant} at {number}" for variant, number in others[: _MOST_WINNERS - 1]]
    if rest := sum(number for _, number in others[_MOST_WINNERS - 1 :]):
        parts.append(f"others at {rest}")
    if ties := len(contests) - wins.total():
        parts.append(f"{ties} tie" if ties == 1 else f"{ties} ties")
    return f"{subject.pattern}: {', '.join(parts)}{_span(subject, first)}"


def _counted(subject: ChartSubject, count: int) -> str:
    """Return the number of settings, called by what they differ in."""
    unit = "setting"
    if not any(subject.distinct_factors(row, {GRID, BLOCK}) for row in subject.rows):
        unit = "size" if all(map(one_pass, subject.rows)) else "launch shape"
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _span(subject: ChartSubject, variant: str) -> str:
    """Say between what the variant's speed-ups lie; empty for the baseline."""
    gains = [row.speedup for row in subject.timed if row.variant == variant and row.speedup]
    if not gains or variant == subject.baseline:
        return ""
    return f"; {variant} runs at {times_range(gains)} the speed of {subject.baseline}"


def _alone(subject: ChartSubject) -> str:
    """Say that nothing is compared, because no setting has two safe variants."""
    if not any(row.mechanism for row in subject.rows):
        return f"{len(subject.timed)} cases of another tool" if len(subject.timed) > 1 else "1 case of another tool"
    if subject.pattern in NO_CHOICE:
        return "its variants read different memories, and none can replace another"
    variants = list(dict.fromkeys(row.variant for row in subject.timed if competes(row)))
    if not variants:
        return "no safe variant has a time"
    return f"{_join(variants)}, without a safe variant to compare with"


def next_mechanism(subject: ChartSubject) -> str:
    """Give the lead of the fastest variants over the best safe one of another mechanism; empty where they only tie."""
    leads, rivals, baselines = [], [], []
    for contest in _contests(subject):
        ranked = (*contest.leaders, *contest.others)
        rival = next((row for row in ranked if row.mechanism != ranked[0].mechanism), None)
        if rival not in contest.others:
            continue
        if rival.variant == rival.baseline:  # the title gives the lead over the baseline
            baselines.append(rival.variant)
            continue
        leads.append(time_us(rival) / time_us(ranked[0]))
        rivals.append(rival.variant)
    if not leads:
        return ""
    lead, names = times_range(leads), _join(_unique(rivals))
    if baselines:
        return f"Where the next safe mechanism is not {baselines[0]}, the fastest runs at {lead} its speed ({names})."
    return f"The fastest runs at {lead} the speed of the next safe mechanism ({names})."


def uncounted(subject: ChartSubject) -> list[str]:
    """Return a note on the settings that have one safe variant, where others have more."""
    alone = [rows for rows in subject.groups if sum(map(competes, rows)) == 1]
    if not alone or not _contests(subject):
        return []
    if len(alone) == 1:
        return ["1 setting has only one safe variant and is not counted."]
    return [f"{len(alone)} settings have only one safe variant each and are not counted."]


def speedup_range(subject: ChartSubject) -> str:
    """Say between which launch shapes the speed-up of the best safe variant lies."""
    rows = [row for row in subject.timed if row.speedup and row.variant != row.baseline and competes(row)]
    by_variant = group_by(rows, lambda row: row.variant)
    if not by_variant:
        return f"{subject.pattern}: no safe variant has a speed-up"
    best = max(by_variant, key=lambda variant: mean(_log(row) for row in by_variant[variant]))
    least, most = (choose(by_variant[best], key=_log) for choose in (min, max))
    low, high = times(least.speedup or 0.0), times(most.speedup or 0.0)
    span = f"{low} ({_place(subject, least)}) to {high} ({_place(subject, most)})" if low != high else low
    return f"{subject.pattern}: {best} runs at {span} the speed of {subject.baseline}"


def _contests(subject: ChartSubject) -> list[Contest]:
    return [contest for rows in subject.groups if (contest := contest_of(rows, subject.times)) is not None]


def _places(subject: ChartSubject, rows: Iterable[Row]) -> str:
    return ", ".join(_place(subject, row) for row in rows)


def _place(subject: ChartSubject, row: Row) -> str:
    return subject.distinct_setting(row) or row.dtype


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _join(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _log(row: Row) -> float:
    return log2(row.speedup or 1.0)
