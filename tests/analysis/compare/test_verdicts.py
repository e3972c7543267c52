from dataclasses import replace

import numpy as np
import pytest

from shflbench.analysis.compare import ChangeVerdict, Metric, Outcome, Reason
from shflbench.analysis.compare.noise import NoiseModel, Weights
from shflbench.analysis.compare.rule import Contrast, Doubt, JudgedChange, judge
from shflbench.analysis.compare.verdicts import (
    Measured,
    change_percent,
    verdict_of,
    verdict_on_failure,
    verdict_without_times,
)
from shflbench.core.model import Status
from shflbench.store import Row
from tests.fakes.estimated import estimated
from tests.fakes.processes import verified
from tests.fakes.runs import untimed
from tests.fakes.sides import side
from tests.fakes.simulated import Simulated, spread

(CASE,) = spread(1)
SHFL, _, _, SMEM = (verified(case) for case in spread(4))
ROW = replace(verified(CASE), status=Status.TIMED, time_us=10.0)
NEW_SIDE = side(Simulated(cases=spread(1), processes=1))


def state(status: Status, reason: str = "") -> Row:
    return untimed(ROW, status, reason)


@pytest.mark.parametrize(
    ("base", "new", "outcome", "reason", "sentence"),
    [
        (ROW, None, Outcome.MISSING, Reason.NOT_IN_NEW, "not on the new side"),
        (
            ROW, state(Status.SKIPPED, "needs sm_80"), Outcome.MISSING, Reason.NOT_TIMED_ANY_MORE,
            "skipped (needs sm_80) on the new side",
        ),
        (
            ROW, state(Status.COMPILED), Outcome.MISSING, Reason.NOT_TIMED_ANY_MORE, "compiled on the new side",
        ),
        (
            ROW, state(Status.FAILED, "it crashed"), Outcome.FAILED, Reason.CASE_FAILED,
            "failed (it crashed) on the new side",
        ),
        (
            ROW, state(Status.INCORRECT, "lane 3 is wrong"), Outcome.FAILED, Reason.INCORRECT_RESULT,
            "incorrect (lane 3 is wrong) on the new side",
        ),
        (None, ROW, Outcome.NEW, Reason.NOT_IN_BASE, "not on the base side"),
        (None, state(Status.SKIPPED, "a"), Outcome.NEW, Reason.NOT_IN_BASE, "not on the base side"),
        (
            None, state(Status.FAILED, "it crashed"), Outcome.FAILED, Reason.CASE_FAILED,
            "failed (it crashed) on the new side",
        ),
        (
            state(Status.FAILED, "it crashed"), ROW, Outcome.NOT_COMPARABLE, Reason.BASE_NOT_TIMED,
            "timed now; failed (it crashed) on the base side",
        ),
        (
            state(Status.SKIPPED, "a"), state(Status.FAILED, "b"), Outcome.NOT_COMPARABLE, Reason.NEITHER_TIMED,
            "skipped (a) on the base side, failed (b) on the new one",
        ),
    ],
)  # fmt: skip
def test_a_case_that_one_side_did_not_time(
    base: Row | None, new: Row | None, outcome: Outcome, reason: Reason, sentence: str
) -> None:
    found = verdict_without_times(base, new, NEW_SIDE)
    assert found == ChangeVerdict(case_id=CASE.id, outcome=outcome, reason=reason, sentence=sentence)


def test_a_case_that_both_sides_timed_is_for_the_rule() -> None:
    assert verdict_without_times(ROW, ROW, NEW_SIDE) is None


def test_a_case_missing_from_an_unfinished_run_says_so() -> None:
    (run,) = NEW_SIDE.runs
    stopped = replace(NEW_SIDE, runs=(run, replace(run, info=replace(run.info, finished=None))))
    found = verdict_without_times(ROW, None, stopped)
    assert found is not None
    assert (found.outcome, found.reason) == (Outcome.MISSING, Reason.RUN_UNFINISHED)
    assert found.sentence == "not on the new side: its run is unfinished"


