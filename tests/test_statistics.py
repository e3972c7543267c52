from __future__ import annotations

import math
import random
from statistics import NormalDist

import pytest

from shflbench.model import Interval
from shflbench.statistics import median_interval, ratio, resolution, widened


def test_median_of_nine_lies_between_the_second_and_the_eighth() -> None:
    assert median_interval([9.0, 1.0, 8.0, 2.0, 5.0, 4.0, 6.0, 3.0, 7.0]) == Interval(5.0, 2.0, 8.0)


@pytest.mark.parametrize(
    ("count", "rank"),
    # David & Nagaraja, table of the sign test's interval: the rank from each end, counted from 1, that covers 95 %
    [(6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (17, 5), (20, 6), (25, 8), (50, 18), (100, 40)],
)
def test_interval_is_that_of_the_sign_test(count: int, rank: int) -> None:
    interval = median_interval([float(value) for value in range(1, count + 1)])
    assert (interval.low, interval.high) == (rank, count + 1 - rank)


@pytest.mark.parametrize("count", range(6, 60))
def test_interval_covers_95_percent_and_the_next_narrower_one_does_not(count: int) -> None:
    rank = int(median_interval([float(value) for value in range(count)]).low)

    def coverage(rank: int) -> float:
        return 1.0 - 2 * sum(math.comb(count, r) for r in range(rank + 1)) / 2.0**count

    assert coverage(rank) >= 0.95 > coverage(rank + 1)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_few_values_give_their_whole_range(count: int) -> None:
    values = [float(value) for value in range(count)]
    assert median_interval(values) == Interval(sum(values) / count, 0.0, count - 1.0)


def test_wider_confidence_gives_a_wider_interval() -> None:
    values = [float(value) for value in range(40)]
    narrow, wide = median_interval(values, 0.8), median_interval(values, 0.999)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_interval_holds_the_true_median_as_often_as_it_says() -> None:
    source = random.Random(1)  # noqa: S311
    draw = NormalDist(10.0, 1.0).inv_cdf
    hits = 0
    for _ in range(1000):
        interval = median_interval([draw(source.random()) for _ in range(15)])
        hits += interval.low <= 10.0 <= interval.high
    assert 950 <= hits <= 985  # 15 values cover 96.5 %


def test_no_values_are_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        median_interval([])


def test_half_width_is_a_fraction_of_the_value() -> None:
    assert Interval(200.0, 199.0, 201.0).half_width == 0.005
    assert Interval(0.0, -1.0, 1.0).half_width == math.inf


def test_resolution_is_the_smallest_step_between_values() -> None:
    assert resolution([70.0, 70.5, 71.75, 70.0]) == 0.5
    assert resolution([70.0, 70.0]) == 0.0
    assert resolution([]) == 0.0


def test_widened_interval_keeps_its_value() -> None:
    assert widened(Interval(2.0, 1.5, 3.0), 0.25) == Interval(2.0, 1.25, 3.25)


def test_ratio_covers_every_pair_of_values() -> None:
    assert ratio(Interval(6.0, 4.0, 8.0), Interval(2.0, 1.0, 4.0)) == Interval(3.0, 1.0, 8.0)
