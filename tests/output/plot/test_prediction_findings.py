from dataclasses import replace

import pytest

from shflbench.output.plot.prediction_findings import note_unpredicted, prediction_error, predictions, tenth
from tests.output.plot.limited import ERRORS, limited, limits_for
from tests.output.plot.subjects import rows


def test_the_title_counts_near_predictions_and_gives_the_median_and_the_worst_error() -> None:
    assert prediction_error(limited(rows())) == (
        "quick: predicted times of 5 of 6 cases are within 10% of measured ones; "
        "median error 2.3%, worst \N{MINUS SIGN}23.0%"
    )


def test_one_prediction_gives_its_error() -> None:
    cases = rows()[:1]
    assert prediction_error(limited(cases)) == "quick: the prediction is +1.2% from the measured time (1 case)"


def test_only_timed_cases_with_a_prediction_count() -> None:
    cases = rows()
    known = limits_for(cases)
    known[cases[2].case_id] = replace(known[cases[2].case_id], model_us=None)
    del known[cases[3].case_id]
    about = limited(cases, known)
    assert [point.row for point in predictions(about)] == [cases[0], cases[1], cases[4], cases[5]]
    assert note_unpredicted(about) == ["No prediction: 2 of 6 timed cases."]
    assert note_unpredicted(limited(cases)) == []


def test_the_error_of_nine_in_ten_is_interpolated() -> None:
    points = predictions(limited(rows()))
    assert [point.error for point in points] == pytest.approx(ERRORS[:6])
    assert tenth(points) == f"{(0.081 + 0.23) / 2:.1%}"
    assert tenth(points[:1]) == "1.2%"