def test_a_failed_case_is_a_finding_and_a_skipped_one_is_missing() -> None:
    assert {
        status: verdict_on_failure(state(status)).outcome
        for status in (Status.FAILED, Status.INCORRECT, Status.SKIPPED)
    } == {
        Status.FAILED: Outcome.FAILED,
        Status.INCORRECT: Outcome.FAILED,
        Status.SKIPPED: Outcome.MISSING,
    }


def measured(judgment: JudgedChange, metric: Metric = Metric.TIME) -> Measured:
    """Return the measured values that are judged as they are."""
    return Measured(judgment.base, judgment.new, 0.0, metric)


CHANGED = "10.00 µs, now 11.00 µs: +10.0% (+8.7 to +11.3%)"


def verdict_on(new: float, *, threshold: float = 0.05, processes: int = 3, doubt: Doubt | None = None) -> ChangeVerdict:
    """Return the verdict on a case that took 10 µs."""
    before, after = (estimated(*[value] * processes) for value in (10.0, new))
    contrast = Contrast(CASE.id, before, after, Weights(1.0, 0.0), threshold, threshold, doubt)
    (finding,) = judge([contrast], NoiseModel(0.05, 0.0, ""))
    return verdict_of(finding, contrast, measured(finding), ROW, replace(ROW, registers=40))


def test_an_excluded_outlier_process_is_remarked() -> None:
    contrast = Contrast(CASE.id, estimated(10.0), estimated(11.0), Weights(1.0, 0.0), 0.05)
    (finding,) = judge([contrast], NoiseModel(0.05, 0.0, ""))
    (remark,) = verdict_of(replace(finding, outlier_excess=0.0432), contrast, measured(finding), ROW, ROW).remarks
    assert remark == "one outlier process was excluded: it took 4.3% longer than every other"


@pytest.mark.parametrize(
    ("verdict", "sentence", "advice"),
    [
        (verdict_on(11.0), CHANGED, ""),
        (verdict_on(9.0), "10.00 µs, now 9.000 µs: -10.0% (-11.3 to -8.7%)", ""),
        (verdict_on(10.0), "10.00 µs, now 10.00 µs: no change of 5% or more (-1.3 to +1.3%)", ""),
        (verdict_on(10.3), "10.00 µs, now 10.30 µs: +3.0% (+1.7 to +4.3%), below the threshold of 5%", ""),
        (
            verdict_on(10.05, threshold=0.01),
            "10.00 µs, now 10.05 µs: +0.50% (-0.79 to +1.8%)",
            "9 processes per side would settle it",
        ),
        (
            verdict_on(10.0999, threshold=0.01),
            "10.00 µs, now 10.10 µs: +1.00% (-0.29 to +2.3%)",
            "more processes will not settle it",
        ),
        (
            verdict_on(11.0, doubt=Doubt(Reason.FEW_PROCESSES, 3.0)),
            CHANGED,
            "1 or 2 processes per side may differ by as much: measure 3 or more",
        ),
        (
            verdict_on(11.0, doubt=Doubt(Reason.NO_SAMPLES, least=0.2)),
            CHANGED,
            "without samples the precision is unknown",
        ),
    ],
)
def test_the_sentence_has_both_values_and_the_change_and_the_advice_the_next_step(
    verdict: ChangeVerdict, sentence: str, advice: str
) -> None:
    assert (verdict.sentence, verdict.advice) == (sentence, advice)


def test_a_correction_leads_from_the_measured_times_to_the_judged_change() -> None:
    contrast = Contrast(CASE.id, estimated(10.0), estimated(11.0), Weights(1.0, 0.0), 0.05)
    (finding,) = judge([contrast], NoiseModel(0.05, 0.0, ""))
    verdict = verdict_of(finding, contrast, Measured(10.2, 11.8, 0.5, Metric.TIME), ROW, ROW)
    assert (verdict.measured_base, verdict.measured_new, verdict.base, verdict.new) == (10.2, 11.8, 10.0, 11.0)
    assert verdict.correction is not None
    parts = verdict.correction.total, verdict.correction.sentinels, verdict.correction.fastest_half
    assert parts == pytest.approx((-0.6, -0.5, -0.1))
    assert verdict.sentence.startswith("10.20 µs, now 11.80 µs, corrected by -0.60 µs: +10.0% (")
    unknown = verdict_of(finding, contrast, Measured(None, 11.8, 0.5, Metric.TIME), ROW, ROW)
    assert unknown.correction is None
    assert unknown.sentence.startswith("judged by 10.00 µs, now 11.00 µs: +10.0% (")


