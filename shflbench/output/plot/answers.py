"""The answer of a chart of many settings, in one sentence: which variant wins where, or why that hardly matters.

The first form that is true of the chart is taken. `contest_of` decides who wins or ties a setting. Library calls win
nothing; a clause of their own names those that are faster, or else those that tie. Of a user's kernels, whose intervals
are wider, charts say what `analysis.kernel_sentences` says.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from shflbench.analysis.contest import NO_CHOICE, competes, times, times_range
from shflbench.analysis.kernel_sentences import outcome, outcome_counts
from shflbench.analysis.settings import GRID, words
from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.core.palette import NAMES
from shflbench.core.words import all_of, count_noun
from shflbench.output.plot.chart_words import join, value_words
from shflbench.output.plot.contests import contests_of, libraries
from shflbench.output.plot.quantity import BANDWIDTH, quantity_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.analysis.contest import Contest
    from shflbench.output.plot.contests import Contests
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
    contests = contests_of(subject, factor, drawn)
    if not contests.all:
        return f"{subject.pattern}: {_alone(contests)}"
    if subject.is_of_kernels and (claim := _of_kernels(contests)):
        return f"{subject.pattern}: {claim}"
    forms = (_alike, _one_tie, _mostly, _close, _by_factor, _with_exceptions, _everywhere, _behind, _by_mechanism)
    claim = next((claim for form in forms if (claim := form(contests))), "") or _counts(contests)
    return f"{subject.pattern}: {claim}{libraries(contests)}"


def _of_kernels(contests: Contests) -> str:
    """Say of a user's kernels what all commands say; empty if one is shown to be the fastest at each setting."""
    if len(contests.all) == 1:
        sentence = outcome(contests.all[0], advises=False)
        return sentence if len(sentence) <= _LONGEST else outcome_counts(contests.all, contests.unit)
    return outcome_counts(contests.all, contests.unit) if contests.ties else ""


def _alike(contests: Contests) -> str:
    """Say that no variant is far from the fastest at any setting, and how far the bandwidth falls."""
    most = max(lag for lags in contests.lags.values() for lag, _ in lags)
    if most > _ALIKE:
        return ""
    names = sorted(contests.lags)
    who = join(names) if len(names) <= _MOST_NAMES else all_of(len(names), "safe variants")
    return f"{who} differ by at most {_percent(most)} at {contests.everywhere}{_range(contests)}"


def _range(contests: Contests) -> str:
    """Say from where to where the bandwidth falls, if it does."""
    rows = [row for row in contests.subject.timed if competes(row)]
    if quantity_of(contests.subject) is not BANDWIDTH:
        return ""
    ends = [choose(rows, key=BANDWIDTH.value) for choose in (max, min)]
    if BANDWIDTH.value(ends[0]) < _FAR * BANDWIDTH.value(ends[1]):
        return ""
    high, low = (f"{value_words(BANDWIDTH.value(row))} GB/s ({contests.place(row)})" for row in ends)
    return f"; bandwidth falls from {high} to {low}"


def _one_tie(contests: Contests) -> str:
    """Say that the same variants tie everywhere."""
    if contests.wins or len({contest.variants for contest in contests.all}) > 1:
        return ""
    names = contests.all[0].variants
    return f"{join(names)} tie at {contests.everywhere}{_speeds(contests, names)}"


def _mostly(contests: Contests) -> str:
    """Say that one variant is the fastest at most settings, and ties at the others."""
    return _everywhere(contests) if contests.ties <= contests.wins.total() else ""


def _everywhere(contests: Contests) -> str:
    """Say that one variant is the fastest, or ties, at every setting."""
    first, count = next(iter(contests.leads.items()))
    if count < len(contests.all) or not contests.wins[first]:
        return ""
    ties = len(contests.all) - contests.wins[first]
    others = f"the other{f' {ties}' if ties > 1 else ''}"
    where = f"{contests.wins[first]} of {contests.counted} and ties at {others}" if ties else contests.everywhere
    return f"{first} is the fastest safe variant at {where}{_speeds(contests, (first,))}"


def _close(contests: Contests) -> str:
    """Say which variant falls behind, where it hardly matters which one is the fastest."""
    hardly_matters = contests.ties > contests.wins.total() or contests.safest[1] <= _EQUAL
    return _behind(contests) if hardly_matters else ""


def _behind(contests: Contests) -> str:
    """Say which variant falls behind, the baseline if it does, and which is never far from the fastest."""
    name, lag = contests.safest
    by_variant = {other: max(lags, key=lambda pair: pair[0]) for other, lags in contests.lags.items()}
    slowest = max(by_variant, key=lambda other: by_variant[other][0])
    baseline = contests.subject.baseline or slowest
    worst, row = by_variant[baseline if by_variant.get(baseline, (0.0,))[0] >= _FAR else slowest]
    if lag > _ALIKE or worst < _FAR:
        return ""
    near = f"{name} is {f'within {_percent(lag)} of ' if lag > 1 else ''}the fastest at {contests.everywhere}"
    if quantity_of(contests.subject) is BANDWIDTH:
        slow, fast = (value_words(value) for value in (BANDWIDTH.value(row), BANDWIDTH.value(row) * worst))
        return (
            f"{row.variant} reaches only {slow} GB/s where the fastest reaches {fast} ({contests.place(row)}); {near}"
        )
    return f"{row.variant} takes up to {times(worst)} the time of the fastest ({contests.place(row)}); {near}"


