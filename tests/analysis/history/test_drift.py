"""Periods of 3.5 days, and lines that are compared with levels."""

import numpy as np
import pytest

from shflbench.analysis.history.drift import FEWEST_BEFORE, MOST_EMPTY, PeriodNoise, Periods, line_beats_levels, trends


def quiet(series: int, known: int = FEWEST_BEFORE) -> PeriodNoise:
    return PeriodNoise(np.full(series, 1e-4), np.zeros(series), np.full(series, known))


def test_a_period_is_the_median_of_its_runs() -> None:
    values = np.array([[1.0, 2.0, 30.0, np.nan, 5.0], [np.nan] * 3 + [7.0, 9.0]])
    periods = Periods.of(values, np.array([10.0, 11.0, 12.0, 14.0, 21.0]))
    assert periods.of_runs.tolist() == [0, 0, 0, 1, 3]
    np.testing.assert_equal(periods.points, [[2.0, np.nan, np.nan, 5.0], [np.nan, 7.0, np.nan, 9.0]])
    assert periods.counts.tolist() == [[3, 0, 0, 1], [0, 1, 0, 1]]
    assert periods.firsts.tolist() == [0, 3, 4, 4, 5]


def test_periods_do_not_change_when_runs_are_added() -> None:
    values, days = np.arange(40.0)[None], np.arange(40.0)
    part, whole = Periods.of(values[:, :28], days[:28]), Periods.of(values, days)
    assert part.points.tolist() == whole.points[:, :8].tolist()


def test_decades_without_runs_are_skipped() -> None:
    days = np.array([0.0, 1.0, 20000.0, 20004.0])
    periods = Periods.of(np.arange(4.0)[None], days)
    assert periods.of_runs.tolist() == [0, 0, MOST_EMPTY + 1, MOST_EMPTY + 2]
    assert np.flatnonzero(periods.counts[0]).tolist() == [0, MOST_EMPTY + 1, MOST_EMPTY + 2]
    begins = periods.begins[periods.of_runs]
    assert ((begins <= days) & (days < begins + 3.5)).all()


def test_ramp_drifts_and_step_and_unchanged_series_do_not() -> None:
    day = np.arange(35.0)
    values = np.array([0.02 * day / 35, -0.02 * day / 35, 0.02 * (day > 17), 0 * day])
    periods = Periods.of(values + 1e-5 * np.random.default_rng(1).standard_normal(values.shape), day)
    (trend,) = trends(periods, 9, [quiet(4)] * 10)
    assert trend.rows.tolist() == [0, 1, 2]  # the last did not change
    assert trend.drifts.tolist() == [True, True, False]
    assert trend.per_day[:2] == pytest.approx([0.02 / 35, -0.02 / 35], rel=0.01)


def test_short_past_needs_a_straighter_line() -> None:
    day = np.arange(35.0)
    noise = 0.002 * np.random.default_rng(2).standard_normal((1, 35))
    periods = Periods.of(0.015 * day / 35 + noise, day)
    known, young = (trends(periods, 9, [quiet(1, runs)] * 10)[0] for runs in (FEWEST_BEFORE, FEWEST_BEFORE - 1))
    assert known.drifts.tolist() == [True]
    assert young.drifts.tolist() == [False]


def test_wandering_series_needs_a_larger_change() -> None:
    periods = Periods.of(0.015 * np.arange(35.0)[None] / 35, np.arange(35.0))
    still, wandering = (
        PeriodNoise(np.array([0.001]), np.array([correlation]), np.array([60])) for correlation in (0.0, 0.8)
    )
    margins = [trends(periods, 9, [noise] * 10)[0].margin[0] for noise in (still, wandering)]
    assert margins[1] > 1.5 * margins[0]


def test_levels_explain_a_staircase_and_a_line_a_ramp() -> None:
    place = np.arange(14.0)
    staircase = 0.015 * (place >= 4) + 0.015 * (place >= 9)
    assert not line_beats_levels(staircase, [4, 9])
    assert line_beats_levels(0.03 * place / 13, [7])
    assert line_beats_levels(0.03 * place / 13, range(2, 12))  # a step in nearly every period is a line
