"""The rules whose rates are compared: those of this project, of NVBench, and of textbooks."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.compare_power import nvbench
from benchmarks.compare_power.bootstrap import hierarchical_bootstrap, pooled_bootstrap
from benchmarks.compare_power.draws import DEFAULT, FINE, PAIR, QUICK
from benchmarks.compare_power.rules import RULES, Call
from benchmarks.compare_power.scoring import ScoredRule
from benchmarks.compare_power.verdicts import Program
from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.pool import judgments
from shflbench.core.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.compare_power.batch import Batch
    from benchmarks.compare_power.draws import Mode
    from benchmarks.compare_power.rules import Rule
    from shflbench.analysis.compare.estimates import Floats, Process

OUTCOMES = {
    Call.SLOWER: Outcome.SLOWER,
    Call.FASTER: Outcome.FASTER,
    Call.NOTHING: Outcome.SAME,
}
NVBENCH = {"slower": Outcome.SLOWER, "faster": Outcome.FASTER, "same": Outcome.SAME}
# Comparisons of unchanged code per batch, and of slowed code per batch and number of additional iterations. NVBench's
# scripts take 0.2 to 0.5 s per comparison, and the command line of `compare` 1.5 s.
OUR_DRAWS, OTHER_DRAWS, SCRIPT_DRAWS, COMMAND_DRAWS = (400, 60), (100, 20), (16, 4), (8, 2)


def all_rules() -> Iterator[ScoredRule]:
    """Yield every rule; ResultsError if NVBench's scripts are not installed."""
    for mode in (QUICK, PAIR, DEFAULT, FINE):
        yield ScoredRule(f"**`compare`, {mode}**", mode.processes, partial(by_mode, mode), *OUR_DRAWS)
    command = (sys.executable, "-m", "benchmarks.compare_power.files_rule")
    program = Program(command, nvbench.H200.clock_hz / 1e6)
    yield ScoredRule("`compare` on CSV files, without sentinels: 1%", 3, program.judge, *COMMAND_DRAWS)
    for processes in (1, 3):
        for script in nvbench.SCRIPTS:
            nvbench.script(script)
            name = f"NVBench, `{nvbench.SCRIPTS[script]}`"
            yield ScoredRule(name, processes, partial(by_nvbench, script), *SCRIPT_DRAWS)
        for name, rule in {**RULES, "bootstrap of medians, 99% interval without 0": pooled_bootstrap}.items():
            yield ScoredRule(name, processes, partial(by_samples, rule), *OTHER_DRAWS)
    for processes in (3, 5):
        name = "bootstrap of processes and their medians, 99% interval without 0"
        yield ScoredRule(name, processes, by_hierarchical_bootstrap, *OTHER_DRAWS)


def by_mode(
    mode: Mode, batch: Batch, percent: int, base: Sequence[Process], new: Sequence[Process]
) -> Mapping[str, Outcome]:
    """Judge as `compare` judges run folders, which have sentinels; nothing if it refuses to compare."""
    sides = batch.pool().select(base), batch.pool(percent).select(new)
    return {each.case_id: each.outcome for each in judgments(*sides, Thresholds(mode.threshold))}


def by_samples(
    rule: Rule, batch: Batch, percent: int, base: Sequence[Process], new: Sequence[Process]
) -> Mapping[str, Outcome]:
    """Judge by the samples of each side, those of its processes pooled."""
    before, after = pooled_samples(batch, 0, base), pooled_samples(batch, percent, new)
    return {case: OUTCOMES[rule(before[case], times, len(after))] for case, times in after.items()}


def by_nvbench(
    script: str, batch: Batch, percent: int, base: Sequence[Process], new: Sequence[Process]
) -> Mapping[str, Outcome]:
    """Judge by a script of NVBench on files with the samples of each side, those of its processes pooled."""
    before, after = pooled_samples(batch, 0, base), pooled_samples(batch, percent, new)
    results = nvbench.verdicts(script, {case: before[case] for case in after}, after)
    return {case: NVBENCH.get(results.get(case, ""), Outcome.INCONCLUSIVE) for case in after}


def by_hierarchical_bootstrap(
    batch: Batch, percent: int, base: Sequence[Process], new: Sequence[Process]
) -> Mapping[str, Outcome]:
    """Judge by resampling processes, and in each of them samples."""
    before, after = batch.samples(), batch.samples(percent)
    return {
        case: OUTCOMES[hierarchical_bootstrap([before[case][one] for one in base], [taken[one] for one in new])]
        for case, taken in after.items()
    }


def pooled_samples(batch: Batch, percent: int, processes: Sequence[Process]) -> dict[str, Floats]:
    """Return the sorted samples of each case of a block in these processes together."""
    return {
        case: np.sort(np.concatenate([taken[process] for process in processes]))
        for case, taken in batch.samples(percent).items()
    }
