import pytest

from shflbench.core.model import MeasureRules
from shflbench.measure.stopping import why_stop

RULES = MeasureRules(precision=0.01, min_seconds=1.0, max_seconds=2.0, min_samples=27, max_samples=100)
CALM = [100.0, 100.2, 99.8, 100.1, 99.9, 100.0, 100.3, 99.7, 100.0]
NOISY = [100.0, 110.0, 90.0, 105.0, 95.0, 100.0, 112.0, 88.0, 100.0]
ONE_SLOW = [180.0, *CALM[1:]]


@pytest.mark.parametrize(
    ("rounds", "samples", "span_s", "spent_s", "reason"),
    [
        pytest.param(CALM, 27, 1.0, 0.1, "precision", id="precise after nine rounds"),
        pytest.param(CALM[:8], 80, 1.0, 0.1, "", id="eight rounds are too few, however equal"),
        pytest.param(CALM, 26, 1.0, 0.1, "", id="too few samples"),
        pytest.param(CALM, 27, 0.9, 0.1, "", id="rounds too close together"),
        pytest.param(CALM, 27, 0.9, 2.0, "precision", id="close together, but no time is left"),
        pytest.param(CALM[:8], 27, 1.0, 2.0, "max_seconds", id="no time for a ninth round"),
        pytest.param(NOISY, 27, 1.0, 0.1, "", id="not precise yet"),
        pytest.param(NOISY, 27, 1.0, 2.0, "max_seconds", id="not precise in time"),
        pytest.param(NOISY, 100, 1.0, 0.1, "max_samples", id="not precise with all samples"),
        pytest.param(NOISY, 100, 1.0, 2.0, "max_seconds", id="out of time and samples"),
        pytest.param(CALM, 100, 1.0, 0.1, "precision", id="precise with the last sample"),
        pytest.param(CALM, 100, 0.5, 0.1, "max_samples", id="all samples in half of the time"),
        pytest.param([], 0, 0.0, 2.0, "max_seconds", id="no round was kept"),
        pytest.param(ONE_SLOW, 27, 1.0, 0.1, "", id="one disturbed round of nine"),
        pytest.param([*ONE_SLOW, 100.0, 99.9], 33, 1.0, 0.1, "precision", id="one disturbed round of eleven"),
        pytest.param([180.0, *ONE_SLOW, 100.0], 33, 1.0, 0.1, "", id="two disturbed rounds of eleven"),
    ],
)
def test_sampling_stops_for_a_reason(
    rounds: list[float], samples: int, span_s: float, spent_s: float, reason: str
) -> None:
    assert why_stop(rounds, samples, span_s, spent_s, RULES) == reason


def test_precision_is_half_the_range_of_nine_rounds() -> None:
    rounds = [99.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 101.0]
    assert why_stop(rounds, 27, 1.0, 0.1, MeasureRules(precision=0.010)) == "precision"
    assert why_stop(rounds, 27, 1.0, 0.1, MeasureRules(precision=0.0099)) == ""
