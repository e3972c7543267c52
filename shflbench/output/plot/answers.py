"""The answer of a chart of many settings, in one sentence: which variant wins where, or why that hardly matters.

The first form that is true of the chart is taken. `ranking_of` decides who wins or ties a setting. Library calls win
nothing; a clause of their own names those that are faster, or else those that tie. Of a user's kernels, whose intervals
are wider, charts say what `analysis.kernel_sentences` says.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from shflbench.analysis.kernel_sentences import outcome, outcome_counts
from shflbench.analysis.ranking import NO_CHOICE, competes, times, times_range
from shflbench.analysis.settings import GRID, words
from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.core.palette import NAMES
from shflbench.core.words import all_of, count_noun
from shflbench.output.plot.chart_words import join, value_words
from shflbench.output.plot.quantity import BANDWIDTH, quantity_of
from shflbench.output.plot.rankings import libraries, rankings_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.analysis.ranking import Ranking
    from shflbench.output.plot.rankings import Rankings
    from shflbench.output.plot.subject import ChartSubject

_ALIKE = 1.10  # of variants that lie this close everywhere, the order is not the message
_EQUAL = 1.03  # a variant that lies this close to the fastest everywhere can be chosen without a look at the setting
_FAR = 1.5  # from this factor on, a variant that falls behind is the message
_MOST_NAMES = 4  # variants named in a list
_MOST_WINNERS = 3  # variants whose wins are named
_MOST_RANGES = 4  # ranges of a factor that are named
_MOST_EXCEPTIONS = 2  # settings that are named as exceptions
_LONGEST = 220  # characters of the sentence on one group of a user's kernels, which names each of them
_ROUNDING = 1e-9  # what binary fractions may add to a percentage


def answer(subject: ChartSubject, factor: str = "", drawn: Collection[str] = ()) -> str:
    """Return the sentence of a chart of several settings, drawn along `factor` if it is a sweep."""
    rankings = rankings_of(subject, factor, drawn)
    if not rankings.all:
        return f"{subject.pattern}: {_alone(rankings)}"
    if subject.is_of_kernels and (claim := _of_kernels(rankings)):
        return f"{subject.pattern}: {claim}"
    forms = (_alike, _one_tie, _mostly, _close, _by_factor, _with_exceptions, _everywhere, _behind, _by_mechanism)
    claim = next((claim for form in forms if (claim := form(rankings))), "") or _counts(rankings)
    return f"{subject.pattern}: {claim}{libraries(rankings)}"


def _of_kernels(rankings: Rankings) -> str:
    """Say of a user's kernels what all commands say; empty if one is shown to be the fastest at each setting."""
    if len(rankings.all) == 1:
        sentence = outcome(rankings.all[0], advises=False)
        return sentence if len(sentence) <= _LONGEST else outcome_counts(rankings.all, rankings.unit)
    return outcome_counts(rankings.all, rankings.unit) if rankings.ties else ""


def _alike(rankings: Rankings) -> str:
    """Say that no variant is far from the fastest at any setting, and how far the bandwidth falls."""
    most = max(lag for lags in rankings.lags.values() for lag, _ in lags)
    if most > _ALIKE:
        return ""
    names = sorted(rankings.lags)
    who = join(names) if len(names) <= _MOST_NAMES else all_of(len(names), "safe variants")
    return f"{who} differ by at most {_percent(most)} at {rankings.everywhere}{_range(rankings)}"


def _range(rankings: Rankings) -> str:
    """Say from where to where the bandwidth falls, if it does."""
    rows = [row for row in rankings.subject.timed if competes(row)]
    if quantity_of(rankings.subject) is not BANDWIDTH:
        return ""
    ends = [choose(rows, key=BANDWIDTH.value) for choose in (max, min)]
    if BANDWIDTH.value(ends[0]) < _FAR * BANDWIDTH.value(ends[1]):
        return ""
    high, low = (f"{value_words(BANDWIDTH.value(row))} GB/s ({rankings.place(row)})" for row in ends)
    return f"; bandwidth falls from {high} to {low}"


def _one_tie(rankings: Rankings) -> str:
    """Say that the same variants tie everywhere."""
    if rankings.wins or len({ranking.variants for ranking in rankings.all}) > 1:
        return ""
    names = rankings.all[0].variants
    return f"{join(names)} tie at {rankings.everywhere}{_speeds(rankings, names)}"


def _mostly(rankings: Rankings) -> str:
    """Say that one variant is the fastest at most settings, and ties at the others."""
    return _everywhere(rankings) if rankings.ties <= rankings.wins.total() else ""


