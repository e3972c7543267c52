"""Say of each group of a comparison of kernels which one is fastest, with the interval that decides it.

A run of a user's kernels has few groups, and each ratio is its result. Therefore each sentence gives the joint interval
of each ratio (error of 1% per group), which includes what processes with the same code differ by.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import TIE, Certainty, rankings_of
from shflbench.analysis.summary import sentences
from shflbench.core.words import join_words, percent_of_one

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.ranking import JointTimes, Ranking
    from shflbench.core.model import Interval
    from shflbench.store import Row, Run

DECISIVE_PROCESSES = 5
_TWO_DECIMALS_FROM = 1.1
_SUITES = (".yaml", ".yml")
_MOST_WINNERS = 3  # kernels whose wins are counted by name


def is_of_kernels(run: Run) -> bool:
    """Whether a run compares the kernels of a user's file, and not the variants of the patterns of a suite."""
    return run.info.converted is None and not run.info.suite.path.endswith(_SUITES)


def run_sentences(run: Run, rows: Sequence[Row], times: JointTimes | None) -> list[str]:
    """Return the sentences on rows of a run: those of this module on kernels of a user's file, else of `summary`."""
    if is_of_kernels(run):
        return kernel_sentences(rows, times)
    return sentences(rows, times)


def kernel_sentences(rows: Iterable[Row], times: JointTimes | None) -> list[str]:
    """Return a sentence for each group with at least two timed kernels, in file order."""
    return [_sentence(ranking) for ranking in rankings_of(rows, times)]


def all_decided(rows: Iterable[Row], times: JointTimes | None) -> bool:
    """Whether the fastest kernel of each group is shown to be faster than all others."""
    rankings = rankings_of(rows, times)
    return bool(rankings) and not any(ranking.is_tie for ranking in rankings)


def outcome(ranking: Ranking, *, advises: bool = True) -> str:
    """Return which kernel of a group is fastest; where that is not shown, also what would show it, if it `advises`."""
    return "; ".join(_clauses(ranking, advises=advises))


def outcome_counts(rankings: Sequence[Ranking], unit: str) -> str:
    """Return in how many groups which kernel is fastest, and in how many it is not shown; `unit` is their plural."""
    wins = Counter(ranking.fastest.variant for ranking in rankings if ranking.certainty is Certainty.CLEAR)
    named = wins.most_common(_MOST_WINNERS)
    parts = [f"{variant} is the fastest at {count}" for variant, count in named]
    if rest := wins.total() - sum(count for _, count in named):
        parts.append(f"others are at {rest}")
    if even := sum(ranking.certainty is Certainty.TIE for ranking in rankings):
        parts.append(f"the fastest kernels differ by less than {percent_of_one(TIE)} at {even}")
    if unknown := sum(ranking.certainty is Certainty.UNDECIDED for ranking in rankings):
        parts.append(f"which is the fastest is not shown at {unknown}")
    return f"of {len(rankings)} {unit}, {join_words(parts)}"


def _sentence(ranking: Ranking) -> str:
    best = ranking.fastest
    title = ", ".join((best.pattern, best.dtype, *best.option_texts, best.launch))
    return f"{title}: {outcome(ranking)}"


def _clauses(ranking: Ranking, *, advises: bool) -> Iterator[str]:
    best, rest = ranking.fastest, ranking.candidates[1:]
    slower = [row for row in rest if ranking.is_slower(row, best)]
    equal = [row for row in rest if ranking.slowdown(row, best).high <= 1 + TIE]
    unknown = [row for row in rest if row not in slower and row not in equal]
    if slower:
        speeds = [
            f"{_ratio(ranking.slowdown(row, best))} {'that' if number else 'the speed'} of {row.variant}"
            for number, row in enumerate(slower)
        ]
        yield f"{best.variant} runs at {join_words(speeds)}"
    if equal:
        names = join_words([f"{row.variant}, {_ratio(ranking.slowdown(row, best))}" for row in equal])
        yield f"{best.variant} is as fast as {names}, within {percent_of_one(TIE)}"
    if unknown:
        names = join_words([f"{row.variant}, {_ratio(ranking.slowdown(row, best))}" for row in unknown])
        processes = min(len(row.processes) for row in ranking.candidates)
        is_advised = advises and processes < DECISIVE_PROCESSES
        more = f"; --processes {DECISIVE_PROCESSES} narrows the interval" if is_advised else ""
        yield f"{best.variant} is not shown to be faster than {names}, by more than {percent_of_one(TIE)}{more}"


def _ratio(over: Interval) -> str:
    """Return a ratio of speeds with its interval: `1.16× (1.14× to 1.18×)`."""
    digits = 2 if over.value >= _TWO_DECIMALS_FROM else 3
    return f"{over.value:.{digits}f}× ({over.low:.{digits}f}× to {over.high:.{digits}f}×)"
