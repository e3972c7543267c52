import numpy as np
import pytest

from benchmarks.compare_power.rules import RULES, Call, intervals, legacy, mann_whitney, medians, robust

STEADY = np.linspace(9.9, 10.1, 101)  # median and mean 10, standard deviation 0.0586


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_calls_a_doubled_time_slower_and_a_halved_one_faster(rule: object) -> None:
    assert callable(rule)
    assert rule(STEADY, 2 * STEADY, 40) is Call.SLOWER
    assert rule(2 * STEADY, STEADY, 40) is Call.FASTER
    assert rule(STEADY, STEADY, 40) is Call.NOTHING


def test_legacy_rule_compares_means_with_the_smaller_deviation() -> None:
    assert legacy(STEADY, STEADY + 0.058, 40) is Call.NOTHING
    assert legacy(STEADY, STEADY + 0.060, 40) is Call.SLOWER
    noisy = 10 + (STEADY - 10) * 50
    assert legacy(noisy, STEADY + 0.060, 40) is Call.SLOWER  # however noisy the other side is
    assert legacy(np.full(9, 10.0), np.full(9, 20.0), 40) is Call.NOTHING  # "unknown" where nothing varies


def test_robust_rule_needs_a_gap_between_minimum_and_third_quartile() -> None:
    assert robust(STEADY, STEADY + 0.14, 40) is Call.AMBIGUOUS  # 0.14 up: the ranges still overlap
    assert robust(STEADY, STEADY + 0.19, 40) is Call.AMBIGUOUS  # a gap of 0.4%
    assert robust(STEADY, STEADY + 0.21, 40) is Call.SLOWER
    assert robust(STEADY, STEADY - 0.21, 40) is Call.FASTER
    assert robust(STEADY, STEADY + 0.04, 40) is Call.NOTHING  # centers within 0.5%, overlap above a half
    assert robust(10 + (STEADY - 10) * 4, STEADY, 40) is Call.AMBIGUOUS  # scatters by more than 2%


def test_medians_are_compared_with_a_percentage() -> None:
    assert medians(STEADY, STEADY * 1.019, 40, by=0.02) is Call.NOTHING
    assert medians(STEADY, STEADY * 1.021, 40, by=0.02) is Call.SLOWER


def test_intervals_of_medians_shrink_with_the_samples() -> None:
    by = 0.03  # of a range of 0.2: intervals of 101 samples reach 0.02 to either side, of 11 samples 0.06
    assert intervals(STEADY, STEADY + by, 40) is Call.NOTHING
    assert intervals(STEADY, STEADY + 2 * by, 40) is Call.SLOWER
    assert intervals(STEADY[::10], STEADY[::10] + 2 * by, 40) is Call.NOTHING


def test_mann_whitney_is_that_of_the_textbook() -> None:
    base, new = np.arange(1.0, 9.0), np.arange(4.5, 12.5)  # z = 2.31, p = 0.021
    assert mann_whitney(base, new, 1, bonferroni=False) is Call.NOTHING
    assert mann_whitney(base, new + 1, 1, bonferroni=False) is Call.SLOWER  # z = 2.73, p = 0.006
    assert mann_whitney(base, new + 1, 40, bonferroni=True) is Call.NOTHING


def test_mann_whitney_corrects_for_ties() -> None:
    base, new = np.array([1.0] * 9 + [2.0]), np.array([1.0] * 4 + [2.0] * 6)
    # U = 75, its variance 100/12·(21 - (13³-13+7³-7)/380) = 118.4 and not 175: z = 2.28 and not 1.89
    assert mann_whitney(base, new, 1, bonferroni=False) is Call.NOTHING
    assert mann_whitney(np.repeat(base, 2), np.repeat(new, 2), 1, bonferroni=False) is Call.SLOWER
    assert mann_whitney(np.ones(5), np.ones(5), 1, bonferroni=False) is Call.NOTHING