def _everywhere(rankings: Rankings) -> str:
    """Say that one variant is the fastest, or ties, at every setting."""
    first, count = next(iter(rankings.leads.items()))
    if count < len(rankings.all) or not rankings.wins[first]:
        return ""
    ties = len(rankings.all) - rankings.wins[first]
    others = f"the other{f' {ties}' if ties > 1 else ''}"
    where = f"{rankings.wins[first]} of {rankings.counted} and ties at {others}" if ties else rankings.everywhere
    return f"{first} is the fastest safe variant at {where}{_speeds(rankings, (first,))}"


def _close(rankings: Rankings) -> str:
    """Say which variant falls behind, where it hardly matters which one is the fastest."""
    hardly_matters = rankings.ties > rankings.wins.total() or rankings.safest[1] <= _EQUAL
    return _behind(rankings) if hardly_matters else ""


def _behind(rankings: Rankings) -> str:
    """Say which variant falls behind, the baseline if it does, and which is never far from the fastest."""
    name, lag = rankings.safest
    by_variant = {other: max(lags, key=lambda pair: pair[0]) for other, lags in rankings.lags.items()}
    slowest = max(by_variant, key=lambda other: by_variant[other][0])
    baseline = rankings.subject.baseline or slowest
    worst, row = by_variant[baseline if by_variant.get(baseline, (0.0,))[0] >= _FAR else slowest]
    if lag > _ALIKE or worst < _FAR:
        return ""
    near = f"{name} is {f'within {_percent(lag)} of ' if lag > 1 else ''}the fastest at {rankings.everywhere}"
    if quantity_of(rankings.subject) is BANDWIDTH:
        slow, fast = (value_words(value) for value in (BANDWIDTH.value(row), BANDWIDTH.value(row) * worst))
        return (
            f"{row.variant} reaches only {slow} GB/s where the fastest reaches {fast} ({rankings.place(row)}); {near}"
        )
    return f"{row.variant} takes up to {times(worst)} the time of the fastest ({rankings.place(row)}); {near}"


def _by_factor(rankings: Rankings) -> str:
    """Say that one factor decides which variant is the fastest, or ties."""
    names = dict.fromkeys(name for ranking in rankings.all for name in rankings.factors(ranking.fastest))
    choices = [ranges for name in names if (ranges := list(_ranges(rankings, name)))]
    if not choices:
        return ""
    ranges = min(choices, key=len)
    by_winner = group_by(ranges, lambda winner_and_range: winner_and_range[0])
    if len(by_winner) > _MOST_WINNERS or len(ranges) > _MOST_RANGES:
        return ""
    parts = [f"{winner} at {_words([part for _, part in some])}" for winner, some in by_winner.items()]
    return f"the fastest safe variant is {', '.join(parts)}{' (fastest or tied)' if rankings.ties else ''}"


