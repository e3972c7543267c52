from __future__ import annotations

import pytest

from shflbench.measure.stopping import why_stop
from shflbench.model import MeasureRules

RULES = MeasureRules(precision=0.01, max_seconds=2.0)
CALM = [100.0, 100.2, 99.8, 100.1, 99.9, 100.0, 100.3, 99.7, 100.0]
WILD = [100.0, 110.0, 90.0, 105.0, 95.0, 100.0, 112.0, 88.0, 100.0]


@pytest.mark.parametrize(
    ("medians", "seconds", "reason"),
    [
        pytest.param(CALM, 0.1, "precision", id="precise after nine rounds"),
        pytest.param(CALM[:8], 0.1, "", id="eight rounds are too few, however equal"),
        pytest.param([100.0] * 8, 0.1, "", id="eight equal ones, too"),
        pytest.param(WILD, 0.1, "", id="not precise yet"),
        pytest.param(WILD, 2.0, "max_seconds", id="not precise in time"),
        pytest.param(CALM, 2.0, "precision", id="precise at the last moment"),
        pytest.param([], 2.0, "max_seconds", id="no round was kept"),
        pytest.param([90.0, 110.0] * 125, 0.1, "max_seconds", id="never precise, in quick rounds"),
        pytest.param([80.0, *CALM[1:8], 180.0], 0.1, "precision", id="one disturbed round on each side"),
        pytest.param([180.0, 170.0, *CALM[2:]], 0.1, "", id="two disturbed rounds on one side"),
    ],
)
def test_sampling_stops_for_a_reason(medians: list[float], seconds: float, reason: str) -> None:
    assert why_stop(medians, seconds, RULES) == reason


def test_asked_precision_is_the_half_width_of_the_interval() -> None:
    medians = [99.0, 99.0, 100.0, 100.0, 100.0, 100.0, 100.0, 101.0, 101.0]
    assert why_stop(medians, 0.0, MeasureRules(precision=0.010)) == "precision"
    assert why_stop(medians, 0.0, MeasureRules(precision=0.0099)) == ""
