import pytest

from shflbench.output.plot.quantity import BANDWIDTH, TIME, Quantity
from shflbench.output.plot.vertical import Point, bundles, depths, spread_of, vertical_of


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


def points(*heights: float, begin: float = 1.0) -> dict[tuple[float, int], Point]:
    """Return a curve whose values are its heights in hundreds."""
    return {(begin + number, 0): Point(height * 100, height) for number, height in enumerate(heights)}


def test_curves_that_coincide_in_part_are_drawn_at_different_depths() -> None:
    flat, same, apart = points(50, 60), points(51, 60.5), points(90, 95)
    panel = {"top": flat, "below": same, "apart": apart, "also": flat}
    assert depths([panel], ["top", "below", "apart", "also"]) == {"top": 0, "below": 1, "apart": 0, "also": 2}


def test_curves_that_meet_in_few_points_are_drawn_alike() -> None:
    panel = {"one": points(50, 60, 70), "other": points(50, 80, 90)}
    assert depths([panel], ["one", "other"]) == {"one": 0, "other": 0}


def test_curves_that_coincide_in_one_panel_of_several_differ_in_all() -> None:
    apart, level = {"one": points(10), "other": points(90)}, {"one": points(10), "other": points(10)}
    assert depths([apart, level], ["one", "other"]) == {"one": 0, "other": 1}
    assert bundles([apart, level], ["one", "other"]) == [("one",), ("other",)]


def test_curves_that_coincide_everywhere_are_one_which_has_the_most_points() -> None:
    panel = {"part": points(60, begin=2), "whole": points(50, 60, 70), "other": points(51, 61, 71), "far": points(60)}
    assert bundles([panel], ["part", "whole", "other", "far"]) == [("whole", "part", "other"), ("far",)]
    assert spread_of([panel], ("whole", "part", "other")) == pytest.approx(51 / 50)


def test_a_curve_is_not_taken_for_one_that_a_panel_lacks() -> None:
    both, one = {"a": points(50), "b": points(50)}, {"a": points(50)}
    assert bundles([both, one], ["a", "b"]) == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("height", "value", "hidden"), [(51, 8000, True), (54, 5100, True), (54, 5200, False), (55, 5000, False)]
)
def test_points_are_one_where_they_hide_each_other_or_touch_and_hardly_differ(
    height: float, value: float, *, hidden: bool
) -> None:
    assert Point(5000, 50).hides(Point(value, height)) is hidden
