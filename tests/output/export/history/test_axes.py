"""Scales and ticks of the charts of a history."""

from datetime import UTC, datetime

import numpy as np
import pytest

from shflbench.output.export.history.axes import SIDE, AxisScale, day_scale, day_ticks, gaps, time_scale, time_ticks

START = datetime(2026, 9, 1, tzinfo=UTC).timestamp() / 86_400


def test_places_go_from_side_to_side_and_times_upwards() -> None:
    assert [AxisScale(10, 20).place(value) for value in (10, 15, 20, 99)] == [0, SIDE / 2, SIDE, SIDE]
    assert [AxisScale(10, 20, is_upward=True).place(value) for value in (10, 15, 20)] == [SIDE, SIDE / 2, 0]
    values = np.linspace(8, 22, 30)
    for scale in (AxisScale(10, 20), AxisScale(10, 20, is_upward=True)):
        assert scale.places(values) == [scale.place(value) for value in values.tolist()]


def test_an_outlier_does_not_make_the_levels_flat() -> None:
    times = np.array([10.0, 10.1] * 50 + [100.0])
    scale = time_scale(times, [10.05])
    assert scale.low < 10.0
    assert 10.1 < scale.high < 11
    assert not scale.contains(100.0)


def test_times_that_do_not_differ_have_a_scale() -> None:
    scale = time_scale(np.array([10.0, 10.0]), [10.0])
    assert scale.low < 10.0 < scale.high


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (9.98, 10.33, ["10.0", "10.1", "10.2", "10.3"]),
        (0.0101, 0.0119, ["0.0105", "0.0110", "0.0115"]),
        (900, 2100, ["1,000", "1,500", "2,000"]),
    ],
)
def test_ticks_are_round_times(low: float, high: float, texts: list[str]) -> None:
    assert [text for _, text in time_ticks(AxisScale(low, high, is_upward=True))] == texts


@pytest.mark.parametrize(
    ("days", "texts"),
    [
        (10, ["2026-09-02", "2026-09-04", "2026-09-06", "2026-09-08", "2026-09-10"]),
        (90, ["2026-09", "2026-10", "2026-11", "2026-12"]),
        (365, ["2026-10", "2027-01", "2027-04", "2027-07"]),
        (1000, ["2027-01", "2027-07", "2028-01", "2028-07", "2029-01"]),
    ],
)
def test_ticks_are_days_or_the_beginning_of_months(days: int, texts: list[str]) -> None:
    ticks = day_ticks(day_scale(np.array([START, START + days])))
    assert [place for place, _ in ticks] == sorted({place for place, _ in ticks})
    assert len(ticks) <= 7
    assert [text for _, text in ticks] == texts


def test_a_gap_is_several_times_as_long_as_usual() -> None:
    assert list(gaps(np.array([0.0, 1, 2, 3, 13, 14, 16]))) == [(3.0, 13.0)]
    weekly = np.linspace(0.0, 63.0, 10)
    assert list(gaps(weekly)) == []
    assert list(gaps(np.array([0.0, 50.0]))) == []
    hours = np.array([0.0, 0.01, 0.02, 0.03, 0.1])  # several runs per hour
    assert list(gaps(hours)) == []
