"""Steps, drifts and the ends of series, in small series of known truth."""

import numpy as np
import pytest
from numpy.typing import NDArray

from shflbench.analysis.history.levels import LevelChange, OpenChange, SeriesTimes
from shflbench.analysis.history.rule import FEWEST_RUNS, level_changes, open_changes, runs_needed

Floats = NDArray[np.float64]

RUNS, DAY = 120, 80  # daily runs, and the first of the new level
LEVEL_US = 50.0


def normal(sd: float = 0.0015, runs: int = RUNS, seed: int = 1) -> Floats:
    noise: Floats = np.random.default_rng(seed).normal(0.0, sd, runs)
    return noise


def step(size: float, first: int = DAY, runs: int = RUNS) -> Floats:
    return np.where(np.arange(runs) >= first, np.log1p(size), 0.0)


def ramp(per_month: float, first: int, runs: int, days: int = 1000) -> Floats:
    return np.asarray(np.log1p(per_month) / 30 * np.clip(np.arange(runs) - first, 0, days))


def series(*noise: Floats, errors: Floats | None = None, days: Floats | None = None) -> SeriesTimes:
    times = LEVEL_US * np.exp(np.array(noise))
    return SeriesTimes(
        times=times,
        errors=np.full(times.shape, np.nan) if errors is None else errors,
        days=np.arange(times.shape[1], dtype=np.float64) if days is None else days,
    )


def found(*noise: Floats) -> list[tuple[int, int]]:
    """Return the first run of each change and the run of its alarm."""
    return [(change.first, change.seen) for change in level_changes(series(*noise))]


# steps


def test_step_is_seen_in_its_third_run_with_its_size() -> None:
    (change,) = level_changes(series(normal() + step(0.02)))
    assert (change.series, change.first, change.seen, change.drift) == (0, DAY, DAY + 2, None)
    assert change.before == pytest.approx(LEVEL_US, rel=0.001)
    assert change.after == pytest.approx(1.02 * LEVEL_US, rel=0.001)
    assert 1.018 < change.low < 1.02 < change.high < 1.022


def test_faster_is_a_step_too() -> None:
    (change,) = level_changes(series(normal() + step(-0.02)))
    assert (change.first, change.high < 1) == (DAY, True)


def test_change_below_one_percent_is_no_step() -> None:
    assert found(normal(sd=0.0003) + step(0.009)) == []
    assert found(normal(sd=0.0003) + step(0.012)) == [(DAY, DAY + 2)]


def test_noisier_series_needs_a_larger_step() -> None:
    assert found(normal(sd=0.01) + step(0.02)) == []
    assert found(normal(sd=0.01) + step(0.08)) == [(DAY, DAY + 2)]


def test_first_run_of_the_level_may_lie_within_the_margin() -> None:
    noise = normal() + step(0.02)
    noise[DAY] = 0.0085  # is closer to the new level than to the old one, in two runs
    noise[DAY + 1] = 0.0145
    change, *others = level_changes(series(noise + step(0.0)))
    assert others == []
    assert change.first in {DAY, DAY + 1}


def test_outlier_at_the_beginning_of_the_new_level_delays_the_alarm_and_keeps_the_place() -> None:
    noise = normal() + step(0.02)
    noise[DAY + 1] = 0.006
    assert found(noise) == [(DAY, DAY + 4)]


def test_two_outliers_in_a_row_are_no_step() -> None:
    noise = normal()
    noise[[20, 50, 51, 90]] = 0.05
    assert found(noise) == []


def test_return_to_the_old_level_is_a_second_step() -> None:
    assert found(normal() + step(0.03) - step(0.03, DAY + 6)) == [(DAY, DAY + 2), (DAY + 6, DAY + 8)]


@pytest.mark.parametrize("runs", [3, 5, 8])
def test_return_of_a_short_small_step_is_seen_and_the_step_keeps_its_size(runs: int) -> None:
    random = np.random.default_rng(4)
    noise = 0.001 * random.standard_t(4, (200, 160)) / np.sqrt(2)
    changes = level_changes(series(*(noise + step(0.011, DAY, 160) - step(0.011, DAY + runs, 160))))
    slower = [change for change in changes if change.after > change.before]
    faster = [change for change in changes if change.after < change.before]
    assert len(slower) > 100
    assert {change.series for change in slower} == {change.series for change in faster}
    assert min(abs(change.after / change.before - 1) for change in changes) > 0.009


