"""Score rules on recorded batches: how often each is wrong on unchanged code, which true slowdowns it finds; a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from benchmarks.common.pages import UNKNOWN, table, written_by
from benchmarks.compare_power import tables
from benchmarks.compare_power.batch import Batch
from benchmarks.compare_power.draws import DEFAULT, Drawn, between, true_slowdowns, within
from benchmarks.compare_power.recording import Process
from benchmarks.compare_power.suite import PERCENT_MORE
from benchmarks.compare_power.tally import (
    ALARMED,
    KINDS,
    LONG,
    MIDDLE,
    SLOWDOWNS,
    TWO,
    TWO_MIDDLE,
    UNSTEADY,
    Requirement,
    Share,
    Slowdown,
    added,
    alarmed,
    fixed,
    kind,
    process_jackknife,
    undecided,
)
from shflbench.analysis.compare.comparison import Outcome

# The outcome of each case with the processes of base and of new, which have so many percent more iterations.
Judge = Callable[[Batch, int, Sequence[Process], Sequence[Process]], Mapping[str, Outcome]]
Cell = tuple[Slowdown, str]  # the range of the true slowdowns, and the kind of the cases
Scores = Mapping["ScoredRule", Sequence["BatchScore"]]

LEAST_ERROR = 1e-6  # of a share; below it is the rounding of floating-point numbers
UNSEEN_ALARMED, UNSEEN_MIDDLE = 0.02, 0.95
HEAD = ("rule", "processes per side")
PAGE = """\
# Rules that compare timings, on the same recorded runs

{written} [Score a
comparison rule](../docs/how-to/score-a-comparison-rule.md) describes the recordings, and how to score another program.

{batches}

Versions: {versions}.

The rules get the same processes of these batches, of real measurements on unchanged code, and on code that is truly
slower: the same kernels with 1, 2, 3, 5 and 10% more iterations, all at once. The true slowdown is the ratio of the
times over all processes of a batch. No process is on both sides of a comparison.

- `compare` uses processes, rounds and sentinels, as of run folders; on CSV files only processes and rounds.
- Rules that know no processes get the samples of all processes of a side together. NVBench's scripts read them from
  JSON files with binary samples, as NVBench writes them. NVBench itself takes other samples, each of one launch after
  the L2 cache was flushed.
- The files that NVBench's scripts and `compare` read say that every sample had the same clock, because the recordings
  do not have the clock of each sample, and without clocks both decide less.
- An alarm is a verdict *slower* or *faster* on unchanged code. Open is every other verdict but *same*. Rules without a
  verdict such as "ambiguous" have no open cases: what they do not call is *same*.
- After `±` is the standard error of a share, by the jackknife over processes, which are in several comparisons each.
  It is omitted where it has no meaning, for 0% and 100% and for very few comparisons; few make it too large.

{requirements}
## All batches together

{pooled}

Slower copies that a rule calls slower, by true slowdown. Cases that wait for memory are in no column but the last.

{found}

## Batch by batch

Suites with an alarm / found of {two}, 10–50 µs / found of {two}, ≥ 50 µs.

