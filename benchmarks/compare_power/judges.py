"""The rules whose rates are compared: those of this project, of NVBench, of textbooks, and of any program.

A program is called as `COMMAND BASE NEW`, reads two folders and prints a verdict per case, as CSV (`case,verdict`) or
as a JSON object with these two keys. `slower`, `faster` and `same` are verdicts; every other word, and a case without a
line, is counted as open. Other lines are an error, but a CSV header is not. The exit code has no meaning.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.common.runs import NOT_ENDED, call, shflbench
from benchmarks.compare_power import nvbench
from benchmarks.compare_power.batch import Batch
from benchmarks.compare_power.draws import DEFAULT, FINE, PAIR, QUICK, Mode
from benchmarks.compare_power.plain import write_side
from benchmarks.compare_power.recording import Floats, Process
from benchmarks.compare_power.rules import RULES, Call, Rule, hierarchical_bootstrap
from benchmarks.compare_power.scoring import ScoredRule
from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.pool import judgments
from shflbench.core.thresholds import Thresholds
from shflbench.errors import ResultsError

Processes = Sequence[Process]
Outcomes = Mapping[str, Outcome]

OUTCOMES = {"slower": Outcome.SLOWER, "faster": Outcome.FASTER, "same": Outcome.SAME}
CALLS = {Call.SLOWER: Outcome.SLOWER, Call.FASTER: Outcome.FASTER, Call.NOTHING: Outcome.SAME}
# Comparisons of unchanged code per batch, and of slowed code per batch and number of additional iterations. NVBench's
# scripts take 0.2 to 0.5 s per comparison, and the command line of `compare` 1.5 s.
OUR_DRAWS, OTHER_DRAWS, SCRIPT_DRAWS, COMMAND_DRAWS = (400, 60), (100, 20), (16, 4), (8, 2)
SECONDS = 300  # that a comparison may take
QUOTED = 400  # characters of a program's errors that are shown


def all_rules() -> Iterator[ScoredRule]:
    """Yield every rule; ResultsError if NVBench's scripts are not installed."""
    for mode in (QUICK, PAIR, DEFAULT, FINE):
        yield ScoredRule(f"**`compare`, {mode}**", mode.processes, partial(by_mode, mode), *OUR_DRAWS)
    yield ScoredRule("`compare` on CSV files, without sentinels: 1%", 3, by_files, *COMMAND_DRAWS)
    for processes in (1, 3):
        for script in nvbench.SCRIPTS:
            nvbench.script(script)
            name = f"NVBench, `{nvbench.SCRIPTS[script]}`"
            yield ScoredRule(name, processes, partial(by_nvbench, script), *SCRIPT_DRAWS)
        for name, rule in RULES.items():
            yield ScoredRule(name, processes, partial(by_samples, rule), *OTHER_DRAWS)
    for processes in (3, 5):
        name = "bootstrap of processes and their medians, 99% interval without 0"
        yield ScoredRule(name, processes, by_hierarchical_bootstrap, *OTHER_DRAWS)


def by_mode(mode: Mode, batch: Batch, percent: int, base: Processes, new: Processes) -> Outcomes:
    """Judge as `compare` judges run folders, which have sentinels; nothing if it refuses to compare."""
    sides = batch.pool().select(base), batch.pool(percent).select(new)
    return {each.case_id: each.outcome for each in judgments(*sides, Thresholds(mode.threshold))}


def by_samples(rule: Rule, batch: Batch, percent: int, base: Processes, new: Processes) -> Outcomes:
    """Judge by the samples of each side, those of its processes pooled."""
    before, after = pooled_samples(batch, 0, base), pooled_samples(batch, percent, new)
    return {case: CALLS[rule(before[case], times, len(after))] for case, times in after.items()}


def by_nvbench(script: str, batch: Batch, percent: int, base: Processes, new: Processes) -> Outcomes:
    """Judge by a script of NVBench on files with the samples of each side, those of its processes pooled."""
    before, after = pooled_samples(batch, 0, base), pooled_samples(batch, percent, new)
    results = nvbench.verdicts(script, {case: before[case] for case in after}, after)
    return {case: OUTCOMES.get(results.get(case, ""), Outcome.INCONCLUSIVE) for case in after}


