"""Estimate the noise of one GPU from processes of unchanged code, and decide which comparisons may use it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparability import refuse_mixture, refuse_same_run
from shflbench.analysis.compare.draws import draw_pairs, judge_pairs
from shflbench.analysis.compare.evidence import USUAL_THRESHOLD
from shflbench.analysis.compare.noise import NoiseModel, Spread, fit_noise
from shflbench.analysis.compare.offset import offsets
from shflbench.analysis.compare.pool import Pool
from shflbench.analysis.compare.sides import Side
from shflbench.core.grouping import group_by
from shflbench.errors import ResultsError
from shflbench.store.noise_file import CaseSpread, HeldOutCheck, LearnedNoise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Estimates, Process
    from shflbench.store import Run, RunInfo

FEWEST = 20  # processes: a spread is then known to a sixth, and each half has three processes for either side
PROCESSES_PER_SIDE = (1, 2, 3)  # that are tried
DRAWS = 100  # for each number of processes, from either half
# The smallest threshold in use: false alarms at it bound those at any other. Open cases are counted at the usual one.
STRICT = 0.0025
# Increase it whenever the meaning of a and b changes: the estimator, the offset, or their use in the rule.
RULE = 1
# The sign of the change of a setting that makes a process's time less certain.
SAMPLING = {"precision": 1, "min_seconds": -1, "max_seconds": -1, "min_samples": -1, "max_samples": -1, "places": -1}


def subtract_offsets(pool: Pool) -> dict[str, Estimates]:
    """Return the cases of a pool minus the offsets of its processes; ResultsError for too few sentinels."""
    shifts = offsets(pool.sentinels, pool.sentinels)
    if shifts is None:
        raise ResultsError(
            "the runs have too few sentinels to measure the offset of a process",
            "measure with this version of shflbench",
        )
    return {case_id: estimates.minus(shifts.base) for case_id, estimates in pool.cases.items()}


def observe_noise(*pools: Pool) -> NoiseModel:
    """Return the noise of the processes of each pool. ResultsError for less than two processes.

    An outlier process counts fully in the spread of its case: a median would hide it, and one such process of 26 is on
    one of the sides in every fourth comparison with three per side. It does not affect a and b, which are fitted to the
    medians of all cases.
    """
    values = [(pool, *item) for pool in pools for item in subtract_offsets(pool).items()]
    fewest = min(len(pool.processes) for pool in pools)
    if fewest < 2:  # noqa: PLR2004  (that can differ)
        raise ResultsError("one process does not show how processes differ", "run the suite with --processes 20")
    spreads = [Spread(float(times.values.var(ddof=1)), len(times) - 1) for _, _, times in values]
    weights = [pool.weights(name, times) for pool, name, times in values]
    cases: dict[str, Spread] = {}
    for (_, case_id, _), spread in zip(values, spreads, strict=True):
        cases[case_id] = max(spread, cases.get(case_id, spread))  # a case of two suites: the larger spread
    return replace(fit_noise(weights, spreads, f"learned from {fewest} processes on this GPU"), cases=cases)


def learn(*pools: Pool) -> NoiseModel:
    """Estimate the noise from pools of one GPU, each of one suite; ResultsError unless each has 20 processes."""
    for pool in pools:
        if len(pool.processes) < FEWEST:
            raise ResultsError(
                f"the runs have {len(pool.processes)} processes that timed every case; the estimate needs {FEWEST}",
                f"run the suite with more processes: shflbench run SUITE --processes {FEWEST}",
            )
    return observe_noise(*pools)


def held_out(*pools: Pool) -> dict[int, HeldOutCheck]:
    """Estimate the noise from the earlier half of the processes, and compare processes of the later half; then reverse.

    The halves are split by time, so that temporary noise is detected: if it is absent from the half that was learned
    from, comparisons of the other half raise false alarms.
    """
    halves = [[pool.select(half) for half in _halves(pool)] for pool in pools]
    by_processes: dict[int, list[tuple[bool, float]]] = {processes: [] for processes in PROCESSES_PER_SIDE}
    for learned_from in (0, 1):
        model = observe_noise(*(both[learned_from] for both in halves))
        for both in halves:
            pool = both[1 - learned_from]
            for processes, results in by_processes.items():
                sides = draw_pairs(pool.processes, processes, DRAWS)
                for outcomes in judge_pairs(pool, sides, model, trust_learned=True):
                    undecided = float(outcomes.undecided(USUAL_THRESHOLD.amount).mean())
                    results.append((bool(outcomes.alarms(STRICT).any()), undecided))
    return {
        processes: HeldOutCheck(len(results), *np.mean(results, axis=0).tolist())
        for processes, results in by_processes.items()
        if results
    }


def _halves(pool: Pool) -> tuple[tuple[Process, ...], tuple[Process, ...]]:
    middle = len(pool.processes) // 2
    return pool.processes[:middle], pool.processes[middle:]


def pools_of(runs: Sequence[Run]) -> dict[str, Pool]:
    """Return the processes of each suite, the oldest first.

    ResultsError if a run is given twice, if the GPUs are of several models, or if no process of a suite timed every
    case.
    """
    suites = group_by(sorted(runs, key=lambda run: run.info.started), lambda run: run.info.suite.name)
    sides = {suite: Side.of(suite_runs) for suite, suite_runs in suites.items()}
    for side in sides.values():
        refuse_mixture(side)
        refuse_same_run(side, Side((), {}, {}, ""))
    return {suite: Pool.of(side) for suite, side in sides.items()}


def learn_from(runs: Sequence[Run]) -> LearnedNoise:
    """Estimate the noise of one GPU from runs of unchanged code, of one suite or of several.

    ResultsError if the runs differ in GPU, driver or sampling settings, or have too few processes.
    `LearnedNoise.fewest` says whether the noise may be used.
    """
    info = _common_info(runs)
    suites = pools_of(runs)
    pools = tuple(suites.values())
    model = learn(*pools)
    assert info.device is not None  # noqa: S101  (see `_common_info`)
    return LearnedNoise(
        a_us=model.a_us,
        b=model.b,
        cases={case_id: CaseSpread(*spread) for case_id, spread in model.cases.items()},
        held_out=held_out(*pools),
        processes=min(len(pool.processes) for pool in pools),
        suites=tuple(suites),
        first=min(run.info.started for run in runs),
        last=max(run.info.started for run in runs),
        device=info.device.name,
        uuid=info.device.uuid,
        driver=info.versions.driver or "",
        sentinels=info.sentinel_version,
        rule=RULE,
        settings=_sampling(info),
    )


def _common_info(runs: Sequence[Run]) -> RunInfo:
    """Return the description of the first run; ResultsError if others differ in what noise depends on."""
    first = runs[0].info
    for run in runs:
        if run.info.device is None:
            raise ResultsError(f"{run.folder} has no times: no GPU was used", "give runs measured on a GPU")
        for what, was, now in _differences(_facts(first), _facts(run.info)):
            raise ResultsError(
                f"{runs[0].folder} and {run.folder} cannot be learned from together: the {what} differ ({was}, {now})",
                "give runs of unchanged code, measured with the same settings on one GPU",
            )
    return first


def _facts(info: RunInfo) -> dict[str, object]:
    return {
        "GPUs": info.device.uuid if info.device else "none",
        "drivers": info.versions.driver or "unknown",
        "sentinels": info.sentinel_version,
        **{f"values of {name}": value for name, value in _sampling(info).items()},
    }


def _sampling(info: RunInfo) -> dict[str, float]:
    """Return the known settings that decide how precisely a process measures a time."""
    known = {name: getattr(info.settings, name) for name in SAMPLING} | {"places": info.settings.places or 1}
    return {name: float(value) for name, value in known.items() if value is not None}


def _differences(first: Mapping[str, object], other: Mapping[str, object]) -> Iterator[tuple[str, object, object]]:
    for what in {**first, **other}:
        if first.get(what) != other.get(what):
            yield what, first.get(what), other.get(what)


def model_of(record: LearnedNoise) -> NoiseModel:
    """Return the noise model of a noise file."""
    cases = {case_id: Spread(known.variance, known.freedom) for case_id, known in record.cases.items()}
    source = f"learned from {record.processes} processes on this GPU, {record.last[:10]}"
    return NoiseModel(record.a_us, record.b, source, cases)


def applies(record: LearnedNoise, base: Side, new: Side) -> str:
    """Return why the learned noise does not apply to a comparison, as a clause; empty if it applies.

    The number of processes per side counts, too: the fewer there are, the better the noise must be known.
    """
    return next(_reasons(record, base, new), "")


def refuse_others(record: LearnedNoise, runs: Sequence[Run]) -> None:
    """Raise ResultsError if the learned noise does not apply to a run."""
    for reason in _of_runs(record, runs):
        raise ResultsError(
            f"the learned noise does not apply to these runs: {reason}",
            "estimate the noise again: shflbench noise learn RUN",
        )


def _reasons(record: LearnedNoise, base: Side, new: Side) -> Iterator[str]:
    yield from _of_runs(record, (*base.runs, *new.runs))
    processes = min(side.info().processes for side in (base, new))
    if record.fewest is not None and processes < record.fewest:
        yield f"it raised false alarms with less than {record.fewest} processes per side when it was learned"


def _of_runs(record: LearnedNoise, runs: Sequence[Run]) -> Iterator[str]:
    if record.rule != RULE:
        yield "it was learned by another version of the rule"
    if record.fewest is None:
        yield "it raised false alarms when it was learned"
    for run in runs:
        yield from _differs(record, run)


def _differs(record: LearnedNoise, run: Run) -> Iterator[str]:
    facts = _facts(run.info)
    for what, was in (("GPUs", record.uuid), ("drivers", record.driver or "unknown"), ("sentinels", record.sentinels)):
        if facts[what] != was:
            yield f"the {what} differ ({was} when it was learned, {facts[what]} in {run.folder})"
    now = _sampling(run.info)
    for name, worse in SAMPLING.items():
        if name in record.settings and (name not in now or worse * (now[name] - record.settings[name]) > 0):
            current = f"{now[name]:g}" if name in now else "unknown"
            yield f"`{name}` was {record.settings[name]:g} when it was learned, and is {current} in {run.folder}"
