"""Write the page of `compare_power`."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.common.pages import bullets, written_by
from benchmarks.compare_power import tables
from benchmarks.compare_power.draws import DEFAULT
from benchmarks.compare_power.suite import UNSTEADY
from benchmarks.compare_power.tally import (
    LONG,
    MIDDLE,
    TWO,
    TWO_MIDDLE,
    Evidence,
    alarm_counts,
    requirements,
    slowed_by,
)
from shflbench.core.words import count_noun

PAGE = """\
# False-alarm rate and power of `compare` on recorded runs{title}

{written} [How we
compare](../docs/explanation/how-we-compare.md) explains the method.

{batches}

A batch was recorded on one machine without interruption; "contexts" is the number of CUDA contexts of a process. A
process of its slowed suite measures each case of the suite and the same cases with 1, 2, 3, 5 and 10% more iterations.
Each of these blocks counts as a process of its own; the block without additional iterations counts as unchanged code.
No process is on both sides of a comparison.

## Requirements

{requirements}

Batch by batch, {default}. {history}

{batchwise}

## Unchanged code, processes of one batch

{alarms}

An alarm is a verdict *slower* or *faster*. With few processes per side, small changes are only *suspected*.

After `±` is the standard error of the share, by the jackknife over processes. "Bound" is the upper limit of the share
at 95% confidence if the comparisons were independent. They are not, because they share processes: the last column has
the number of comparisons of which no two share a process, and the bound from these alone, which is weak.

Open verdicts (inconclusive or suspected), by the time of the case:

{open}

The last column has the cases of {unsteady}, which wait for
memory beyond an SM's own cache. Their time depends on the physical pages that a process received: each process takes
one of several times and keeps it. More rounds in one process do not help, more processes do; and another GPU has other
times. The spread between processes without their offsets (standard deviation, and the farthest process):

{spreads}

{alarm_counts}

## Across batches

{across}

## Real slowdowns

All cases of the new side are slowed at once. A cell has the share of verdicts *slower*, the number of cases, and the
share of the case that is found least often. The time grows by less than the iterations, because a launch takes time,
too; the true slowdown is the ratio over all processes of a batch. Slowdowns below the threshold need not be found.

{slowed}

{missed}

## With noise learned on the machine

{learned}

## Other rules

[compare_rules](compare_rules.md) applies the rules of other tools to the same samples.
"""

OF_ONE_CONTEXT = """\
The rule was designed with the first batch and revised after
the second and the fourth; the third and the fifth were recorded after a revision. After the fifth, only the rule for
kernels that wait for memory was added, with limits from these five batches. The sixth to the eighth were recorded two
days after the others: nothing was fitted to them.

[compare_power_contexts](compare_power_contexts.md) has batches of processes with nine CUDA contexts."""
OF_SEVERAL_CONTEXTS = """\
That half of the additive noise enters was fixed
before these batches were recorded, from the runs of [splits](earlier.md). That passes over memory do not have twice the
additive noise was decided after they were recorded, because `warp-collectives` showed it; it concerns only cases that
wait for memory.

[compare_power](compare_power.md) has eight batches of processes with one CUDA context."""


def page(evidence: Evidence) -> str:
    """Return the page."""
    one_context = {batch.contexts for batch in evidence.batches} == {1}
    files = "" if one_context else "tests/data/compare-contexts/*.npz "
    return PAGE.format(
        title="" if one_context else ", with several CUDA contexts",
        written=written_by(f"compare_power {files}--record FILE"),
        batches=tables.batches(evidence.batches),
        requirements="\n".join(map(str, requirements(evidence))),
        default=DEFAULT,
        history=OF_ONE_CONTEXT if one_context else OF_SEVERAL_CONTEXTS,
        batchwise=tables.batchwise(evidence),
        alarms=tables.alarms(evidence),
        open=tables.still_open(evidence),
        unsteady=", ".join(f"`{each.rstrip('/')}`" for each in UNSTEADY),
        spreads=tables.spreads(evidence),
        alarm_counts=_culprits(evidence),
        across=_across(evidence),
        slowed="\n\n".join(tables.slowed(*item) for item in evidence.slowed.items()),
        missed=_missed(evidence),
        learned=_learned(evidence),
    )


def _culprits(evidence: Evidence) -> str:
    counted = ((mode, alarm_counts(draws)) for mode, draws in evidence.unchanged.items())
    lines = [f"{mode}: {_named(cases)}" for mode, cases in counted if cases]
    return f"Cases with alarms, and their number:\n\n{bullets(lines)}" if lines else "No case raised an alarm."


def _missed(evidence: Evidence) -> str:
    """Return a sentence with the cases that are found less often than required."""
    cases = slowed_by(evidence.slowed[DEFAULT], TWO, MIDDLE, LONG)
    few = sorted((each for each in cases if each.slower.value < TWO_MIDDLE), key=lambda each: each.slower.value)
    missed = ", ".join(
        f"`{each.case_id}` with {each.percent}% more iterations in `{each.batch}` ({each.slower})" for each in few
    )
    return f"Cases of 10 µs or more, {TWO}, that {DEFAULT} finds in less than 98%: {missed or 'none'}."


def _across(evidence: Evidence) -> str:
    if not evidence.across:
        return "There is one batch: nothing to compare across."
    gpus = len(set().union(*(batch.gpus for batch in evidence.batches)))
    draws = [drawn for modes in evidence.across.values() for several in modes.values() for drawn in several]
    batches = f"{len(evidence.batches)} batches on {count_noun(gpus, 'GPU')}"
    return f"""{batches}. Each batch of a pair is the base in half of the draws.

{tables.across(evidence)}

Cases with alarms, and their number: {_named(alarm_counts(draws), most=12)}."""


def _learned(evidence: Evidence) -> str:
    if not any(evidence.learned.values()):
        return "No batch has enough processes to learn from and to compare."
    text = "Learned from the first half of a batch's processes (at least 20), applied to the others."
    return f"{text}\n\n{tables.learned(evidence)}"


def _named(cases: Sequence[tuple[str, int]], most: int = 5) -> str:
    """Return the first cases with their counts, and the number of the others."""
    rest = [f"{len(cases) - most} more"] if len(cases) > most else []
    return ", ".join([*(f"`{case}` {count}" for case, count in cases[:most]), *rest]) or "none"
