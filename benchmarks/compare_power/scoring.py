"""Score a rule on recorded batches: how often it is wrong on unchanged code, and which true slowdowns it finds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from benchmarks.compare_power.draws import Drawn, between, true_slowdowns, within
from benchmarks.compare_power.evidence import fixed
from benchmarks.compare_power.requirements import SLOWDOWNS, Slowdown
from benchmarks.compare_power.suite import PERCENT_MORE
from benchmarks.compare_power.tally import KINDS, Share, added, alarmed, kind, process_jackknife, undecided
from shflbench.analysis.compare.comparison import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from benchmarks.compare_power.batch import Batch
    from shflbench.analysis.compare.estimates import Process

    # The outcome of each case with the processes of base and of new, which have so many percent more iterations.
    Judge = Callable[[Batch, int, Sequence[Process], Sequence[Process]], Mapping[str, Outcome]]
    Cell = tuple[Slowdown, str]  # the range of the true slowdowns, and the kind of the cases


LEAST_ERROR = 1e-6  # of a share; below it is the rounding of floating-point numbers


@dataclass(frozen=True, slots=True)
class ScoredRule:
    """A rule, and how often it is tried."""

    name: str
    processes: int  # per side
    judge: Judge
    unchanged: int  # comparisons of unchanged code per batch
    slowed: int  # comparisons per batch and number of additional iterations

    def scaled(self, factor: float) -> ScoredRule:
        """Return the rule, tried so many times as often, at least once."""
        return replace(
            self, unchanged=max(1, round(self.unchanged * factor)), slowed=max(1, round(self.slowed * factor))
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share with its standard error, from the same share without each process in turn."""

    share: Share
    error: float  # NaN if it cannot be calculated

    def __str__(self) -> str:
        """Return both in percent; the share alone if resampling has no error, as where it is 0 or 1."""
        if not math.isfinite(self.error) or self.error < LEAST_ERROR:
            return str(self.share)
        return f"{self.share} ± {float(f'{100 * self.error:.2g}'):g}%"


@dataclass(frozen=True, slots=True)
class BatchScore:
    """The results of a rule on one batch."""

    batch: str
    suites: Estimate  # comparisons of unchanged code with a case called slower or faster
    cases: Share  # unchanged cases called slower or faster
    open: Mapping[str, Share]  # unchanged cases called neither slower, nor faster, nor the same, by kind
    slower: Mapping[Cell, Estimate]  # slowed cases called slower
    faster: Share  # slowed cases called faster


def score(rule: ScoredRule, batch: Batch) -> BatchScore:
    """Apply a rule to comparisons of a batch, which are the same for every rule with as many processes."""
    pairs = within(batch.processes(0), rule.processes, rule.unchanged, fixed())  # a few more, to the end of a shuffle
    unchanged = [_drawn(rule, batch, 0, *sides) for sides in islice(pairs, rule.unchanged)]
    slowed = dict(_slowed(rule, batch))
    true = {percent: true_slowdowns(batch.pool(), batch.pool(percent)) for percent in slowed}
    return BatchScore(
        batch.name,
        Estimate(alarmed(unchanged), process_jackknife([(each.processes, alarmed([each])) for each in unchanged])),
        added(Share(len(drawn.alarms), len(drawn.outcomes)) for drawn in unchanged),
        undecided(unchanged, batch.times_us),
        {(slowdown, each): _found(slowed, true, batch, slowdown, each) for slowdown in SLOWDOWNS for each in KINDS},
        added(_called(drawn, drawn.outcomes, Outcome.FASTER) for draws in slowed.values() for drawn in draws),
    )


def _slowed(rule: ScoredRule, batch: Batch) -> Iterator[tuple[int, list[Drawn]]]:
    """Yield each number of additional iterations with its comparisons."""
    for percent in PERCENT_MORE:
        new = batch.processes(percent)
        if len(new) >= rule.processes:
            sides = between(batch.processes(0), new, rule.processes, rule.slowed, fixed(percent))
            yield percent, [_drawn(rule, batch, percent, *pair) for pair in sides]


def _drawn(rule: ScoredRule, batch: Batch, percent: int, base: Sequence[Process], new: Sequence[Process]) -> Drawn:
    return Drawn(frozenset((*base, *new)), rule.judge(batch, percent, base, new))


def _found(
    slowed: Mapping[int, Sequence[Drawn]],
    true: Mapping[int, Mapping[str, float]],
    batch: Batch,
    slowdown: Slowdown,
    wanted: str,
) -> Estimate:
    """Return how many of the cases of a kind whose true slowdown is in a range are called slower."""
    parts = []
    for percent, draws in slowed.items():
        chosen = [
            case
            for case, truth in true[percent].items()
            if slowdown.low <= truth < slowdown.high and kind(case, batch.times_us[case]) == wanted
        ]
        parts += [(drawn.processes, _called(drawn, chosen, Outcome.SLOWER)) for drawn in draws]
    return Estimate(added(share for _, share in parts), process_jackknife(parts))


def _called(drawn: Drawn, cases: Iterable[str], outcome: Outcome) -> Share:
    """Return how many of the cases have an outcome; a refused comparison has none."""
    called = [drawn.outcomes.get(case) is outcome for case in cases]
    return Share(sum(called), len(called))


def pooled_estimate(estimates: Iterable[Estimate]) -> Estimate:
    """Return the share of all batches together; batches have no process in common."""
    several = [each for each in estimates if each.share.of]
    total = added(each.share for each in several)
    squares = math.fsum((each.error * each.share.of) ** 2 for each in several)
    return Estimate(total, math.sqrt(squares) / total.of if total.of else math.nan)
