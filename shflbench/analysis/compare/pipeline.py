"""Compare two sides: from runs to verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.analysis.compare import verdicts
from shflbench.analysis.compare.comparability import (
    changes,
    reasons_against,
    refuse_mixture,
    refuse_same_run,
    run_warnings,
)
from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison, Metric, NoiseUsed, Outcome, Reason
from shflbench.analysis.compare.evidence import QUICK_THRESHOLD, ComparisonEvidence
from shflbench.analysis.compare.metrics import measured_values, value_of, values_from_row, values_from_samples
from shflbench.analysis.compare.placement import page_use, recorded_waits, with_placement
from shflbench.analysis.compare.recordings import missing_in_part, refuse_same_measurement
from shflbench.analysis.compare.rule import FAMILY_ERROR, Contrast
from shflbench.analysis.compare.time_bounds import with_limits
from shflbench.analysis.compare.verdicts import Measured
from shflbench.core.model import Status
from shflbench.core.thresholds import Thresholds
from shflbench.core.time_limits import TimeLimits
from shflbench.core.words import count_noun, one_or_many
from shflbench.errors import ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.sides import Side


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a comparison."""

    thresholds: Thresholds = field(default_factory=Thresholds)  # they override those of the suite
    metric: Metric = Metric.TIME
    across: bool = False  # report without verdicts, even if the sides cannot be compared
    allowed: frozenset[Outcome] = frozenset()  # findings that do not fail the gate
    any_revision: bool = False  # of the suite's text
    noise: NoiseModel | None = None  # learned on this machine
    alternated: bool = False  # the user states that the processes of both sides ran in turn
    limits: TimeLimits = field(default_factory=TimeLimits)  # longest times of the new side


def compare(base: Side, new: Side, settings: Settings | None = None) -> Comparison:
    """Match the cases of two sides by id and judge each.

    ResultsError if the sides cannot be compared and `settings.across` does not ask for a report anyway; UsageError for
    a threshold in µs or a limit with a metric that is not a time, and for a limit where no verdict is asked for.
    """
    settings = settings or Settings()
    if settings.limits.limits and (settings.metric is not Metric.TIME or settings.across):
        other = "a report without verdicts" if settings.across else settings.metric.value
        raise UsageError(f"{other} has no limit: limits are times", "leave --limit out")
    for side in (base, new):
        refuse_mixture(side)
    refuse_same_run(base, new)
    refuse_same_measurement(base, new)
    timed = settings.metric is not Metric.REGISTERS
    evidence = ComparisonEvidence.of(base, new, alternated=settings.alternated) if timed else None
    across = tuple(_reasons_against(base, new, settings, evidence))
    if across and not settings.across:
        raise ResultsError(
            f"{base.name} and {new.name} cannot be compared: {'; '.join(across)}",
            "compare runs of one suite on one model of GPU, or use --across for a report without verdicts",
        )
    compared = _times(base, new, settings, evidence) if evidence else _registers(base, new)
    verdicts_ = tuple(map(_without_verdict, compared.verdicts)) if across else compared.verdicts
    return replace(
        compared,
        verdicts=with_limits(verdicts_, new, settings.limits) if settings.limits.limits else verdicts_,
        across=across,
        notes=(*changes(base, new), *compared.notes),
        warnings=(*run_warnings(base), *run_warnings(new), *compared.warnings),
        allowed=settings.allowed,
    )


def _reasons_against(base: Side, new: Side, settings: Settings, evidence: ComparisonEvidence | None) -> Iterator[str]:
    yield from reasons_against(base, new, timed=evidence is not None, any_revision=settings.any_revision)
    if evidence and evidence.machine_change:
        direction = "slower" if evidence.machine_change > 0 else "faster"
        yield f"the sentinels ran {100 * abs(evidence.machine_change):.2f}% {direction}: the machine itself changed"