def test_runs_that_went_back_are_no_runs_of_the_new_level() -> None:
    noise = normal(0.0005) + step(0.02) - step(0.02, DAY + 5)
    early = level_changes(series(noise[: DAY + 7]))
    (change,) = early  # two runs went back: not yet a second step
    assert change.after == pytest.approx(1.02 * LEVEL_US, rel=0.001)


def test_runs_that_raised_an_alarm_are_runs_of_the_new_level() -> None:
    noise = normal(0.0003, 30) + step(0.015, 9, 30) + step(0.08, 12, 30)
    early = level_changes(series(noise[:20]))
    assert [(change.first, round(change.after / change.before, 2)) for change in early] == [(9, 1.1)]


def test_step_right_after_a_step_is_seen() -> None:
    noise = normal() + step(0.02) + step(0.02, DAY + 3)
    assert found(noise) == [(DAY, DAY + 2), (DAY + 3, DAY + 5)]


def test_two_steps_within_weeks_are_no_drift() -> None:
    changes = level_changes(series(normal(runs=300) + step(0.015, 100, 300) + step(0.015, 120, 300)))
    assert [(change.first, change.drift) for change in changes] == [(100, None), (120, None)]


# unchanged series that look changed


def test_two_levels_that_alternate_are_no_steps() -> None:
    random = np.random.default_rng(2)
    second = random.random((50, 365)) < random.uniform(0.05, 0.5, (50, 1))
    noise = 0.001 * random.standard_normal((50, 365)) + 0.015 * second
    longest = max(len(row) for line in second for row in "".join("x" if flag else " " for flag in line).split())
    assert longest > 5  # runs in a row on the second level
    assert level_changes(series(*noise)) == ()


def test_tails_and_outliers_raise_no_alarm() -> None:
    random = np.random.default_rng(3)
    tails = 0.003 * random.standard_t(3, (200, 365)) / np.sqrt(3)
    assert np.abs(tails).max() > 0.03
    assert level_changes(series(*tails)) == ()


def test_series_that_becomes_noisier_raises_no_alarm() -> None:
    noise = np.concatenate([normal(0.001, 150), normal(0.006, 150, seed=4)])
    assert found(noise) == []


def test_neighbors_that_resemble_each_other_raise_the_margin() -> None:
    random = np.random.default_rng(5)
    wander = random.standard_normal((200, 365))
    for run in range(1, 365):
        wander[:, run] = 0.8 * wander[:, run - 1] + 0.6 * wander[:, run]
    assert level_changes(series(*(0.002 * wander))) == ()


# the first runs of a series


def test_young_series_needs_more_runs() -> None:
    assert found(normal(0.0005, 40) + step(0.05, 9, 40)) == [(9, 16)]
    assert found(normal(0.0005, 40) + step(0.05, 25, 40)) == [(25, 27)]


def test_first_runs_elsewhere_are_no_step() -> None:
    assert found(normal(0.0005) + step(-0.03, 3)) == []


@pytest.mark.parametrize("before", [2, 3, 5, 7])
def test_large_change_of_the_first_runs_is_an_alarm_as_announced(before: int) -> None:
    noise = normal(0.001, 40) + step(0.5, before, 40)
    (change,) = level_changes(series(noise))
    assert change.first == before
    assert change.seen >= FEWEST_RUNS - 1
    for runs in range(before + 2, change.seen + 1):
        (announced,) = open_changes(series(noise[:runs]))
        assert announced.first + announced.needed - 1 == change.seen
    assert change.before == pytest.approx(LEVEL_US, rel=0.002)
    assert change.low < 1.5 < change.high


def test_spread_of_the_level_before_counts_after_a_step() -> None:
    noise = normal(0.004, 160) + step(0.1, 80, 160)
    assert [first for first, _ in found(noise)] == [80]


# the ends of series


def test_two_of_three_runs_are_open() -> None:
    noise = normal()[: DAY + 2] + step(0.02)[: DAY + 2]
    assert level_changes(series(noise)) == ()
    (change,) = open_changes(series(noise))
    assert change == OpenChange(series=0, first=DAY, runs=2, needed=3, ratio=change.ratio)
    assert change.ratio == pytest.approx(1.02, abs=0.003)


def test_seen_step_and_unchanged_series_are_not_open() -> None:
    assert open_changes(series(normal(), normal(seed=7) + step(0.02))) == ()


def test_case_with_hardly_a_level_has_no_open_change_unless_it_is_large() -> None:
    assert open_changes(series(normal(runs=12) + step(0.03, 5, 12))) == ()
    (change,) = open_changes(series(normal(runs=12) + step(0.5, 5, 12)))
    assert (change.first, change.runs, change.needed) == (5, 7, 11)


