"""What was learned of the noise of a GPU: from which runs, and which comparisons it says something of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.compare.learn import held_out, learn
from shflbench.analysis.compare.noise import NoiseModel, Spread
from shflbench.analysis.compare.obstacles import refuse_mixture, refuse_same_run
from shflbench.analysis.compare.pool import Pool
from shflbench.analysis.compare.sides import Side
from shflbench.errors import ResultsError
from shflbench.store.noise_file import CaseSpread, Learned

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.store import Run, RunInfo

# To be raised whenever what a and b stand for changes: the estimator, the offset, or how the rule uses them.
RULE = 1
# Whether more or less of a setting makes a process's time less certain.
SAMPLING = {"precision": 1, "min_seconds": -1, "max_seconds": -1, "min_samples": -1, "max_samples": -1}


def pools_of(runs: Sequence[Run]) -> dict[str, Pool]:
    """Return the processes of each suite, the oldest first.

    ResultsError where a run is there twice, where the GPUs are not of one model, or a suite has no process that timed
    every case.
    """
    suites: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.info.started):
        suites.setdefault(run.info.suite.name, []).append(run)
    sides = {suite: Side.of(own) for suite, own in suites.items()}
    for side in sides.values():
        refuse_mixture(side)
        refuse_same_run(side, Side((), {}, {}, ""))
    return {suite: Pool.of(side) for suite, side in sides.items()}


def learned(runs: Sequence[Run]) -> Learned:
    """Learn the noise of one GPU from runs of unchanged code, of one suite or of several.

    ResultsError where the runs are not of one GPU, driver and way of sampling, or too few. Whether the noise may be
    used is for the reader to ask: see `Learned.fewest`.
    """
    info = _alike(runs)
    suites = pools_of(runs)
    pools = tuple(suites.values())
    model = learn(*pools)
    assert info.device is not None  # noqa: S101  (see `_alike`)
    return Learned(
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


def _alike(runs: Sequence[Run]) -> RunInfo:
    """Return what all runs have in common; ResultsError where they differ in what noise depends on."""
    first = runs[0].info
    for run in runs:
        if run.info.device is None:
            raise ResultsError(f"{run.folder} has no times: no GPU was used", "give runs of a GPU")
        for what, was, now in _differences(_facts(first), _facts(run.info)):
            raise ResultsError(
                f"{runs[0].folder} and {run.folder} do not show the same noise: the {what} differ ({was}, {now})",
                "give runs of unchanged code that were measured alike, on one GPU",
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
    """Return the settings that decide how well a process knows a time, those that are known."""
    known = {name: getattr(info.settings, name) for name in SAMPLING}
    return {name: float(value) for name, value in known.items() if value is not None}


def _differences(first: Mapping[str, object], other: Mapping[str, object]) -> Iterator[tuple[str, object, object]]:
    for what in {**first, **other}:
        if first.get(what) != other.get(what):
            yield what, first.get(what), other.get(what)


def model_of(record: Learned) -> NoiseModel:
    """Return the noise to reckon with."""
    cases = {case_id: Spread(known.variance, known.freedom) for case_id, known in record.cases.items()}
    source = f"learned from {record.processes} processes on this GPU, {record.last[:10]}"
    return NoiseModel(record.a_us, record.b, source, cases)


def applies(record: Learned, base: Side, new: Side) -> str:
    """Return why the noise that was learned says nothing of a comparison, a clause; empty where it does.

    The processes a side count, too: the fewer there are, the better the noise has to be known.
    """
    return next(_reasons(record, base, new), "")


def refuse_others(record: Learned, runs: Sequence[Run]) -> None:
    """Raise ResultsError where the noise that was learned says nothing of some of the runs."""
    for reason in _of_runs(record, runs):
        raise ResultsError(f"the noise that was learned says nothing of these runs: {reason}", "learn it again")


def _reasons(record: Learned, base: Side, new: Side) -> Iterator[str]:
    yield from _of_runs(record, (*base.runs, *new.runs))
    processes = min(side.info().processes for side in (base, new))
    if record.fewest is not None and processes < record.fewest:
        yield f"it raised false alarms with less than {record.fewest} processes a side when it was learned"


def _of_runs(record: Learned, runs: Sequence[Run]) -> Iterator[str]:
    if record.rule != RULE:
        yield "it was learned by another version of the rule"
    if record.fewest is None:
        yield "it raised false alarms when it was learned"
    for run in runs:
        yield from _differs(record, run)


def _differs(record: Learned, run: Run) -> Iterator[str]:
    facts = _facts(run.info)
    for what, was in (("GPUs", record.uuid), ("drivers", record.driver or "unknown"), ("sentinels", record.sentinels)):
        if facts[what] != was:
            yield f"the {what} differ ({was} when it was learned, {facts[what]} in {run.folder})"
    now = _sampling(run.info)
    for name, worse in SAMPLING.items():
        if name in record.settings and (name not in now or worse * (now[name] - record.settings[name]) > 0):
            found = f"{now[name]:g}" if name in now else "unknown"
            yield f"`{name}` was {record.settings[name]:g} when it was learned, and is {found} in {run.folder}"
