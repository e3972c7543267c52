import math

import numpy as np
import pytest

from shflbench.analysis.compare.noise import (
    LEAST_A_US,
    LEAST_B,
    OFFSET_US,
    USUAL,
    NoiseModel,
    Spread,
    Weights,
    fit_noise,
    misfit,
)
from shflbench.analysis.compare.quantiles import chi2_median

TRUE = NoiseModel(0.07, 8e-4, "the truth")
TIMES_US = np.geomspace(4, 2500, 40)
WEIGHTS = [Weights(1.0, time_us**2) for time_us in TIMES_US.tolist()]


def drawn(model: NoiseModel, freedom: int, seed: int = 1) -> list[Spread]:
    """Return how much so many processes of each case differ by chance."""
    chance = np.random.default_rng(seed).chisquare(freedom, len(WEIGHTS)) / freedom
    return [Spread(model.variance(own) * times, freedom) for own, times in zip(WEIGHTS, chance.tolist(), strict=True)]


def test_short_times_have_the_noise_a_and_long_ones_b() -> None:
    model = NoiseModel(0.04, 3e-4, "")
    assert model.deviation(1.0) == pytest.approx(0.04, rel=1e-3)
    assert model.deviation(1e5) == pytest.approx(30.0, rel=1e-3)
    assert model.deviation(100.0) == pytest.approx(0.05)
    assert model.variance(Weights(1.0, 100.0**2)) == pytest.approx(0.05**2)


def test_a_difference_of_two_times_has_the_noise_of_both() -> None:
    model = NoiseModel(0.04, 3e-4, "")
    both = model.deviation(100.0) ** 2 + model.deviation(25.0) ** 2
    assert model.variance(Weights(2.0, 100.0**2 + 25.0**2)) == pytest.approx(both)


def test_the_noise_does_not_depend_on_which_side_is_the_base() -> None:
    one, other = Weights(1.0, 100.0), Weights(4.0, 400.0)
    assert one.between(other) == other.between(one) == Weights(2.5, 250.0)


def test_unknown_offsets_are_noise() -> None:
    assert USUAL.with_offsets().deviation(0.0) == pytest.approx(math.hypot(USUAL.a_us, OFFSET_US))
    assert USUAL.with_offsets().b == USUAL.b


@pytest.mark.parametrize(("freedom", "within"), [(2, 1.35), (4, 1.3), (30, 1.12)])
def test_the_fit_finds_the_noise_behind_the_spreads(freedom: int, within: float) -> None:
    for seed in range(5):
        model = fit_noise(WEIGHTS, drawn(TRUE, freedom, seed), "fitted")
        for time_us in (5.0, 80.0, 2000.0):
            assert 1 / within < model.deviation(time_us) / TRUE.deviation(time_us) < within
    assert model.source == "fitted"


def test_a_few_noisy_cases_change_the_fit_little() -> None:
    spreads = drawn(TRUE, 4)
    noisy = [Spread(100 * spread.variance, spread.freedom) if place % 10 == 0 else spread
            for place, spread in enumerate(spreads)]  # fmt: skip
    plain, disturbed = (fit_noise(WEIGHTS, each, "") for each in (spreads, noisy))
    assert disturbed.deviation(50.0) < 1.4 * plain.deviation(50.0)


def test_a_fit_has_a_lower_limit() -> None:
    model = fit_noise(WEIGHTS, [Spread(0.0, 4)] * len(WEIGHTS), "")
    assert (model.a_us, model.b) == (LEAST_A_US, LEAST_B)


def test_one_case_hardly_changes_the_prior() -> None:
    one = fit_noise(WEIGHTS[:1], [Spread((5 * USUAL.a_us) ** 2, 4)], "")
    assert 1 < one.a_us / USUAL.a_us < 2


def test_weights_do_not_change_the_fit() -> None:
    passes = [Weights(4 * own.additive, own.proportional) for own in WEIGHTS]
    spreads = [Spread(TRUE.variance(own), 30) for own in passes]
    assert fit_noise(passes, spreads, "").a_us == pytest.approx(TRUE.a_us, rel=0.1)


@pytest.mark.parametrize("times", [1.0, 2.0, 0.5])
def test_the_misfit_is_the_ratio_of_actual_to_modeled_noise(times: float) -> None:
    model = NoiseModel(TRUE.a_us / times, TRUE.b / times, "")
    assert misfit(model, WEIGHTS, drawn(TRUE, 4)) == pytest.approx(times, rel=0.2)


def test_the_median_case_is_compared_with_the_median_for_its_few_processes() -> None:
    medians = [Spread(TRUE.variance(own) * chi2_median(2), 2) for own in WEIGHTS]
    noisy = [Spread(100.0 * spread.variance, 2) for spread in medians[:19]]
    assert misfit(TRUE, WEIGHTS, [*noisy, *medians[19:]]) == pytest.approx(1.0)


def test_a_fit_without_cases_is_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        fit_noise([], [], "")
    with pytest.raises(ValueError, match="no median"):
        misfit(TRUE, [], [])
