import pytest

from shflbench.analysis.claims.claim_verdicts import judge_subjects
from shflbench.analysis.claims.verdict import SettingOutcome, SettingStatus
from shflbench.core.claims.claim import Claim
from shflbench.core.model import Interval
from tests.analysis.claims.conftest import claim, subject

CASE = "neighbor/shfl/f32/26x1024/512/mode=idx"


def outcome(tested: Claim, suite: str = "quick") -> SettingOutcome:
    (verdict,) = judge_subjects([tested], [subject(suite)])
    (setting,) = verdict.settings
    return setting


def test_a_time_is_uncertain_by_what_all_launches_of_the_run_may_share() -> None:
    times = subject("quick").times
    row = next(row for row in subject("quick").source.run.rows if row.case_id == CASE)
    value = times.measured(row, "time")
    assert value
    alone, shared = value.interval(2), times.offset_us(2)  # two values: the time, and what is shared
    measured = outcome(claim("time(shfl) > 1", pattern="neighbor")).measured
    assert isinstance(measured, Interval)
    assert (measured.low, measured.high) == pytest.approx((alone.low - shared, alone.high + shared))
    for part, expected in ((0.5, SettingStatus.UNDECIDED), (1.1, SettingStatus.HOLDS)):
        boundary = alone.low - part * shared
        assert outcome(claim(f"time(shfl) > {boundary}", pattern="neighbor")).outcome is expected


def test_what_all_launches_share_does_not_change_which_of_two_is_faster() -> None:
    times, rows = subject("quick").times, subject("quick").source.run.rows
    shfl, smem = (next(row for row in rows if row.case_id == CASE.replace("shfl", name)) for name in ("shfl", "smem"))
    ends = [times.measured(row, "time").interval(3) for row in (shfl, smem)]  # type: ignore[union-attr]
    measured = outcome(claim("time(smem) - time(shfl) > 0", pattern="neighbor")).measured
    assert isinstance(measured, Interval)
    assert (measured.low, measured.high) == pytest.approx((ends[1].low - ends[0].high, ends[1].high - ends[0].low))


def test_truth_values_and_texts_are_measured_in_words() -> None:
    assert outcome(claim("verified(shfl)", pattern="neighbor")).measured == "yes"
    assert outcome(claim("limit_by(shfl) == 'exchange'", pattern="neighbor")).measured == "exchange"


def test_a_factor_that_every_call_replaces_is_no_part_of_the_setting() -> None:
    tested = claim("registers(local, length=8) > 0", pattern="static-array", length="4")
    assert "length" not in outcome(tested, "dynamic-indexing").setting
    both = claim("registers(local, length=8) > 0 and registers(local) > 0", pattern="static-array", length="4")
    assert "length=4" in outcome(both, "dynamic-indexing").setting
