from dataclasses import replace

import pytest

from shflbench.output.plot import predictions
from shflbench.output.plot.style import house_style
from tests.output.plot.limited import ERRORS, limited, limits_for, misplaced
from tests.output.plot.subjects import points, rows, subject, texts
from tests.output.plot.test_limit_chart import reference


def test_each_case_is_a_point_of_its_limiter_and_equality_and_ten_percent_are_lines() -> None:
    cases = rows("f32", "f64")
    about = limited(cases)
    (chart,) = predictions.charts(about)
    page = chart.draw()
    times, errors = page.figure.axes
    assert chart.kind == "predictions"
    assert (times.get_xscale(), times.get_yscale(), errors.get_xscale()) == ("log", "log", "log")
    drawn = [point for line in times.lines[3:] for point in zip(*points(line), strict=True)]
    assert sorted(drawn) == sorted((row.time_us, about.limits[row.case_id].model_us) for row in cases)
    slopes = [y[0] / x[0] for x, y in map(points, times.lines[:3])]
    assert slopes == pytest.approx([1, 1.1, 0.9])
    assert "exchange (shuffles, shared memory)" in texts(page)


def test_errors_are_drawn_in_percent_of_the_measured_time() -> None:
    _, errors = predictions.draw(limited(rows("f32", "f64"))).figure.axes
    heights = [y for line in errors.lines[3:] for y in points(line)[1]]
    assert sorted(set(map(round, heights))) == sorted({round(100 * error) for error in ERRORS})
    assert errors.get_ylim() == pytest.approx((-25.3, 25.3))


def test_the_worst_cases_are_numbered_and_named_with_both_times() -> None:
    cases = rows()
    shown = texts(predictions.draw(limited(cases)))
    time = cases[4].time_us or 0
    assert {"1", "2", "3"} <= set(shown)
    words = f"predicted {0.77 * time:.4g} µs, measured {time:.4g} µs, \N{MINUS SIGN}23.0%"
    assert f"neighbor smem-deck (UNSAFE): {words}" in shown


def test_of_a_worst_case_with_a_long_name_the_figures_remain() -> None:
    cases = rows(options=[f"mode={word * 30}" for word in ("long", "wide")])
    shown = texts(predictions.draw(limited(cases)))
    named = [text for text in shown if ", measured " in text]
    assert len(named) == 3
    assert all("…" in text and text.endswith("%") for text in named)


def test_an_error_beyond_the_axis_is_a_triangle_at_its_edge_and_counted() -> None:
    cases = rows()
    known = limits_for(cases)
    far = known[cases[0].case_id]
    known[cases[0].case_id] = replace(far, model_us=3 * (cases[0].time_us or 0))
    page = predictions.draw(limited(cases, known))
    triangles = [points(line)[1] for line in page.figure.axes[1].lines if line.get_marker() == "^"]
    assert triangles == [[40.0]]
    assert "Triangles: 1 case beyond the axis of errors." in texts(page)
    assert page.title.endswith("worst +200.0%")


def test_cases_without_a_prediction_are_counted_and_those_without_a_limit_are_empty_points() -> None:
    cases = rows()
    known = limits_for(cases)
    known[cases[0].case_id] = replace(known[cases[0].case_id], model_us=None)
    known[cases[1].case_id] = replace(known[cases[1].case_id], limit_by=None, limit_us=None, limit_fraction=None)
    shown = texts(predictions.draw(limited(cases, known)))
    assert "No prediction: 1 of 6 timed cases." in shown
    assert "no limit" in shown


def test_without_predictions_there_is_no_such_chart() -> None:
    cases = rows()
    limits_alone = {case: replace(limit, model_us=None) for case, limit in limits_for(cases).items()}
    assert not list(predictions.charts(subject(cases)))
    assert not list(predictions.charts(limited(cases, limits_alone)))


@pytest.mark.parametrize("suite", ["quick", "gtc2013"])
def test_no_text_overlaps_another_or_leaves_the_page(suite: str) -> None:
    with house_style():
        assert misplaced(predictions.draw(limited(reference(suite)))) == []


def test_equally_wrong_cases_at_one_place_have_numbers_beside_one_another() -> None:
    cases = rows()
    same = [replace(row, time_us=100.0) for row in cases]
    known = {case: replace(limit, model_us=80.0) for case, limit in limits_for(same).items()}
    with house_style():
        assert misplaced(predictions.draw(limited(same, known))) == []