def test_every_doubt_has_its_own_advice() -> None:
    reasons = (Reason.FEW_PROCESSES, Reason.OTHER_GPU, Reason.NO_SENTINELS, Reason.NO_SAMPLES)
    verdicts = [verdict_on(11.0, doubt=Doubt(reason, least=0.2)) for reason in reasons]
    assert [(verdict.outcome, verdict.reason) for verdict in verdicts] == [
        (Outcome.SUSPECTED, each) for each in reasons
    ]
    assert len({verdict.advice for verdict in verdicts}) == len(reasons)


def test_the_verdict_has_the_changes_of_the_kernel_and_of_all_samples() -> None:
    verdict = verdict_on(11.0)
    assert verdict.why == ("registers 16 → 40",)
    assert [verdict.median_ratio, verdict.p90_ratio] == pytest.approx([1.1, 1.1])
    assert (verdict.base, verdict.new, verdict.threshold, verdict.remarks) == (10.0, 11.0, 0.05, ())


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "+0.00"), (0.99999, "+0.00"), (1.0234, "+2.3"), (0.9, "-10.0"), (1.0051, "+0.51"), (2.0, "+100.0")],
)
def test_a_change_is_reported_with_its_sign_and_as_many_digits_as_say_something(ratio: float, text: str) -> None:
    assert change_percent(ratio) == text


def shaped(*p90s: float, threshold: float = 0.01) -> ChangeVerdict:
    """Return the verdict on a case of three processes per side, whose slow samples are 10.3 µs on the base side."""
    base = new = estimated(10.0, 10.001, 9.999)
    new = replace(new, p90s=np.array(p90s))
    contrast = Contrast(CASE.id, base, new, Weights(1.0, 0.0), threshold)
    (finding,) = judge([contrast], NoiseModel(0.005, 0.0, ""))
    return verdict_of(finding, contrast, measured(finding), ROW, ROW)


def test_slow_samples_that_became_slower_change_the_distribution_and_no_verdict() -> None:
    verdict = shaped(12.0, 12.1, 11.9)
    assert verdict.outcome is Outcome.SAME
    (remark,) = verdict.remarks
    assert remark == "the distribution changed: +16.5% at the 90th percentile, +0.00% in the fastest half"
    assert "-2.9% at the 90th" in shaped(10.0, 10.0, 10.0).remarks[0]


def test_a_small_change_of_the_slow_samples_has_no_remark() -> None:
    assert shaped(10.45, 10.45, 10.45).remarks == ()
    assert shaped(10.7, 10.7, 10.7).remarks != ()
    assert shaped(10.7, 10.7, 10.7, threshold=0.03).remarks == ()


def test_slow_samples_that_differ_on_both_sides_do_not_change_the_distribution() -> None:
    base = new = replace(estimated(10.0, 10.0, 10.0), p90s=np.array([10.3, 11.3, 12.3]))
    new = replace(new, p90s=new.p90s + 2.0)
    contrast = Contrast(CASE.id, base, new, Weights(1.0, 0.0), 0.01)
    (finding,) = judge([contrast], NoiseModel(0.005, 0.0, ""))
    assert verdict_of(finding, contrast, measured(finding), ROW, ROW).remarks == ()


def test_slow_samples_of_a_slope_may_be_below_0_and_have_no_ratio() -> None:
    own = replace(estimated(10.0), medians=np.array([0.0]), p90s=np.array([-1.0]))
    contrast = Contrast(CASE.id, own, own, Weights(1.0, 0.0), 0.01)
    (finding,) = judge([contrast], NoiseModel(0.005, 0.0, ""))
    verdict = verdict_of(finding, contrast, measured(finding, Metric.NS_PER_ITERATION), ROW, ROW)
    assert (verdict.median_ratio, verdict.p90_ratio, verdict.remarks) == (None, None, ())
