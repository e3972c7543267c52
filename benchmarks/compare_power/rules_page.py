"""Write the page that compares rules: pooled over all batches, and batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.common.pages import table, written_by
from benchmarks.compare_power import tables
from benchmarks.compare_power.draws import DEFAULT
from benchmarks.compare_power.requirements import ALARMED, SLOWDOWNS, TWO, TWO_MIDDLE, Requirement
from benchmarks.compare_power.scoring import pooled_estimate
from benchmarks.compare_power.tally import KINDS, LONG, MIDDLE, UNSTEADY, added

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.compare_power.batch import Batch
    from benchmarks.compare_power.scoring import BatchScore, Estimate, ScoredRule

    Scores = Mapping[ScoredRule, Sequence[BatchScore]]

UNSEEN_ALARMED, UNSEEN_MIDDLE = 0.02, 0.95

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


def requirements_of(where: str, scores: Sequence[BatchScore], bounds: tuple[float, float, float]) -> list[Requirement]:
    """Return the requirements on some batches: the largest share of alarms, the smallest of slowdowns found."""
    most, middle, long = bounds
    suites = pooled_estimate(each.suites for each in scores)
    found = {kind: pooled_estimate(each.slower[TWO, kind] for each in scores) for kind in (MIDDLE, LONG)}
    sentences = [
        Requirement(
            f"{where}: {suites} of unchanged suites raise an alarm; required: at most {100 * most:g}%",
            suites.share.value <= most,
        )
    ]
    for kind, least in ((MIDDLE, middle), (LONG, long)):
        share = found[kind].share
        sentence = f"{where}: {found[kind]} of {TWO}, {kind}, are found; required: {100 * least:g}%"
        sentences.append(Requirement(sentence, share.of > 0 and share.value >= least))
    return sentences


def pooled_table(scores: Scores) -> str:
    """Return the table of unchanged code, all batches together."""
    head = (
        "rule",
        "processes per side",
        "comparisons",
        "suites with alarm",
        "cases with alarm",
        *(f"open, {kind}" for kind in KINDS),
        "slower copies called faster",
    )
    return table(head, (_pooled(rule, of_rule) for rule, of_rule in scores.items()))


def _pooled(rule: ScoredRule, scores: Sequence[BatchScore]) -> list[str]:
    suites = pooled_estimate(each.suites for each in scores)
    shares = [
        added(each.cases for each in scores),
        *(added(each.open[kind] for each in scores) for kind in KINDS),
        added(each.faster for each in scores),
    ]
    return [rule.name, str(rule.processes), str(suites.share.of), str(suites), *map(str, shares)]


def found_table(scores: Scores) -> str:
    """Return the table of slowed code, all batches together."""
    columns = [(slowdown, kind) for slowdown in SLOWDOWNS for kind in (MIDDLE, LONG)]
    columns.append((SLOWDOWNS[-1], UNSTEADY))
    head = ("rule", "processes per side", *(f"{slowdown}, {kind}" for slowdown, kind in columns))
    rows = (
        (
            rule.name,
            str(rule.processes),
            *(_cell(pooled_estimate(e.slower[column] for e in of_rule)) for column in columns),
        )
        for rule, of_rule in scores.items()
    )
    return table(head, rows)


def batch_table(scores: Scores) -> str:
    """Return the table of the batches: alarms, and the slowdowns that count most."""
    names = [each.batch for each in next(iter(scores.values()))]
    head = ("rule", "processes per side", *(f"`{name}`" for name in names))
    return table(head, ((rule.name, str(rule.processes), *map(_three, of_rule)) for rule, of_rule in scores.items()))


def _three(score: BatchScore) -> str:
    shares = score.suites.share, *(score.slower[TWO, kind].share for kind in (MIDDLE, LONG))
    return " / ".join(map(str, shares))


def _cell(estimate: Estimate) -> str:
    return str(estimate) if estimate.share.of else "–"