def test_series_without_runs_have_no_changes() -> None:
    empty = SeriesTimes(times=np.empty((2, 0)), errors=np.empty((2, 0)), days=np.empty(0))
    assert level_changes(empty) == ()
    assert open_changes(empty) == ()


# missing values and errors


def test_missing_runs_are_no_evidence() -> None:
    noise = normal() + step(0.02)
    noise[[DAY + 1, DAY + 3]] = np.nan
    assert found(noise, np.full(RUNS, np.nan)) == [(DAY, DAY + 4)]


def test_case_that_begins_late_has_its_level() -> None:
    noise = normal() + step(0.02)
    noise[:40] = np.nan
    assert found(noise) == [(DAY, DAY + 2)]


def test_time_of_zero_is_missing() -> None:
    data = series(normal())
    data.times[0, 50:60] = 0.0
    assert level_changes(data) == ()


def test_run_counts_less_if_its_error_exceeds_the_spread() -> None:
    noise = normal() + step(0.02)
    errors = np.full((1, RUNS), 0.001)
    assert len(level_changes(series(noise, errors=errors))) == 1
    errors[0, DAY:] = 0.01
    assert level_changes(series(noise, errors=errors)) == ()


# drifts


def test_ramp_of_one_percent_per_month_is_named_a_drift_within_eight_weeks() -> None:
    (change,) = level_changes(series(normal(0.003, 136) + ramp(0.01, DAY, 136)))
    assert change.drift is not None
    assert change.drift.named == change.seen <= DAY + 56
    assert change.drift.per_month == pytest.approx(1.01, abs=0.004)
    assert change.first == change.drift.since < change.seen
    assert change.before < change.after


def test_fall_is_a_drift_with_a_factor_below_one() -> None:
    changes = level_changes(series(normal(0.002, 136) + ramp(-0.01, DAY, 136)))
    assert [round(change.drift.per_month, 2) for change in changes if change.drift] == [0.99]


def test_step_in_a_ramp_is_relabeled_with_the_run_that_showed_it() -> None:
    noise = normal(0.001, 200) + ramp(0.05, DAY, 200)
    (before,) = level_changes(series(noise[:105]))
    (after,) = level_changes(series(noise))
    assert (before.first, before.seen, before.drift) == (84, 89, None)
    assert (after.first, after.seen) == (before.first, before.seen)
    assert after.drift is not None
    assert after.drift.named == 105


def test_ramp_of_many_steps_is_a_drift() -> None:
    changes = level_changes(series(normal(0.001, 200) + ramp(0.2, DAY, 200)))
    assert {change.drift is None for change in changes if change.seen < 125} == {False}


def test_slow_drift_is_named_after_months() -> None:
    (change,) = level_changes(series(normal(0.001, 365) + ramp(0.003, 0, 365)))
    assert change.drift is not None
    assert change.drift.per_month == pytest.approx(1.003, abs=0.001)


def test_end_of_a_drift_is_no_step_and_a_later_step_is_one() -> None:
    noise = normal(0.001, 300) + ramp(0.01, DAY, 300, days=60) + step(0.03, 250, 300)
    drift, later = level_changes(series(noise))
    assert drift.drift is not None
    assert (later.first, later.seen, later.drift) == (250, 252, None)
    assert later.before == pytest.approx(LEVEL_US * 1.0201, rel=0.002)


def test_step_during_a_drift_is_a_step() -> None:
    noise = normal(0.001, 200) + ramp(0.01, 40, 200) + step(0.03, 150, 200)
    steps = [change for change in level_changes(series(noise)) if change.drift is None]
    assert [(change.first, change.seen) for change in steps] == [(150, 152)]


@pytest.mark.parametrize("per_month", [-0.018, 0.01])
def test_drift_after_a_step_is_an_alarm_of_its_own(per_month: float) -> None:
    later, drift = level_changes(series(normal(0.002, 200) + step(0.02, 75, 200) + ramp(per_month, 76, 200)))[:2]
    assert (later.first, later.seen, later.drift) == (75, 77, None)
    assert later.before < later.after
    assert drift.drift is not None
    assert 75 <= drift.drift.since < drift.drift.named <= 75 + 56
    assert drift.drift.per_month == pytest.approx(1 + per_month, abs=0.006)
    assert (drift.after > drift.before) == (per_month > 0)