{batchwise}
"""


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


@dataclass(frozen=True, slots=True)
class RulesReport:
    """The scores of all rules."""

    batches: Sequence[Batch]
    scores: Scores
    versions: Mapping[str, str]
    unseen: str = ""  # name of a batch that nothing was fitted to

    def page(self) -> str:
        """Return the page."""
        requirements = "\n".join(map(str, self.requirements()))
        return PAGE.format(
            written=written_by("compare_power --rules --record FILE"),
            batches=tables.batches(self.batches),
            versions=", ".join(f"{name} {version}" for name, version in self.versions.items()),
            requirements=f"## Requirements of `compare`, {DEFAULT}\n\n{requirements}\n" if requirements else "",
            pooled=pooled_table(self.scores),
            found=found_table(self.scores),
            batchwise=batch_table(self.scores),
            two=TWO,
        )

    def requirements(self) -> Iterator[Requirement]:
        """Yield the requirements for the default mode of `compare`; none if it was not scored."""
        for rule, scores in self.scores.items():
            if rule.name == f"**`compare`, {DEFAULT}**":
                for where, some in self._by_contexts(scores):
                    yield from requirements_of(where, some, (ALARMED, TWO_MIDDLE, 1.0))
                unseen = [each for each in scores if each.batch == self.unseen]
                if unseen:
                    bounds = UNSEEN_ALARMED, UNSEEN_MIDDLE, UNSEEN_MIDDLE
                    yield from requirements_of(f"`{self.unseen}`, recorded last", unseen, bounds)

    def _by_contexts(self, scores: Sequence[BatchScore]) -> Iterator[tuple[str, Sequence[BatchScore]]]:
        """Yield all batches, and those whose processes had the same number of CUDA contexts, each with a name."""
        yield "all batches", scores
        batches = {batch.name: batch.contexts for batch in self.batches}
        counts = sorted(set(batches.values()))
        for count in counts if len(counts) > 1 else ():
            some = [each for each in scores if batches[each.batch] == count]
            yield f"batches with {count} CUDA context{'s' if count > 1 else ''} per process", some


def requirements_of(
    where: str, scores: Sequence[BatchScore], bounds: tuple[float, float, float]
) -> Iterator[Requirement]:
    """Yield the requirements on some batches: the largest share of alarms, the smallest of slowdowns found."""
    most, *leasts = bounds
    suites = pooled_estimate(each.suites for each in scores)
    sentence = f"{where}: {suites} of unchanged suites raise an alarm; required: at most {100 * most:g}%"
    yield Requirement(sentence, suites.share.value <= most)
    for length, least in zip((MIDDLE, LONG), leasts, strict=True):
        found = pooled_estimate(each.slower[TWO, length] for each in scores)
        sentence = f"{where}: {found} of {TWO}, {length}, are found; required: {100 * least:g}%"
        yield Requirement(sentence, found.share.reaches(least))


def pooled_table(scores: Scores) -> str:
    """Return the table of unchanged code, all batches together."""
    rows = []
    for rule, of_rule in scores.items():
        suites = pooled_estimate(each.suites for each in of_rule)
        still = (added(each.open[kind] for each in of_rule) for kind in KINDS)
        alarms, faster = added(each.cases for each in of_rule), added(each.faster for each in of_rule)
        rows.append((rule.name, rule.processes, suites.share.of, suites, alarms, *still, faster))
    head = (*HEAD, "comparisons", "suites with alarm", "cases with alarm", *(f"open, {kind}" for kind in KINDS))
    return table((*head, "slower copies called faster"), rows)


def found_table(scores: Scores) -> str:
    """Return the table of slowed code, all batches together."""
    columns = [(slowdown, kind) for slowdown in SLOWDOWNS for kind in (MIDDLE, LONG)]
    columns.append((SLOWDOWNS[-1], UNSTEADY))
    rows = []
    for rule, of_rule in scores.items():
        cells = (pooled_estimate(each.slower[column] for each in of_rule) for column in columns)
        rows.append((rule.name, rule.processes, *(cell if cell.share.of else UNKNOWN for cell in cells)))
    return table((*HEAD, *(f"{slowdown}, {kind}" for slowdown, kind in columns)), rows)


def batch_table(scores: Scores) -> str:
    """Return the table of the batches: alarms, and the slowdowns that count most."""
    names = (f"`{each.batch}`" for each in next(iter(scores.values())))
    rows = ((rule.name, rule.processes, *map(_three, of_rule)) for rule, of_rule in scores.items())
    return table((*HEAD, *names), rows)


def _three(score: BatchScore) -> str:
    return " / ".join(str(each.share) for each in (score.suites, score.slower[TWO, MIDDLE], score.slower[TWO, LONG]))
