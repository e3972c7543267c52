"""The interval of a prediction."""

from pathlib import Path

import pytest

from shflbench.analysis.limits.prediction import Prediction, PredictionKind
from shflbench.analysis.limits.prediction_interval import FACTORS, class_of, interval_of


def test_every_class_of_predictions_has_factors_around_one() -> None:
    shares, causes = (0.95, 0.7, 0.1), ("exchange", "latency", "issue", None)
    classes = {class_of(kind, 1.0, share, by) for kind in PredictionKind for share in shares for by in causes}
    assert classes == FACTORS.keys()
    assert all(low <= 1 <= high for low, high in FACTORS.values())


def test_a_prediction_lies_in_its_interval() -> None:
    interval = interval_of(Prediction(10.0, kind=PredictionKind.LAUNCH), None, None)
    assert interval is not None
    low, high = FACTORS["launch",]
    assert interval.low_us == pytest.approx(10 * low)
    assert interval.high_us == pytest.approx(10 * high)


def test_no_time_is_expected_below_the_limit() -> None:
    interval = interval_of(Prediction(10.0), 9.99, "exchange")
    assert interval is not None
    assert interval.low_us == 9.99


def test_no_prediction_has_no_interval() -> None:
    assert interval_of(Prediction(None), 9.0, "exchange") is None


def test_the_interval_of_a_loop_that_reaches_its_limit_is_narrower() -> None:
    near, far = (FACTORS[class_of("loop", 1.0, share, "exchange")] for share in (0.95, 0.3))
    assert near[1] - near[0] < far[1] - far[0]


def test_held_out_cases_calibrate_no_interval() -> None:
    source = (Path(__file__).parents[3] / "benchmarks" / "intervals.py").read_text(encoding="utf-8")
    assert "drawn-2" not in source