def by_hierarchical_bootstrap(batch: Batch, percent: int, base: Processes, new: Processes) -> Outcomes:
    """Judge by resampling processes, and in each of them samples."""
    before, after = batch.samples(), batch.samples(percent)
    return {
        case: CALLS[hierarchical_bootstrap([before[case][one] for one in base], [taken[one] for one in new])]
        for case, taken in after.items()
    }


def by_files(batch: Batch, percent: int, base: Processes, new: Processes) -> Outcomes:
    """Judge as `compare` judges CSV files of other tools: without sentinels, and as if processes had alternated.

    Those of a batch are drawn at random, which serves the same purpose.
    """
    with tempfile.TemporaryDirectory() as folder:
        before = write_side(Path(folder) / "base", batch, base, 0, nvbench.CLOCK_HZ / 1e6)
        after = write_side(Path(folder) / "new", batch, new, percent, nvbench.CLOCK_HZ / 1e6)
        reply = shflbench("compare", "--format", "json", "--alternated", str(before), str(after), seconds=SECONDS)
    try:
        verdicts = {each["case_id"]: each["outcome"] for each in reply.json()["verdicts"]}
    except (ValueError, KeyError) as error:
        raise ResultsError(f"`shflbench compare` fails: {reply.errors.strip()[-QUOTED:]}", "see above") from error
    return {case: OUTCOMES.get(verdicts.get(case, ""), Outcome.INCONCLUSIVE) for case in batch.pool(percent).cases}


def by_program(command: Sequence[str], batch: Batch, percent: int, base: Processes, new: Processes) -> Outcomes:
    """Judge by a program; ResultsError if it cannot be started, takes too long, or prints something else."""
    shown = " ".join(command)
    with tempfile.TemporaryDirectory() as folder:
        before, after = (Path(folder) / name for name in ("base", "new"))
        write_side(before, batch, base, 0)
        write_side(after, batch, new, percent)
        try:
            reply = call([*command, str(before), str(after)], SECONDS)
        except OSError as error:
            raise ResultsError(f"`{shown}` cannot be run: {error}", "give a program that takes two folders") from error
    if reply.code == NOT_ENDED or not reply.out.strip():
        message = reply.errors.strip()[-QUOTED:] or "nothing on stderr either"
        raise ResultsError(f"`{shown}` prints no verdict: {message}", "print a line `case,verdict` per case")
    outcomes = parse(reply.out, batch.pool().cases)
    return {case: outcomes.get(case, Outcome.INCONCLUSIVE) for case in batch.pool(percent).cases}


def pooled_samples(batch: Batch, percent: int, processes: Processes) -> dict[str, Floats]:
    """Return the sorted samples of each case of a block in these processes together."""
    return {
        case: np.sort(np.concatenate([taken[process] for process in processes]))
        for case, taken in batch.samples(percent).items()
    }


def parse(output: str, known: Collection[str]) -> dict[str, Outcome]:
    """Return the outcome of each case with a line; ResultsError if a line is not a verdict on a known case."""
    outcomes: dict[str, Outcome] = {}
    for line in filter(str.strip, output.splitlines()):
        case, verdict = _fields(line)
        if (case, verdict) == ("case", "verdict"):
            continue
        if case not in known:
            raise ResultsError(f"`{case[:80]}` is not a case", "print only lines `case,verdict`")
        outcomes[case] = OUTCOMES.get(verdict.strip().lower(), Outcome.INCONCLUSIVE)
    return outcomes


def _fields(line: str) -> tuple[str, str]:
    """Return the case and the verdict of a line; ResultsError if it does not have both."""
    try:
        if line.lstrip().startswith("{"):
            record = json.loads(line)
            return str(record["case"]), str(record["verdict"])
        case, verdict = next(csv.reader([line]))
    except (ValueError, KeyError, StopIteration) as error:
        raise ResultsError(f"`{line[:80]}` is not a verdict", "print a line `case,verdict` per case") from error
    return case, verdict
