import math
import random
from collections.abc import Sequence
from statistics import NormalDist

import pytest

from shflbench.core.model import Interval
from shflbench.core.statistics import Levels, median_interval, ratio, resolution, trend, two_levels, widen


def test_median_of_nine_lies_between_the_second_and_the_eighth() -> None:
    assert median_interval([9.0, 1.0, 8.0, 2.0, 5.0, 4.0, 6.0, 3.0, 7.0]) == Interval(5.0, 2.0, 8.0)


@pytest.mark.parametrize(
    ("count", "rank"),
    # David & Nagaraja, table of the sign test's interval: the rank from each end, counted from 1, that covers 95%
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
    assert 950 <= hits <= 985  # 15 values cover 96.5%


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
    assert widen(Interval(2.0, 1.5, 3.0), 0.25) == Interval(2.0, 1.25, 3.25)


def test_ratio_covers_every_pair_of_values() -> None:
    assert ratio(Interval(6.0, 4.0, 8.0), Interval(2.0, 1.0, 4.0)) == Interval(3.0, 1.0, 8.0)


def test_trend_is_the_median_slope_and_robust_against_one_outlier() -> None:
    points = [(float(t), 2.0 * t) for t in range(10)]
    points[4] = (4.0, 1000.0)
    found = trend([points])
    assert found.slope == 2.0
    assert found.p < 0.05


def test_trend_has_the_probability_of_mann_and_kendall() -> None:
    # Ten values in order: score 45, variance 10·9·25/18 = 125, z = 44/√125 = 3.935
    assert trend([[(float(t), float(t)) for t in range(10)]]).p == pytest.approx(8.3e-5, rel=0.01)
    # With four ties of two: 125 - 4·2·1·9/18 = 121, score 45 - 4 = 41, z = 40/11
    tied = [(float(t), float(v)) for t, v in enumerate([0, 0, 1, 1, 2, 2, 3, 3, 4, 5])]
    assert trend([tied]).p == pytest.approx(2 * (1 - NormalDist().cdf(40 / 11)))


def test_trend_compares_points_of_one_stratum_only() -> None:
    """Each stratum falls, and each starts higher than the one before ended."""
    strata = [[(float(t), 100.0 * number - t) for t in range(6)] for number in range(4)]
    found = trend(strata)
    assert found.slope == -1.0
    assert found.p < 0.001


@pytest.mark.parametrize("strata", [[], [[]], [[(0.0, 1.0)]], [[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]]])
def test_no_trend_without_values_that_differ(strata: list[list[tuple[float, float]]]) -> None:
    assert (trend(strata).slope, trend(strata).p) == (0.0, 1.0)


def levels_of(values: Sequence[float], step: float = 0.0) -> Levels:
    found = two_levels(values, 0.25, step=step)
    assert found is not None
    return found


def test_two_levels_are_split_at_their_gap() -> None:
    found = levels_of([10.0, 10.2, 9.8, 12.0, 12.2, 11.8, 10.0, 10.0])
    assert (found.low, found.high, found.share) == pytest.approx((10.0, 12.0, 3 / 8))
    within = (2 * 0.2**2 + 2 * 0.2**2) / 8
    assert found.distance == pytest.approx(2.0 / math.sqrt(within))


def test_each_level_has_at_least_the_smallest_share() -> None:
    found = levels_of([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0])
    assert (found.share, found.high) == (0.25, 5.0)


def test_resolution_of_the_values_counts_as_spread() -> None:
    values = [1.0, 1.0, 2.0, 2.0]
    assert levels_of(values, step=1.0).distance == pytest.approx(math.sqrt(12))
    assert levels_of(values).distance == math.inf


def test_best_split_of_a_normal_and_a_uniform_distribution() -> None:
    normal = levels_of([NormalDist().inv_cdf((i + 0.5) / 4000) for i in range(4000)])
    uniform = levels_of([i / 4000 for i in range(4000)])
    assert (normal.distance, uniform.distance) == pytest.approx((2.65, 3.46), abs=0.01)


def test_equal_or_few_values_have_no_two_levels() -> None:
    assert levels_of([1.0] * 8).distance == 0.0
    assert two_levels([1.0], 0.25) is None
    assert two_levels([], 0.25) is None