def _times(base: Side, new: Side, settings: Settings, evidence: ComparisonEvidence) -> Comparison:
    """Compare times, or a metric computed from times."""
    thresholds = new.runs[0].info.thresholds_in_force.overridden_by(settings.thresholds)
    if settings.metric is not Metric.TIME and any(threshold.unit == "us" for threshold in thresholds.values()):
        raise UsageError(f"{settings.metric} has no threshold in µs", "give a percentage, such as 1%")
    in_force = replace(settings, thresholds=thresholds)
    skipped = _skipped_on_purpose(base, new)
    ids = [case_id for case_id in dict.fromkeys([*base.rows, *new.rows]) if case_id not in skipped]
    paired = {case_id: _pair(base, new, case_id, in_force, evidence) for case_id in ids}
    contrasts = [pair for pair in paired.values() if isinstance(pair, Contrast)]
    if not any(run.info.converted for run in (*base.runs, *new.runs)):  # other tools declare nothing
        waits = recorded_waits(run.info for run in new.runs)
        contrasts = [with_placement(case, page_use(new.rows[case.case_id], waits)) for case in contrasts]
    learned = settings.noise
    if learned and settings.metric is not Metric.TIME:
        learned = replace(learned, cases={})  # they are known in µs
    judged = evidence.judge(contrasts, thresholds, learned)
    verdict = {case_id: pair for case_id, pair in paired.items() if isinstance(pair, ChangeVerdict)}
    before, after = (measured_values(side, settings.metric) for side in (base, new))
    for judgment, contrast in zip(judged.judgments, judged.contrasts, strict=True):
        case_id = judgment.case_id
        rows = base.rows[case_id], new.rows[case_id]
        offset = evidence.offset_of(contrast) if settings.metric is Metric.TIME else 0.0
        measured = Measured(before.get(case_id), after.get(case_id), offset, settings.metric)
        verdict[case_id] = verdicts.verdict_of(judgment, contrast, measured, *rows)
    base_lacks, new_lacks = missing_in_part(base), missing_in_part(new)
    for case_id in (base_lacks.keys() | new_lacks.keys()) & verdict.keys():
        verdict[case_id] = verdicts.of_part(verdict[case_id], base_lacks.get(case_id), new_lacks.get(case_id))
    return Comparison(
        base=base.info(),
        new=new.info(),
        metric=settings.metric,
        verdicts=tuple(verdict[case_id] for case_id in ids),
        noise=NoiseUsed(judged.noise.source, judged.noise.a_us, judged.noise.b) if contrasts else None,
        false_alarms=FAMILY_ERROR if contrasts else None,
        offset_us=evidence.offsets.difference if evidence.offsets else None,
        notes=tuple(_notes(evidence, len(skipped))),
        warnings=tuple(filter(None, (*evidence.warnings(contrasts), judged.misfit))),
    )


def _skipped_on_purpose(base: Side, new: Side) -> frozenset[str]:
    """Return the cases that another tool skipped on both sides, as its benchmarks do with some values of their axes."""
    if any(run.info.converted is None for side in (base, new) for run in side.runs):
        return frozenset()
    return frozenset(
        case_id
        for case_id in base.rows.keys() & new.rows.keys()
        if base.rows[case_id].status is new.rows[case_id].status is Status.SKIPPED
    )


def _notes(evidence: ComparisonEvidence, skipped: int) -> Iterator[str]:
    if evidence.machine and (note := evidence.machine.note()):
        yield note
    if skipped:
        yield f"{count_noun(skipped, 'case')} {one_or_many(skipped, 'was', 'were')} skipped on both sides"


def _registers(base: Side, new: Side) -> Comparison:
    """Compare the registers of each kernel, without a GPU."""
    rows = ((base.rows.get(case_id), new.rows.get(case_id)) for case_id in dict.fromkeys([*base.rows, *new.rows]))
    return Comparison(
        base=base.info(),
        new=new.info(),
        metric=Metric.REGISTERS,
        verdicts=tuple(verdicts.verdict_on_registers(*pair, new) for pair in rows),
        noise=None,
    )


def _pair(
    base: Side, new: Side, case_id: str, settings: Settings, evidence: ComparisonEvidence
) -> Contrast | ChangeVerdict:
    """Return a case on both sides, or the verdict on it if it cannot be compared."""
    if verdict := verdicts.verdict_without_times(base.rows.get(case_id), new.rows.get(case_id), new):
        return verdict
    row, offsets, metric = new.rows[case_id], evidence.offsets, settings.metric
    if evidence.sampled:
        before = values_from_samples(base, case_id, metric, offsets.base if offsets else None)
        after = values_from_samples(new, case_id, metric, offsets.new if offsets else None)
    else:
        before, after = values_from_row(base, case_id, metric), values_from_row(new, case_id, metric)
    for name, side, values in (("base", base, before), ("new", new, after)):
        if values is None and value_of(side.rows[case_id], metric) is None:
            return verdicts.unequal(row, Reason.NO_VALUE, f"the {name} side has no {metric}")
        if values is None:
            measured = Measured(value_of(base.rows[case_id], metric), value_of(row, metric), 0.0, metric)
            threshold = settings.thresholds.of(case_id) or QUICK_THRESHOLD
            return verdicts.without_interval(
                case_id, measured, threshold, f"the {name} side has no interval of its {metric}"
            )
        if not values.estimates.positive:
            return verdicts.unequal(row, Reason.NO_VALUE, f"the {metric} of the {name} side is not above 0")
    assert before is not None  # noqa: S101  (no side has no value)
    assert after is not None  # noqa: S101
    if before.estimates.launches != after.estimates.launches or not before.estimates.launches:
        return verdicts.unequal(row, Reason.OTHER_LAUNCHES, "the sides differ in launches per sample (one, eight)")
    return Contrast(case_id, before.estimates, after.estimates, before.weights.between(after.weights))


def _without_verdict(verdict: ChangeVerdict) -> ChangeVerdict:
    if verdict.ratio is None:
        return verdict
    return replace(verdict, outcome=Outcome.NOT_COMPARABLE, reason=Reason.ACROSS, advice="")
