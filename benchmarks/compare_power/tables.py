"""The tables of `compare_power`'s page, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from benchmarks.common.pages import UNKNOWN, table
from benchmarks.compare_power.batch import Batch
from benchmarks.compare_power.draws import DEFAULT, Drawn, Mode, disjoint
from benchmarks.compare_power.suite import PERCENT_MORE, steady
from benchmarks.compare_power.tally import (
    KINDS,
    LONG,
    MIDDLE,
    SLOWDOWNS,
    SLOWER_BY,
    TWO,
    Detection,
    Evidence,
    Share,
    alarmed,
    jackknife,
    pooled,
    slowed_by,
    suspected,
    undecided,
)
from shflbench.analysis.compare.noise import USUAL
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.store import Versions

NOISY = 2.0  # times the usual noise
ALARMED = ("alarmed", "without cases that wait for memory")  # the heads of two columns


def batches(recorded: Sequence[Batch]) -> str:
    """Return the table of the batches."""
    head = ("batch", "GPU", "driver", "NVRTC", "shflbench", "started (UTC)", "contexts", "processes")
    return table((*head, "with slowed cases"), map(_batch, recorded))


def _batch(batch: Batch) -> list[str]:
    runs = batch.recording.runs
    of_runs = (
        (f"{run.device.name} {run.device.uuid[4:12]}" for run in runs if run.device),
        (run.versions.driver or "unknown" for run in runs),
        (run.versions.nvrtc or "unknown" for run in runs),
        (f"{run.versions.shflbench} {_revision(run.versions)}" for run in runs),
    )
    facts = (", ".join(sorted(set(each))) for each in of_runs)
    counts = (batch.contexts, *(len(batch.processes(percent)) for percent in (0, SLOWER_BY)))
    return [f"`{batch.name}`", *facts, f"{_start(batch):%Y-%m-%d %H:%M}", *map(str, counts)]


def _revision(versions: Versions) -> str:
    """Return the commit that ran, or a hash of the sources outside a checkout."""
    commit = versions.git_commit
    return f"at {commit[:12]}" if commit else f"of source {(versions.source or 'unknown')[:12]}"


def _start(batch: Batch) -> datetime:
    return datetime.fromisoformat(min(run.started for run in batch.recording.runs))


def alarms(evidence: Evidence) -> str:
    """Return the share of comparisons of unchanged suites that raise an alarm, with its uncertainty."""
    rows = []
    for mode, draws in evidence.unchanged.items():
        share = alarmed(draws)
        apart = sum(disjoint(batch.processes(0), mode.processes) for batch in evidence.batches)
        few = Share(round(share.value * apart), apart)
        both = f"{share.hits}: {share} ± {100 * jackknife(draws):.2g}%", alarmed(draws, steady)
        rows.append(
            (mode, share.of, *both, f"{100 * share.bound:.2g}%", suspected(draws), f"{apart}: {100 * few.bound:.2g}%")
        )
    return table(("mode", "comparisons", *ALARMED, "bound", "only suspected", "disjoint: bound"), rows)


def still_open(evidence: Evidence) -> str:
    """Return the share of open verdicts on unchanged code."""
    return table(("mode", *KINDS), ((mode, *_open(draws, evidence)) for mode, draws in evidence.unchanged.items()))


def _open(draws: Sequence[Drawn], evidence: Evidence) -> Sequence[Share]:
    return [*undecided(draws, evidence.times_us).values()]


class Spread(NamedTuple):
    """The spread of one case, as fractions of its time."""

    case_id: str
    time_us: float
    deviations: tuple[float, ...]  # between the processes of each batch
    furthest: tuple[float, ...]  # the largest distance of a process from the median one, of each batch
    shift: float  # from the batch with the smallest mean to the one with the largest

    @property
    def noisy(self) -> bool:
        """Whether its processes differ by more than the usual noise, in any batch."""
        return max(self.deviations) * self.time_us > NOISY * USUAL.deviation(self.time_us)


def spreads_of(batches: Sequence[Batch]) -> list[Spread]:
    """Return the spread of each case, the widest first."""
    results = []
    batch_cases = [subtract_offsets(batch.pool()) for batch in batches]
    for case in batch_cases[0]:
        values = [cases[case].values for cases in batch_cases if case in cases]
        means = [float(each.mean()) for each in values]
        results.append(
            Spread(
                case,
                means[0],
                tuple(float(each.std(ddof=1) / each.mean()) for each in values),
                tuple(float(max(abs(each / sorted(each)[len(each) // 2] - 1))) for each in values),
                max(means) / min(means) - 1,
            )
        )
    return sorted(results, key=lambda spread: -max(spread.deviations))


def worth_naming(batches: Sequence[Batch]) -> tuple[list[Spread], Spread, Spread]:
    """Return the cases that wait for memory or are noisy, and of the others those with the largest spread and shift."""
    every = spreads_of(batches)
    named = [each for each in every if not steady(each.case_id) or each.noisy]
    others = [each for each in every if each not in named]
    return named, others[0], max(others, key=lambda each: each.shift)


def spreads(evidence: Evidence) -> str:
    """Return the spread between processes of the noisiest cases, and the largest of all others."""
    named, widest, shifted = worth_naming(evidence.batches)
    rows = [(f"`{each.case_id}`", f"{each.time_us:.4g}", *_spread(each), f"{each.shift:.2%}") for each in named]
    rows.append(("largest of all others", "", *_spread(widest), f"{shifted.shift:.2%}"))
    head = ("case", "µs", *(f"`{batch.name}`" for batch in evidence.batches))
    return table((*head, "between the means of batches"), rows)


def _spread(case: Spread) -> list[str]:
    return [f"{one:.2%}, {far:.2%}" for one, far in zip(case.deviations, case.furthest, strict=True)]


def across(evidence: Evidence) -> str:
    """Return the results with the base from one batch and the new side from another."""
    head = ("batches", "distance", "mode", "comparisons", "refused", *ALARMED)
    batch = {each.name: each for each in evidence.batches}
    rows = []
    for (one, other), modes in evidence.across.items():
        for mode, draws in modes.items():
            refused = Share(sum(drawn.refused for drawn in draws), len(draws))
            shares = (refused, alarmed(draws), alarmed(draws, steady), *_open(draws, evidence))
            rows.append((f"`{one}`, `{other}`", _apart(batch[one], batch[other]), mode, len(draws), *shares))
    return table((*head, *(f"open, {kind}" for kind in KINDS)), rows)


def _apart(one: Batch, other: Batch) -> str:
    """Return the time between the starts of two batches, and whether they have the same GPU."""
    hours = abs((_start(one) - _start(other)).total_seconds()) / 3600
    same = "the same GPU" if one.gpus == other.gpus else "another GPU"
    return f"{hours:.1f} h, {same}" if hours < 48 else f"{hours / 24:.1f} days, {same}"  # noqa: PLR2004  (two days)


def slowed(mode: Mode, cases: Sequence[Detection]) -> str:
    """Return the share of real slowdowns that a mode finds, by iterations and by time."""
    groups = {f"{more}% more iterations": [each for each in cases if each.percent == more] for more in PERCENT_MORE}
    groups |= {str(slowdown): slowed_by(cases, slowdown, *KINDS) for slowdown in SLOWDOWNS}
    return table((f"{mode}", *KINDS), ((name, *_cells(group)) for name, group in groups.items()))


def _cells(cases: Sequence[Detection], kinds: Sequence[str] = KINDS) -> Iterator[str]:
    """Yield for each kind the share found, the number of cases, and the share of the case found least often."""
    for kind in kinds:
        alike = [each for each in cases if each.kind == kind]
        share = pooled(alike)
        least = min((each.slower for each in alike), key=lambda slower: slower.value, default=share)
        least_too = f", least {least}" if str(least) != str(share) else ""
        yield f"{share} of {len(alike)}{least_too}" if alike else UNKNOWN


def learned(evidence: Evidence) -> str:
    """Return the results with learned noise."""
    rows = []
    for mode, parts in evidence.learned.items():
        draws = [drawn for unchanged, _ in parts for drawn in unchanged]
        finds = _cells([each for _, slower in parts for each in slower], (MIDDLE, LONG))
        rows.append((mode, len(draws), alarmed(draws), *_open(draws, evidence), *finds))
    finds_head = (f"{SLOWER_BY}% more iterations, {kind}" for kind in (MIDDLE, LONG))
    return table(("mode", "comparisons", "alarmed", *(f"open, {kind}" for kind in KINDS), *finds_head), rows)


def batchwise(evidence: Evidence) -> str:
    """Return the requirements of the default mode, batch by batch."""
    rows = []
    for batch in evidence.batches:
        processes = set(batch.processes(0))
        draws = [drawn for drawn in evidence.unchanged[DEFAULT] if drawn.processes <= processes]
        still = undecided(draws, evidence.times_us)
        cases = [case for case in evidence.slowed[DEFAULT] if case.batch == batch.name]
        shares = (pooled(slowed_by(cases, TWO, kind)) for kind in (MIDDLE, LONG))
        rows.append((f"`{batch.name}`", len(draws), alarmed(draws), still[MIDDLE], still[LONG], *shares))
    heads = (f"{what}, {kind}" for what in ("open", str(TWO)) for kind in (MIDDLE, LONG))
    return table(("batch", "comparisons", "alarmed", *heads), rows)
