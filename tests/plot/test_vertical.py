import pytest

from shflbench.plot.quantity import BANDWIDTH, TIME, Quantity
from shflbench.plot.vertical import depths, vertical_of


def test_times_are_drawn_by_factors_and_bandwidths_from_zero() -> None:
    assert vertical_of([[100, 110]], TIME).logarithmic
    bandwidth = vertical_of([[100, 110]], BANDWIDTH)
    assert (bandwidth.low, bandwidth.logarithmic) == (0.0, False)


def test_only_a_wide_range_inside_one_group_makes_a_bandwidth_logarithmic() -> None:
    assert not vertical_of([[10, 11], [3000, 3100]], BANDWIDTH).logarithmic
    assert vertical_of([[10, 3000]], BANDWIDTH).logarithmic


@pytest.mark.parametrize("quantity", [TIME, BANDWIDTH])
def test_the_largest_value_lies_below_the_top_of_the_panel(quantity: Quantity) -> None:
    vertical = vertical_of([[100, 400]], quantity)
    assert 0 < vertical.points(100, 2.0) < vertical.points(400, 2.0) < 144


def test_curves_that_coincide_are_drawn_at_different_depths() -> None:
    flat, same, apart = {1.0: 50.0, 2.0: 60.0}, {1.0: 51.0, 2.0: 60.5}, {1.0: 90.0, 2.0: 95.0}
    panel = {"top": flat, "below": same, "apart": apart, "also": flat}
    assert depths([panel], ["top", "below", "apart", "also"]) == {"top": 0, "below": 1, "apart": 0, "also": 2}


def test_curves_that_meet_in_few_points_are_drawn_alike() -> None:
    panel = {"one": {1.0: 50.0, 2.0: 60.0, 3.0: 70.0}, "other": {1.0: 50.0, 2.0: 80.0, 3.0: 90.0}}
    assert depths([panel], ["one", "other"]) == {"one": 0, "other": 0}


def test_curves_that_coincide_in_one_panel_of_several_differ_in_all() -> None:
    apart, level = {"one": {1.0: 10.0}, "other": {1.0: 90.0}}, {"one": {1.0: 10.0}, "other": {1.0: 10.0}}
    assert depths([apart, level], ["one", "other"]) == {"one": 0, "other": 1}
