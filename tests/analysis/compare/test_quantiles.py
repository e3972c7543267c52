"""Compared with the tables of Abramowitz & Stegun, Handbook of Mathematical Functions, 26.1, 26.8 and 26.10."""

import pytest

from shflbench.analysis.compare.quantiles import chi2, chi2_median, normal, student


def test_the_normal_distribution_is_that_of_the_tables() -> None:
    assert normal(0.975) == pytest.approx(1.95996, abs=1e-5)
    assert normal(0.5) == 0.0


@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [
        (0.95, 1, 3.84146), (0.5, 1, 0.45494), (0.5, 2, 1.38629), (0.95, 4, 9.48773),
        (0.95, 10, 18.3070), (0.005, 5, 0.411740), (0.995, 30, 53.6720), (0.99, 100, 135.807),
    ],
)  # fmt: skip
def test_chi2_is_that_of_the_tables(probability: float, freedom: int, value: float) -> None:
    assert chi2(probability, freedom) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [
        (0.9995, 1, 636.619), (0.9995, 2, 31.599), (0.9995, 3, 12.924), (0.9995, 4, 8.610),
        (0.9995, 5, 6.869), (0.975, 10, 2.228), (0.995, 29, 2.756), (0.9995, 120, 3.373),
    ],
)  # fmt: skip
def test_student_is_that_of_the_tables(probability: float, freedom: int, value: float) -> None:
    assert student(probability, freedom) == pytest.approx(value, abs=0.001, rel=3e-5)


def test_few_processes_mostly_show_less_spread_than_there_is() -> None:
    medians = [chi2_median(freedom) for freedom in (1, 2, 4, 30, 300)]
    assert medians == sorted(medians)
    assert medians[0] == pytest.approx(0.455, abs=0.001)
    assert medians[-1] == pytest.approx(1.0, abs=0.003)