def _ranges(rankings: Rankings, name: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each range of a factor, as its name and its values in words, after the variant that leads all over it."""
    is_size = name == GRID and rankings.axis is not None and rankings.axis.factor == GRID != rankings.axis.name
    by_value = group_by(
        rankings.all, lambda ranking: _size(rankings, ranking) if is_size else _value(rankings, ranking, name)
    )
    common = {value: set.intersection(*(set(one.variants) for one in some)) for value, some in by_value.items()}
    if "" in common or not all(common.values()):
        return
    is_number = all(value.isdecimal() for value in by_value)
    values, rank = list(by_value), list(rankings.leads)
    if name == GRID:
        values.sort(key=lambda value: _place(rankings, by_value[value][0]))
    elif is_number:
        values.sort(key=int)
    ranges: list[tuple[str, list[str]]] = []
    for value in values:
        winner = min(common[value], key=rank.index)
        if ranges and ranges[-1][0] == winner:
            ranges[-1][1].append(value)
        else:
            ranges.append((winner, [value]))
    for winner, some in ranges:
        listed = f"{some[0]} to {some[-1]}" if (name == GRID or is_number) and len(some) > 1 else join(some)
        yield winner, ("" if is_size else name, listed)


def _value(rankings: Rankings, ranking: Ranking, name: str) -> str:
    return rankings.factors(ranking.fastest).get(name, "")


def _place(rankings: Rankings, ranking: Ranking) -> float:
    """Return the place of a setting on an axis of blocks or sizes; the number of its blocks if there is none."""
    place = rankings.axis.place(ranking.fastest) if rankings.axis and rankings.axis.factor == GRID else None
    return place if place is not None else ranking.fastest.grid or 0


def _size(rankings: Rankings, ranking: Ranking) -> str:
    """Return the size of a setting: `512 MiB`."""
    return rankings.axis.label(_place(rankings, ranking)) if rankings.axis else ""


def _words(ranges: Sequence[tuple[str, str]]) -> str:
    """Return ranges of one factor in words: `words=2 and 4 to 32`, `sms blocks`, `64 MiB`."""
    name, listed = ranges[0][0], join([values for _, values in ranges])
    return words({name: listed}) if name else listed


def _with_exceptions(rankings: Rankings) -> str:
    """Say that one variant is the fastest, or ties, but at a setting or two."""
    first, count = next(iter(rankings.leads.items()))
    exceptions = [ranking for ranking in rankings.all if first not in ranking.variants]
    if not rankings.wins[first] or len(exceptions) > _MOST_EXCEPTIONS or count <= _MOST_EXCEPTIONS:
        return ""
    others = [
        f"{join(names)}{' tie' if len(names) > 1 else ''} at {join([rankings.place(one.fastest) for one in some])}"
        for names, some in group_by(exceptions, lambda ranking: ranking.variants).items()
    ]
    tied = " or ties" if rankings.wins[first] < count else ""
    return f"{first} is the fastest safe variant{tied} at {count} of {rankings.counted}, {join(others)}"


def _by_mechanism(rankings: Rankings) -> str:
    """Say at how many settings each mechanism is the fastest, where variants of one mechanism win in turn."""
    of_rankings = [{Mechanism(row.mechanism) for row in ranking.leaders} for ranking in rankings.all]
    counts = Counter(mechanism for (mechanism, *others) in of_rankings if not others)
    if len(counts) >= len(rankings.wins):
        return ""
    (first, count), *others = counts.most_common()
    if count == len(rankings.all):
        return f"the fastest safe mechanism is {NAMES[first]} at {rankings.everywhere} ({_winners(rankings)})"
    parts = [f"{NAMES[first]} at {count} of {rankings.counted}"]
    parts += [f"{NAMES[mechanism]} at {number}" for mechanism, number in others]
    return f"the fastest safe mechanism is {', '.join(parts)}{_ties(len(rankings.all) - counts.total())}"


def _winners(rankings: Rankings) -> str:
    return ", ".join(f"{variant} at {number}" for variant, number in rankings.wins.most_common(_MOST_WINNERS))


def _counts(rankings: Rankings) -> str:
    """Say at how many settings which safe variant wins, and how many are ties."""
    if not rankings.wins:
        return f"different safe variants tie at {rankings.everywhere}"
    (first, count), *others = rankings.wins.most_common()
    parts = [f"{first} is the fastest safe variant at {count} of {rankings.counted}"]
    parts += [f"{variant} at {number}" for variant, number in others[: _MOST_WINNERS - 1]]
    if rest := sum(number for _, number in others[_MOST_WINNERS - 1 :]):
        parts.append(f"others at {rest}")
    return ", ".join(parts) + _ties(rankings.ties)


def _ties(number: int) -> str:
    return f", {count_noun(number, 'tie')}" if number else ""


def _speeds(rankings: Rankings, variants: Collection[str]) -> str:
    """Say between what the speed-ups of the variants lie; empty if the baseline is one of them."""
    baseline = rankings.subject.baseline
    gains = [row.speedup for row in rankings.subject.timed if row.variant in variants and row.speedup]
    return f", at {times_range(gains)} the speed of {baseline}" if gains and baseline not in variants else ""


def _alone(rankings: Rankings) -> str:
    """Say that nothing is compared, because no setting has two safe variants."""
    subject = rankings.subject
    if not any(row.mechanism for row in subject.rows):
        return f"{len(subject.timed)} cases of another tool" if len(subject.timed) > 1 else "1 case of another tool"
    variants = list(dict.fromkeys(row.variant for row in subject.timed if competes(row)))
    if subject.pattern in NO_CHOICE:
        return f"{join(variants)}, which read different memories{_range(rankings)}"
    if not variants:
        return "no safe variant has a time"
    return f"{join(variants)}, without a safe variant to compare with{_range(rankings)}"


def _percent(ratio: float) -> str:
    """Return by how many percent a ratio exceeds 1, rounded up."""
    return f"{max(1, ceil(100 * (ratio - 1) - _ROUNDING))}%"
