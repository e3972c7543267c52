"""Make the verdict on a case, with its sentence."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from shflbench.analysis.compare.comparison import ChangeVerdict, Correction, Outcome, Reason
from shflbench.analysis.compare.kernel_changes import kernel_changes
from shflbench.core.model import Interval, Status

if TYPE_CHECKING:
    from shflbench.analysis.compare.comparison import Metric
    from shflbench.analysis.compare.estimates import Floats
    from shflbench.analysis.compare.recordings import Recorded
    from shflbench.analysis.compare.rule import Contrast, JudgedChange
    from shflbench.analysis.compare.sides import Side
    from shflbench.core.thresholds import Threshold
    from shflbench.store import Row

# The 90th percentile of the samples differs between processes of unchanged code by 0.1 to 1% of the time.
SHAPE = 2.0  # times the threshold, at least
DIGITS = 4  # significant, of a value: a change of 0.1% is visible
LEAST_DECIMALS = 2  # of a correction: that of a long kernel is small beside its time
SHAPE_SURE = 5.0  # standard errors, from the spread between the processes of a side


class Measured(NamedTuple):
    """The values of one case as results.csv has them, in the unit of the metric."""

    base: float | None
    new: float | None
    offset: float  # how much longer the sentinels ran on the new side
    metric: Metric

    def correction(self, judgment: JudgedChange) -> Correction | None:
        """Return what the judgment adds to the measured difference; None if a side has no measured value."""
        if self.base is None or self.new is None:
            return None
        total = (judgment.new - judgment.base) - (self.new - self.base)
        return Correction(total, -self.offset, total + self.offset)


def verdict_of(judgment: JudgedChange, contrast: Contrast, measured: Measured, base: Row, new: Row) -> ChangeVerdict:
    """Return the verdict on a case that both sides measured."""
    advice = _advice(judgment, contrast)
    if judgment.reason is Reason.TOO_FEW_ROUNDS:
        judgment = replace(
            judgment, ratio=Interval.unknown(judgment.ratio.value), detectable=math.inf, detectable_95=math.inf
        )
    return ChangeVerdict(
        case_id=judgment.case_id,
        outcome=judgment.outcome,
        reason=judgment.reason,
        sentence=_sentence(judgment, contrast.threshold, measured),
        advice=advice,
        measured_base=measured.base,
        measured_new=measured.new,
        correction=measured.correction(judgment),
        base=judgment.base,
        new=judgment.new,
        ratio=judgment.ratio,
        threshold=contrast.threshold,
        detectable=judgment.detectable,
        detectable_95=judgment.detectable_95,
        needs_processes=judgment.needs_processes,
        median_ratio=_ratio(contrast.new.medians, contrast.base.medians),
        p90_ratio=_ratio(contrast.new.p90s, contrast.base.p90s),
        why=kernel_changes(base, new),
        remarks=tuple(filter(None, (_placement(judgment, contrast), _outlier(judgment), _shape(contrast, judgment)))),
    )


def _ratio(new: Floats, base: Floats) -> float | None:
    """Return the ratio of the means; None if one is not above 0, as slopes of slow samples may be."""
    before, after = float(base.mean()), float(new.mean())
    return after / before if min(before, after) > 0 else None


def verdict_without_times(base: Row | None, new: Row | None, side: Side) -> ChangeVerdict | None:
    """Return the verdict on a case that was not timed on both sides; None if it was. `side` is the new one."""
    if new is None:
        assert base is not None  # noqa: S101  (each case is on at least one side)
        return _verdict_on_missing(base, side)
    if base is None:
        return verdict_on_failure(new) if new.status in LOST else _plain(new, Reason.NOT_IN_BASE)
    match base.status is Status.TIMED, new.status is Status.TIMED:
        case True, True:
            return None
        case True, False:
            return verdict_on_failure(new)
        case False, True:
            return _plain(new, Reason.BASE_NOT_TIMED, f"timed now; {_state(base)} on the base side")
        case _:
            sentence = f"{_state(base)} on the base side, {_state(new)} on the new one"
            return _plain(new, Reason.NEITHER_TIMED, sentence)


def of_part(verdict: ChangeVerdict, base: Recorded | None, new: Recorded | None) -> ChangeVerdict:
    """Return the verdict on a case that processes of a side lack: missing if only those of the new side do.

    `base` and `new` say in how many processes it was measured, None for all. It is never the same: the processes that
    lack it may have failed.
    """
    if verdict.ratio is None:
        return verdict
    if new and not base and verdict.outcome is not Outcome.SLOWER:
        sentence = f"measured {new} of the new side, and in all of the base side"
        return ChangeVerdict(
            case_id=verdict.case_id, outcome=Outcome.MISSING, reason=Reason.NOT_IN_ALL_PROCESSES, sentence=sentence
        )
    presences = (("base", base), ("new", new))
    remark = "measured " + " and ".join(f"{presence} of the {side} side" for side, presence in presences if presence)
    verdict = replace(verdict, remarks=(*verdict.remarks, remark))
    if verdict.outcome is not Outcome.SAME:
        return verdict
    return replace(
        verdict,
        outcome=Outcome.INCONCLUSIVE,
        reason=Reason.NOT_IN_ALL_PROCESSES,
        advice=_NOT_CERTAIN[Reason.NOT_IN_ALL_PROCESSES],
    )


def unequal(new: Row, reason: Reason, sentence: str) -> ChangeVerdict:
    """Return the verdict on a case that was measured on both sides, but not comparably."""
    return _plain(new, reason, sentence)


def without_interval(case_id: str, measured: Measured, threshold: Threshold, missing: str) -> ChangeVerdict:
    """Return the verdict on a case whose uncertainty is unknown on a side, as the sentence `missing` says.

    A change that reaches the threshold is suspected.
    """
    base, new, unit = measured.base, measured.new, measured.metric.unit
    if not (base and new and min(base, new) > 0):
        return ChangeVerdict(case_id=case_id, outcome=Outcome.INCONCLUSIVE, reason=Reason.NO_INTERVAL, sentence=missing)
    reaches = abs(new - base) >= threshold.fraction_of(min(base, new)) * min(base, new)
    return ChangeVerdict(
        case_id=case_id,
        outcome=Outcome.SUSPECTED if reaches else Outcome.INCONCLUSIVE,
        reason=Reason.NO_INTERVAL,
        sentence=f"{significant(base)} {unit}, now {significant(new)} {unit}: {change_percent(new / base)}%",
        advice=f"{missing}: record samples, or their standard deviation and number",
        measured_base=base,
        measured_new=new,
        base=base,
        new=new,
        ratio=Interval.unknown(new / base),
    )


def _plain(row: Row, reason: Reason, sentence: str = "not on the base side") -> ChangeVerdict:
    outcome = Outcome.NEW if reason is Reason.NOT_IN_BASE else Outcome.NOT_COMPARABLE
    return ChangeVerdict(case_id=row.case_id, outcome=outcome, reason=reason, sentence=sentence)


LOST = {Status.INCORRECT: Reason.INCORRECT_RESULT, Status.FAILED: Reason.CASE_FAILED}


def verdict_on_registers(base: Row | None, new: Row | None, side: Side) -> ChangeVerdict:
    """Compare the registers of a kernel: the numbers are exact, so that any increase counts."""
    if new and new.status in LOST and not (base and base.status in LOST):
        return verdict_on_failure(new)
    if base is None or new is None or base.registers is None or new.registers is None:
        if verdict := verdict_without_times(base, new, side):
            return verdict
        assert new is not None  # noqa: S101  (each case is on at least one side)
        return unequal(new, Reason.NO_VALUE, "the number of registers is unknown on a side")
    before, after = base.registers, new.registers
    more, same = after > before, after == before
    return ChangeVerdict(
        case_id=new.case_id,
        outcome=Outcome.SAME if same else Outcome.SLOWER if more else Outcome.FASTER,
        reason=Reason.WITHIN_THRESHOLD if same else Reason.BEYOND_THRESHOLD,
        sentence=f"{before} registers" if same else f"{before} registers, now {after}",
        measured_base=before,
        measured_new=after,
        base=before,
        new=after,
        ratio=Interval(after / before, after / before, after / before) if before else None,
        why=kernel_changes(base, new),
    )


def verdict_on_failure(new: Row) -> ChangeVerdict:
    """Judge a case that the new side did not time."""
    return ChangeVerdict(
        case_id=new.case_id,
        outcome=Outcome.FAILED if new.status in LOST else Outcome.MISSING,
        reason=LOST.get(new.status, Reason.NOT_TIMED_ANY_MORE),
        sentence=f"{_state(new)} on the new side",
    )


def _verdict_on_missing(base: Row, side: Side) -> ChangeVerdict:
    unfinished = any(run.info.finished is None for run in side.runs)
    return ChangeVerdict(
        case_id=base.case_id,
        outcome=Outcome.MISSING,
        reason=Reason.RUN_UNFINISHED if unfinished else Reason.NOT_IN_NEW,
        sentence="not on the new side" + (": its run is unfinished" if unfinished else ""),
    )


def _state(row: Row) -> str:
    return f"{row.status} ({row.reason})" if row.reason else str(row.status)


_NOT_CERTAIN = {
    Reason.FEW_PROCESSES: "1 or 2 processes per side may differ by as much: measure 3 or more",
    Reason.OTHER_GPU: "two GPUs of one model may differ by as much: compare runs on one GPU",
    Reason.PAGE_PLACEMENT: (
        "other physical pages may change it by as much: measure more processes, or learn the noise of the GPU"
    ),
    Reason.NO_SENTINELS: "without sentinels a change of the machine is not excluded",
    Reason.NOT_ALTERNATED: "a change of the machine is not excluded: run the processes of both sides in turn",
    Reason.CLOCKS_UNKNOWN: "a change of the machine is not excluded: record the SM clock",
    Reason.CLOCKS_DIFFER: "the SM clock was not the same on both sides: lock it",
    Reason.NO_SAMPLES: "without samples the precision is unknown",
    Reason.NOT_IN_ALL_PROCESSES: "some processes lack it: find out why, and measure them again",
    Reason.TOO_FEW_ROUNDS: "fewer than three rounds per process: measure longer",
}


def _sentence(judgment: JudgedChange, threshold: float, measured: Measured) -> str:
    times, ratio = _values(judgment, measured), judgment.ratio
    span = f"{change_percent(ratio.low)} to {change_percent(ratio.high)}%"
    change, limit = f"{change_percent(ratio.value)}%", f"{100 * threshold:.3g}%"
    if ratio.is_known:
        change += f" ({span})"
    match judgment.reason:
        case Reason.WITHIN_THRESHOLD:
            return f"{times}: no change of {limit} or more ({span})"
        case Reason.BELOW_THRESHOLD:
            return f"{times}: {change}, below the threshold of {limit}"
        case _:
            return f"{times}: {change}"


def _values(judgment: JudgedChange, measured: Measured) -> str:
    """Return the measured values, and the correction with which the change is judged."""
    unit, correction = measured.metric.unit, measured.correction(judgment)
    base, new = measured.base, measured.new
    if correction is None or base is None or new is None:
        return f"judged by {significant(judgment.base)} {unit}, now {significant(judgment.new)} {unit}"
    times = f"{significant(base)} {unit}, now {significant(new)} {unit}"
    return f"{times}, corrected by {signed_like(correction.total, base)} {unit}" if correction.total else times


def significant(number: float) -> str:
    """Return a value with four significant digits, the zeros at its end included; all digits before the point."""
    return f"{number:.{_decimals(number)}f}"


def signed_like(number: float, reference: float) -> str:
    """Return a number with its sign and the decimals of `reference`, two at least: `-1.44`."""
    decimals = max(LEAST_DECIMALS, _decimals(reference))
    return f"{round(number, decimals) + 0.0:+.{decimals}f}"  # + 0.0: no minus before a rounded zero


def _decimals(number: float) -> int:
    return max(0, DIGITS - 1 - math.floor(math.log10(abs(number)))) if number else 0


def _advice(judgment: JudgedChange, contrast: Contrast) -> str:
    if judgment.reason is Reason.TOO_FEW_ROUNDS and judgment.outcome is Outcome.SUSPECTED:
        return f"{_change_of_samples(judgment.ratio, contrast)}: measure three rounds or more per process"
    if judgment.reason is not Reason.INTERVAL_TOO_WIDE:
        return _NOT_CERTAIN.get(judgment.reason, "")
    needs = judgment.needs_processes
    return f"{needs} processes per side would settle it" if needs else "more processes will not settle it"


def _change_of_samples(ratio: Interval, contrast: Contrast) -> str:
    """Return the change that samples of too few rounds show."""
    if any(math.isnan(variance) for side in (contrast.base, contrast.new) for variance in side.variances.tolist()):
        return f"{change_percent(ratio.value)}% between single samples, whose noise is unknown"
    span = f"{change_percent(ratio.low)} to {change_percent(ratio.high)}%"
    return f"{span} if the samples are independent, which fewer than three rounds do not show"


def change_percent(ratio: float) -> str:
    """Return a ratio as a change in percent, with its sign and without the unit: `+2.1`."""
    change = 100 * (ratio - 1)
    digits = 1 if abs(change) >= 1 else 2
    return f"{round(change, digits) + 0.0:+.{digits}f}"  # + 0.0: no minus before a rounded zero


def _placement(judgment: JudgedChange, contrast: Contrast) -> str:
    """Return a sentence if other pages alone explain why the case is undecided."""
    undecided = judgment.outcome in {Outcome.SUSPECTED, Outcome.INCONCLUSIVE}
    change = abs(judgment.new - judgment.base) / min(judgment.base, judgment.new)
    if not undecided or change >= contrast.placement:
        return ""
    most = f"{100 * contrast.placement:.2g}%"
    return f"the kernel waits for memory: other physical pages of its buffers change its time by up to {most}"


def _outlier(judgment: JudgedChange) -> str:
    if not judgment.outlier_excess:
        return ""
    return f"one outlier process was excluded: it took {100 * judgment.outlier_excess:.2g}% longer than every other"


def _shape(contrast: Contrast, judgment: JudgedChange) -> str:
    """Return a sentence if the slow samples changed differently from the fast ones, which decide the verdict."""
    sides = [side.p90s / side.values for side in (contrast.base, contrast.new)]
    move = float(sides[1].mean() - sides[0].mean())
    # The quieter side's spread: if one sample in ten became slow, the 90th percentile of that side is random.
    spread = min((float(side.var(ddof=1)) for side in sides if len(side) > 1), default=0.0)
    error = math.sqrt(spread * sum(1 / len(side) for side in sides))
    ratio = _ratio(contrast.new.p90s, contrast.base.p90s)
    if ratio is None or abs(move) <= max(SHAPE * contrast.threshold, SHAPE_SURE * error):
        return ""
    return (
        f"the distribution changed: {change_percent(ratio)}% at the 90th percentile, "
        f"{change_percent(judgment.ratio.value)}% in the fastest half"
    )
