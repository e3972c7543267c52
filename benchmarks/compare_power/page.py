"""The page that `compare_power` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.compare_power import tables
from benchmarks.compare_power.bars import TWO, TWO_MIDDLE, bars, truly
from benchmarks.compare_power.batchwise import batchwise
from benchmarks.compare_power.draws import DEFAULT, MODES
from benchmarks.compare_power.evidence import SLOWER_BY
from benchmarks.compare_power.markdown import named
from benchmarks.compare_power.suite import UNSTEADY
from benchmarks.compare_power.tally import LONG, MIDDLE, culprits

if TYPE_CHECKING:
    from benchmarks.compare_power.evidence import Evidence

PAGE = """\
# What `compare` makes of recorded runs

Written by `python -m benchmarks.compare_power --record`; do not edit.

{batches}

A batch is what was recorded in one go on one machine. A process of its slowed suite measures every case of the suite
and the same with 1, 2, 3, 5 and 10 % more iterations. Each of these blocks is taken for a process of its own; the
unslowed one counts as unchanged code. No process stands on both sides of a comparison.

## What is asked for

{bars}

Batch by batch, {default}. The rule was shaped on the first batch and revised after the second and
after the fourth; the third and the fifth were recorded after a revision, and the fifth has changed nothing.

{batchwise}

## Unchanged code, processes of one batch

{alarms}

An alarm is *slower* or *faster*. With few processes a side, changes up to some thresholds are only *suspected*.

How well is a share known? After `±` stands the standard error by leaving out one process after the other. "Bound" is
what the share stays below with 95 % confidence, were the comparisons independent. They are not, for they share
processes: the last column has how many could be drawn that share none, and the bound by those alone, next to nothing.

Verdicts that stay open (inconclusive or suspected), by the length of the case:

{open}

The last column has the cases of {unsteady}, which wait for
memory beyond an SM's own cache. What that takes hangs on where the pages lie that a process was given: it draws one of
several times and keeps it. More rounds in one process do not help, only more processes do; and another GPU is another
draw. How much the times of processes differ, without their offsets (standard deviation, and the farthest process):

{spreads}

{culprits}

## Across batches

{across}

## Real slowdowns

All cases of the new side are slowed at once. A cell has the share of verdicts that say *slower*, the number of cases,
and the share of the case that is found least. Kernels need less more time than iterations, the more so the shorter they
are; the truth is the ratio over all processes of a batch. A slowdown below the threshold is not to be found.

{slowed}

{missed}

## With noise learned on the machine

{learned}

## Other rules on the same samples

With three processes a side their samples are taken together. The slowed cases have {slower_by} % more iterations.
NVBench itself takes other samples, each of one launch after the cache was emptied.

{others}

"Open" are cases that NVBench's robust script calls ambiguous, and those that `compare` calls inconclusive or suspected.
"""


def page(evidence: Evidence) -> str:
    """Return the page."""
    return PAGE.format(
        batches=tables.batches(evidence),
        bars="\n".join(map(str, bars(evidence))),
        default=DEFAULT,
        batchwise=batchwise(evidence),
        alarms=tables.alarms(evidence),
        open=tables.still_open(evidence),
        unsteady=", ".join(f"`{each.rstrip('/')}`" for each in UNSTEADY),
        spreads=tables.spreads(evidence),
        culprits=_culprits(evidence),
        across=_across(evidence),
        slowed="\n\n".join(tables.slowed(mode, evidence.slowed[mode]) for mode in MODES),
        missed=_missed(evidence),
        learned=_learned(evidence),
        slower_by=SLOWER_BY,
        others=tables.others(evidence),
    )


def _culprits(evidence: Evidence) -> str:
    counted = ((mode, culprits(evidence.unchanged[mode])) for mode in MODES)
    lines = [f"- {mode}: {named(cases)}" for mode, cases in counted if cases]
    return "\n".join(["Alarmed cases, and in how many comparisons:", "", *lines]) if lines else "No case was alarmed."


def _missed(evidence: Evidence) -> str:
    """Say which of the cases that should be found are found least."""
    cases = truly(evidence.slowed[DEFAULT], TWO, MIDDLE, LONG)
    few = sorted((each for each in cases if each.slower.value < TWO_MIDDLE), key=lambda each: each.slower.value)
    missed = ", ".join(
        f"`{each.case_id}` with {each.percent} % more iterations in `{each.batch}` ({each.slower})" for each in few
    )
    return f"Of cases from 10 µs on, {TWO}, {DEFAULT} finds in less than 98 %: {missed or 'none'}."


def _across(evidence: Evidence) -> str:
    if not evidence.across:
        return "There is one batch: nothing to compare across."
    gpus = set().union(*(batch.gpus for batch in evidence.batches))
    draws = [drawn for modes in evidence.across.values() for several in modes.values() for drawn in several]
    several = f"{len(gpus)} GPU{'s' if len(gpus) > 1 else ''}"
    return "\n\n".join(
        [
            f"{len(evidence.batches)} batches on {several}. Either one of a pair is the base in half of the draws.",
            tables.across(evidence),
            f"Alarmed cases, and in how many comparisons: {named(culprits(draws), most=12)}.",
        ]
    )


def _learned(evidence: Evidence) -> str:
    if not any(evidence.learned.values()):
        return "No batch has the processes to learn from and to try it on."
    text = "Learned from the first half of a batch's processes (20 at least), tried on the others."
    return f"{text}\n\n{tables.learned(evidence)}"
