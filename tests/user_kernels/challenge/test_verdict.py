import pytest

from shflbench.core.model import Interval
from shflbench.user_kernels.challenge.verdict import ChallengeVerdict, RivalComparison


def comparison(value: float, low: float, high: float) -> RivalComparison:
    return RivalComparison("mine", "shfl", "shfl", Interval(value, low, high))


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [
        ((1.10, 1.08, 1.12), ChallengeVerdict.BEATS),
        ((1.02, 1.011, 1.03), ChallengeVerdict.BEATS),
        ((1.02, 1.009, 1.03), ChallengeVerdict.UNDECIDED),
        ((1.00, 0.995, 1.005), ChallengeVerdict.TIES),
        ((0.97, 0.96, 0.98), ChallengeVerdict.SLOWER),
        ((0.97, 0.95, 1.02), ChallengeVerdict.UNDECIDED),
    ],
)
def test_the_interval_decides(factor: tuple[float, float, float], verdict: ChallengeVerdict) -> None:
    assert comparison(*factor).verdict is verdict


def test_a_factor_is_shown_with_its_interval() -> None:
    assert comparison(1.10, 1.08, 1.12).factor_text == "1.10× [1.08, 1.12]"