def test_two_small_steps_in_noise_are_rarely_a_drift() -> None:
    random = np.random.default_rng(7)
    noise = 0.002 * random.standard_t(4, (100, 200)) / np.sqrt(2)
    changes = level_changes(series(*(noise + step(0.012, 80, 200) + step(0.012, 100, 200))))
    assert len({change.series for change in changes if change.drift}) < 15
    assert len({change.series for change in changes if not change.drift}) > 85


def test_runs_per_day_do_not_change_what_a_drift_is() -> None:
    days: Floats = np.array([day + hour / 24 for day in range(140) for hour in range(5)])
    noise = normal(0.002, len(days)) + np.log1p(0.01) / 30 * np.maximum(days - DAY, 0)
    (change,) = level_changes(series(noise, days=days))
    assert change.drift is not None
    assert days[change.drift.named] <= DAY + 56
    assert change.drift.per_month == pytest.approx(1.01, abs=0.003)


def test_weekly_runs_show_a_drift() -> None:
    days = np.arange(0.0, 7 * 60, 7)
    noise = normal(0.0005, 60) + np.log1p(0.01) / 30 * np.maximum(days - 200, 0)
    drifts = [change.drift for change in level_changes(series(noise, days=days)) if change.drift]
    assert drifts
    assert days[drifts[0].named] <= 200 + 10 * 7


@pytest.mark.parametrize("years", [-56, 7973])
def test_a_run_with_a_wrong_clock_changes_nothing_else(years: int) -> None:
    noise = normal(0.001, 300) + ramp(0.01, 60, 300, days=60) + step(0.03, 200, 300)
    days = np.arange(300.0)
    wrong = 0 if years < 0 else 300
    values, clock = np.insert(noise, wrong, 0.0), np.insert(days, wrong, 365.25 * years)
    shift = int(years < 0)
    data = series(values, days=clock)
    assert [(change.first - shift, change.seen - shift, change.drift is None) for change in level_changes(data)] == [
        (change.first, change.seen, change.drift is None) for change in level_changes(series(noise))
    ]


# online


def everything() -> SeriesTimes:
    """Return series with steps, drifts, missing runs and an irregular calendar."""
    random = np.random.default_rng(6)
    steps = np.cumsum((random.random((60, 300)) < 0.01) * random.normal(0, 0.03, (60, 300)), axis=1)
    noise = 0.003 * random.standard_t(3, (60, 300)) / np.sqrt(3) + steps
    noise[:20] += np.linspace(0, 0.15, 300)
    noise[random.random(noise.shape) < 0.05] = np.nan
    days = np.cumsum(random.choice([0.2, 1, 1, 1, 5], 300))
    return series(*noise, errors=np.abs(0.003 * random.standard_normal(noise.shape)), days=days)


def frozen(change: LevelChange) -> tuple[int, int, int, float]:
    return change.series, change.first, change.seen, change.before


def test_more_runs_never_withdraw_or_move_an_alarm() -> None:
    data = everything()
    whole = level_changes(data)
    assert len(whole) > 80
    assert {change.drift is None for change in whole} == {False, True}
    for runs in (1, 2, 40, 119, 120, 121, 200, 299):
        part = level_changes(
            SeriesTimes(times=data.times[:, :runs], errors=data.errors[:, :runs], days=data.days[:runs])
        )
        assert [frozen(change) for change in part] == [frozen(change) for change in whole if change.seen < runs]
        for early, late in zip(part, [change for change in whole if change.seen < runs], strict=True):
            if early.drift:
                assert early.drift == late.drift
            elif late.drift:
                assert late.drift.named >= runs  # what showed it was not yet measured


def test_series_do_not_affect_each_other() -> None:
    data = everything()
    alone = SeriesTimes(times=data.times[5:6], errors=data.errors[5:6], days=data.days)
    expected = [change for change in level_changes(data) if change.series == 5]
    assert expected
    assert [(frozen(change)[1:], change.drift) for change in level_changes(alone)] == [
        (frozen(change)[1:], change.drift) for change in expected
    ]


# how many runs


def test_more_runs_are_needed_where_the_past_was_as_far() -> None:
    beyond, known = np.array([0, 1, 3, 10, 40]), np.full(5, 100)
    assert runs_needed(beyond, known).tolist() == [3, 3, 4, 5, 12]


def test_more_runs_are_needed_where_few_are_known() -> None:
    known = np.array([0, 7, 10, 18, 24, 1000])
    assert runs_needed(np.zeros(6, int), known).tolist() == [15, 8, 6, 4, 3, 3]
