"""The tables of `compare_power`'s page, in Markdown."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from benchmarks.common.pages import table
from benchmarks.compare_power.draws import MODES, disjoint
from benchmarks.compare_power.evidence import SLOWER_BY
from benchmarks.compare_power.requirements import SLOWDOWNS, slowed_by
from benchmarks.compare_power.spread import worth_naming
from benchmarks.compare_power.suite import PERCENT_MORE, steady
from benchmarks.compare_power.tally import (
    KINDS,
    LONG,
    MIDDLE,
    Share,
    alarmed,
    jackknife,
    pooled,
    suspected,
    undecided,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.compare_power.batch import Batch
    from benchmarks.compare_power.draws import Drawn, Mode
    from benchmarks.compare_power.evidence import Evidence
    from benchmarks.compare_power.spread import Spread
    from benchmarks.compare_power.tally import Detection
    from shflbench.store import Versions

ALARMED = ("alarmed", "without cases that wait for memory")  # the heads of two columns


def batches(recorded: Sequence[Batch]) -> str:
    """Return the table of the batches."""
    head = (
        "batch",
        "GPU",
        "driver",
        "NVRTC",
        "shflbench",
        "started (UTC)",
        "contexts",
        "processes",
        "with slowed cases",
    )
    return table(head, map(_batch, recorded))


def _batch(batch: Batch) -> list[str]:
    runs = batch.recording.runs
    of_runs = (
        (f"{run.device.name} {run.device.uuid[4:12]}" for run in runs if run.device),
        (run.versions.driver or "unknown" for run in runs),
        (run.versions.nvrtc or "unknown" for run in runs),
        (f"{run.versions.shflbench} {_revision(run.versions)}" for run in runs),
    )
    facts = (", ".join(sorted(set(each))) for each in of_runs)
    counts = (str(len(batch.processes(percent))) for percent in (0, SLOWER_BY))
    return [f"`{batch.name}`", *facts, _start(batch).strftime("%Y-%m-%d %H:%M"), str(batch.contexts), *counts]


def _revision(versions: Versions) -> str:
    """Return the commit that ran, or a hash of the sources outside a checkout."""
    commit = versions.git_commit
    return f"at {commit[:12]}" if commit else f"of source {(versions.source or 'unknown')[:12]}"


def _start(batch: Batch) -> datetime:
    return datetime.fromisoformat(min(run.started for run in batch.recording.runs))


def alarms(evidence: Evidence) -> str:
    """Return the share of comparisons of unchanged suites that raise an alarm, with its uncertainty."""
    head = ("mode", "comparisons", *ALARMED, "bound", "only suspected", "disjoint: bound")
    return table(head, (_alarms(evidence, mode) for mode in MODES))


def _alarms(evidence: Evidence, mode: Mode) -> list[str]:
    draws = evidence.unchanged[mode]
    share = alarmed(draws)
    apart = sum(disjoint(batch.processes(0), mode.processes) for batch in evidence.batches)
    few = Share(round(share.value * apart), apart)
    return [
        str(mode),
        str(share.of),
        f"{share.hits}: {share} ± {100 * jackknife(draws):.2g}%",
        str(alarmed(draws, steady)),
        f"{100 * share.bound:.2g}%",
        str(suspected(draws)),
        f"{apart}: {100 * few.bound:.2g}%",
    ]


def still_open(evidence: Evidence) -> str:
    """Return the share of open verdicts on unchanged code."""
    return table(("mode", *KINDS), ((str(mode), *_open(evidence.unchanged[mode], evidence)) for mode in MODES))


def _open(draws: Sequence[Drawn], evidence: Evidence) -> list[str]:
    shares = undecided(draws, evidence.times_us)
    return [str(shares[kind]) for kind in KINDS]


def spreads(evidence: Evidence) -> str:
    """Return the spread between processes of the noisiest cases, and the largest of all others."""
    named, widest, shifted = worth_naming(evidence.batches)
    rows = [[f"`{each.case_id}`", f"{each.time_us:.4g}", *_spread(each), _percent(each.shift)] for each in named]
    rows.append(["largest of all others", "", *_spread(widest), _percent(shifted.shift)])
    head = ("case", "µs", *(f"`{batch.name}`" for batch in evidence.batches))
    return table((*head, "between the means of batches"), rows)


def _spread(case: Spread) -> list[str]:
    return [f"{_percent(one)}, {_percent(far)}" for one, far in zip(case.deviations, case.furthest, strict=True)]


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}%"


def across(evidence: Evidence) -> str:
    """Return the results with the base from one batch and the new side from another."""
    head = ("batches", "distance", "mode", "comparisons", "refused", *ALARMED)
    batch = {each.name: each for each in evidence.batches}
    rows = [
        (f"`{one}`, `{other}`", _apart(batch[one], batch[other]), str(mode), *_across(draws), *_open(draws, evidence))
        for (one, other), modes in evidence.across.items()
        for mode, draws in modes.items()
    ]
    return table((*head, *(f"open, {kind}" for kind in KINDS)), rows)


def _across(draws: Sequence[Drawn]) -> list[str]:
    refused = Share(sum(drawn.refused for drawn in draws), len(draws))
    return [str(len(draws)), str(refused), str(alarmed(draws)), str(alarmed(draws, steady))]


def _apart(one: Batch, other: Batch) -> str:
    """Return the time between the starts of two batches, and whether they have the same GPU."""
    hours = abs((_start(one) - _start(other)).total_seconds()) / 3600
    same = "the same GPU" if one.gpus == other.gpus else "another GPU"
    return f"{hours:.1f} h, {same}" if hours < 48 else f"{hours / 24:.1f} days, {same}"  # noqa: PLR2004  (two days)


def slowed(mode: Mode, cases: Sequence[Detection]) -> str:
    """Return the share of real slowdowns that a mode finds, by iterations and by time."""
    rows = [
        [f"{percent}% more iterations", *_cells([each for each in cases if each.percent == percent])]
        for percent in PERCENT_MORE
    ]
    rows += [[str(slowdown), *_cells(slowed_by(cases, slowdown, *KINDS))] for slowdown in SLOWDOWNS]
    return table((f"{mode}", *KINDS), rows)


def _cells(cases: Sequence[Detection], kinds: Sequence[str] = KINDS) -> Iterator[str]:
    """Yield for each kind the share found, the number of cases, and the share of the case found least often."""
    for kind in kinds:
        alike = [each for each in cases if each.kind == kind]
        share = pooled(alike)
        least = min((each.slower for each in alike), key=lambda slower: slower.value, default=share)
        least_too = f", least {least}" if str(least) != str(share) else ""
        yield f"{share} of {len(alike)}{least_too}" if alike else "–"


def learned(evidence: Evidence) -> str:
    """Return the results with learned noise."""
    rows = []
    for mode, parts in evidence.learned.items():
        draws = [drawn for unchanged, _ in parts for drawn in unchanged]
        cases = [each for _, slower in parts for each in slower]
        finds = _cells(cases, (MIDDLE, LONG))
        rows.append([str(mode), str(len(draws)), str(alarmed(draws)), *_open(draws, evidence), *finds])
    finds_head = (f"{SLOWER_BY}% more iterations, {kind}" for kind in (MIDDLE, LONG))
    return table(("mode", "comparisons", "alarmed", *(f"open, {kind}" for kind in KINDS), *finds_head), rows)