def _by_factor(contests: Contests) -> str:
    """Say that one factor decides which variant is the fastest, or ties."""
    names = dict.fromkeys(name for contest in contests.all for name in contests.factors(contest.fastest))
    choices = [ranges for name in names if (ranges := list(_ranges(contests, name)))]
    if not choices:
        return ""
    ranges = min(choices, key=len)
    by_winner = group_by(ranges, lambda winner_and_range: winner_and_range[0])
    if len(by_winner) > _MOST_WINNERS or len(ranges) > _MOST_RANGES:
        return ""
    parts = [f"{winner} at {_words([part for _, part in some])}" for winner, some in by_winner.items()]
    return f"the fastest safe variant is {', '.join(parts)}{' (fastest or tied)' if contests.ties else ''}"


def _ranges(contests: Contests, name: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each range of a factor, as its name and its values in words, after the variant that leads all over it."""
    is_size = name == GRID and contests.axis is not None and contests.axis.factor == GRID != contests.axis.name
    by_value = group_by(
        contests.all, lambda contest: _size(contests, contest) if is_size else _value(contests, contest, name)
    )
    common = {value: set.intersection(*(set(one.variants) for one in some)) for value, some in by_value.items()}
    if "" in common or not all(common.values()):
        return
    is_number = all(value.isdecimal() for value in by_value)
    values, rank = list(by_value), list(contests.leads)
    if name == GRID:
        values.sort(key=lambda value: _place(contests, by_value[value][0]))
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


def _value(contests: Contests, contest: Contest, name: str) -> str:
    return contests.factors(contest.fastest).get(name, "")


def _place(contests: Contests, contest: Contest) -> float:
    """Return the place of a setting on an axis of blocks or sizes; the number of its blocks if there is none."""
    place = contests.axis.place(contest.fastest) if contests.axis and contests.axis.factor == GRID else None
    return place if place is not None else contest.fastest.grid or 0


def _size(contests: Contests, contest: Contest) -> str:
    """Return the size of a setting: `512 MiB`."""
    return contests.axis.label(_place(contests, contest)) if contests.axis else ""


def _words(ranges: Sequence[tuple[str, str]]) -> str:
    """Return ranges of one factor in words: `words=2 and 4 to 32`, `sms blocks`, `64 MiB`."""
    name, listed = ranges[0][0], join([values for _, values in ranges])
    return words({name: listed}) if name else listed


def _with_exceptions(contests: Contests) -> str:
    """Say that one variant is the fastest, or ties, but at a setting or two."""
    first, count = next(iter(contests.leads.items()))
    exceptions = [contest for contest in contests.all if first not in contest.variants]
    if not contests.wins[first] or len(exceptions) > _MOST_EXCEPTIONS or count <= _MOST_EXCEPTIONS:
        return ""
    others = [
        f"{join(names)}{' tie' if len(names) > 1 else ''} at {join([contests.place(one.fastest) for one in some])}"
        for names, some in group_by(exceptions, lambda contest: contest.variants).items()
    ]
    tied = " or ties" if contests.wins[first] < count else ""
    return f"{first} is the fastest safe variant{tied} at {count} of {contests.counted}, {join(others)}"


def _by_mechanism(contests: Contests) -> str:
    """Say at how many settings each mechanism is the fastest, where variants of one mechanism win in turn."""
    of_contests = [{Mechanism(row.mechanism) for row in contest.leaders} for contest in contests.all]
    counts = Counter(mechanism for (mechanism, *others) in of_contests if not others)
    if len(counts) >= len(contests.wins):
        return ""
    (first, count), *others = counts.most_common()
    if count == len(contests.all):
        return f"the fastest safe mechanism is {NAMES[first]} at {contests.everywhere} ({_winners(contests)})"
    parts = [f"{NAMES[first]} at {count} of {contests.counted}"]
    parts += [f"{NAMES[mechanism]} at {number}" for mechanism, number in others]
    return f"the fastest safe mechanism is {', '.join(parts)}{_ties(len(contests.all) - counts.total())}"


def _winners(contests: Contests) -> str:
    return ", ".join(f"{variant} at {number}" for variant, number in contests.wins.most_common(_MOST_WINNERS))


def _counts(contests: Contests) -> str:
    """Say at how many settings which safe variant wins, and how many are ties."""
    if not contests.wins:
        return f"different safe variants tie at {contests.everywhere}"
    (first, count), *others = contests.wins.most_common()
    parts = [f"{first} is the fastest safe variant at {count} of {contests.counted}"]
    parts += [f"{variant} at {number}" for variant, number in others[: _MOST_WINNERS - 1]]
    if rest := sum(number for _, number in others[_MOST_WINNERS - 1 :]):
        parts.append(f"others at {rest}")
    return ", ".join(parts) + _ties(contests.ties)


def _ties(number: int) -> str:
    return f", {count_noun(number, 'tie')}" if number else ""


def _speeds(contests: Contests, variants: Collection[str]) -> str:
    """Say between what the speed-ups of the variants lie; empty if the baseline is one of them."""
    baseline = contests.subject.baseline
    gains = [row.speedup for row in contests.subject.timed if row.variant in variants and row.speedup]
    return f", at {times_range(gains)} the speed of {baseline}" if gains and baseline not in variants else ""


def _alone(contests: Contests) -> str:
    """Say that nothing is compared, because no setting has two safe variants."""
    subject = contests.subject
    if not any(row.mechanism for row in subject.rows):
        return f"{len(subject.timed)} cases of another tool" if len(subject.timed) > 1 else "1 case of another tool"
    variants = list(dict.fromkeys(row.variant for row in subject.timed if competes(row)))
    if subject.pattern in NO_CHOICE:
        return f"{join(variants)}, which read different memories{_range(contests)}"
    if not variants:
        return "no safe variant has a time"
    return f"{join(variants)}, without a safe variant to compare with{_range(contests)}"


def _percent(ratio: float) -> str:
    """Return by how many percent a ratio exceeds 1, rounded up."""
    return f"{max(1, ceil(100 * (ratio - 1) - _ROUNDING))}%"
