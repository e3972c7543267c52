"""Compare runs of unchanged code, and print the smallest slowdown that a gate would detect in each case."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table
from shflbench.core.words import count_noun
from shflbench.output.export.comparison_words import fraction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.selftest import GateSetting, SelfTest, Sensitivity
    from shflbench.cli.console import Console
    from shflbench.schemas.noise import SelfTestObject
    from shflbench.store import Run
    from shflbench.store.noise_file import LearnedNoise


def self_test(console: Console, runs: Sequence[Run], learned: LearnedNoise | None = None, form: str = "table") -> int:
    """Compare runs of unchanged code with one another, and print the smallest detectable slowdowns, suite by suite.

    `learned` noise is used for as many processes per side as it was found good enough for. ResultsError where it was
    for none, or where the runs are not of its GPU.
    """
    from shflbench.analysis.compare.noise_learning import model_of, pools_of, refuse_others
    from shflbench.analysis.compare.selftest import self_test as tested

    if learned:
        refuse_others(learned, runs)
    noise, fewest = (model_of(learned), learned.fewest or 1) if learned else (None, 1)
    results = {suite: tested(pool, noise, fewest) for suite, pool in pools_of(runs).items()}
    if form == "json":
        console.json(json.dumps({suite: _content(result) for suite, result in results.items()}, indent=2))
        return 0
    for suite, result in results.items():
        _print(console, suite, result, noise)
    return 0


def _content(result: SelfTest) -> SelfTestObject:
    """Return a self-test as JSON has it."""
    from shflbench.core.json_objects import object_of
    from shflbench.schemas.noise import SCHEMA, GateSettingObject, TestedSetting

    best = result.recommended
    return {
        "schema": SCHEMA,
        "processes": result.processes,
        "runs": result.runs,
        "a_us": result.a_us,
        "b": result.b,
        "settings": [object_of(TestedSetting, one, ceiling=one.ceiling) for one in result.settings],
        "recommended": object_of(GateSettingObject, best) if best else None,
        "cases": [
            {
                "case_id": case.case_id,
                "time_us": case.time_us,
                "detectable": case.detectable,
                "settled": case.settled,
                "own_threshold": case.own_threshold.amount if case.own_threshold else None,
            }
            for case in result.cases
        ],
        "noisy": [
            {"case_id": case.case_id, "times": case.times, "sentence": case.sentence, "manner": case.kind}
            for case in result.noisy
        ],
        "flags": best.flags if best else None,
    }


def _print(console: Console, suite: str, result: SelfTest, noise: NoiseModel | None) -> None:
    source = noise.source if noise else "estimated from the processes of each comparison"
    console.data(
        f"{suite}: {count_noun(result.processes, 'process')} of unchanged code in {count_noun(result.runs, 'run')}\n"
        f"noise: {source}; in these runs a = {result.a_us:.3f} µs, b = {100 * result.b:.3f}%\n"
    )
    console.table(_settings(result.settings), data=True)
    console.data("")
    console.data("\n".join((*_conclusions(result), "")))
    console.table(_cases(result), data=True)
    if result.noisy:
        body = tuple(
            Line((case.case_id, f"{case.times:.1f}×", case.kind, case.sentence), "doubt") for case in result.noisy
        )
        console.data("")
        console.table(Table("noisier than the rest:", ("case", "noise", "kind", "how"), body), data=True)
    special = [case for case in result.cases if case.own_threshold]
    if special:
        console.data("\nfor the suite file, thresholds of the cases that need a larger one:")
        console.data("\n".join(_entries(result, special)))


def _settings(settings: Sequence[GateSetting]) -> Table:
    """Return the table of results: a line per number of processes, a column per threshold."""
    thresholds = sorted({setting.threshold for setting in settings})
    by_place = {(setting.processes, setting.threshold): setting for setting in settings}
    body = []
    for processes in sorted({setting.processes for setting in settings}):
        cells = []
        for threshold in thresholds:
            setting = by_place.get((processes, threshold))
            mark = " *" if setting and setting.good else ""
            cells.append(f"{100 * setting.alarmed:.1f} / {100 * setting.undecided:.1f}%{mark}" if setting else "-")
        body.append(Line((str(processes), *cells)))
    return Table(
        "comparisons with a false alarm / cases undecided, by threshold (* = good enough):",
        ("processes per side", *(fraction(threshold) for threshold in thresholds)),
        tuple(body),
    )


def _conclusions(result: SelfTest) -> Iterator[str]:
    """Yield what to use, and how certain that is, a sentence each."""
    best = result.recommended
    if best is None:
        yield "no setting is good enough: use more processes, longer cases, or the thresholds below for single cases"
    else:
        yield (
            f"use {_choice(best)}: finds the smallest change with at most 1% false alarms and 5% of the cases undecided"
        )
        fewer = [
            min(good, key=lambda setting: setting.threshold)
            for processes in range(1, best.processes)
            if (good := [setting for setting in result.settings if setting.good and setting.processes == processes])
        ]
        if fewer:
            yield f"or, faster: {'; '.join(_choice(setting) for setting in reversed(fewer))}"
    sure = best or result.settings[-1]
    yield (
        f"how certain: {sure.draws} comparisons of {sure.processes} processes per side, with common processes; "
        f"{sure.disjoint} without common processes cannot distinguish {fraction(sure.ceiling)} false alarms from none"
    )
    if result.runs == 1:
        yield "these numbers do not contain what differs between days and restarts: all processes are of one run"
    by_processes = {setting.processes: setting for setting in result.settings}
    if refused := sum(setting.refused for setting in by_processes.values()):
        yield f"{refused} more comparisons gave no verdict, because the sentinels show that the machine itself changed"


def _choice(setting: GateSetting) -> str:
    if setting.certain > setting.threshold:
        return f"{setting.flags} (changes below {fraction(setting.certain)} are then only suspected)"
    return setting.flags


def _cases(result: SelfTest) -> Table:
    body = tuple(
        Line(
            (
                case.case_id,
                f"{case.time_us:.4g}",
                fraction(case.detectable) or "none",
                fraction(case.settled) or "none",
                _threshold_needed(case),
            ),
            "doubt" if case.own_threshold else "",
        )
        for case in result.cases
    )
    titles = ("case", "fastest half µs", "slowdown found", "same from", "threshold needed")
    return Table(
        "per case: the smallest slowdown that nearly all comparisons find, and the smallest threshold at which 95% "
        "say `same`:",
        titles,
        body,
    )


def _threshold_needed(case: Sensitivity) -> str:
    return fraction(case.own_threshold.amount) if case.own_threshold else ""


def _entries(result: SelfTest, special: Sequence[Sensitivity]) -> Iterator[str]:
    """Yield the lines of the section `compare` of a suite file."""
    yield "compare:"
    if result.recommended:
        from shflbench.core.thresholds import Threshold

        yield f"  threshold: {Threshold(result.recommended.threshold)}"
    yield "  cases:"
    yield from (f"    - {{case: {json.dumps(case.case_id)}, threshold: {case.own_threshold}}}" for case in special)
