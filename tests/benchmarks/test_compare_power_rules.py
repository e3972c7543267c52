import numpy as np
import pytest

from benchmarks.compare_power.rules import (
    RULES,
    Call,
    hierarchical_bootstrap,
    intervals,
    mann_whitney,
    medians,
    pooled_bootstrap,
    significant_and_large,
)

STEADY = np.linspace(9.9, 10.1, 101)  # median and mean 10, standard deviation 0.0586


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_calls_a_doubled_time_slower_and_a_halved_one_faster(rule: object) -> None:
    assert callable(rule)
    assert rule(STEADY, 2 * STEADY, 40) is Call.SLOWER
    assert rule(2 * STEADY, STEADY, 40) is Call.FASTER
    assert rule(STEADY, STEADY, 40) is Call.NOTHING


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


def test_significant_difference_must_be_large_as_well() -> None:
    assert mann_whitney(STEADY, STEADY + 0.05, 40, bonferroni=True) is Call.SLOWER
    assert significant_and_large(STEADY, STEADY + 0.05, 40, by=0.01) is Call.NOTHING
    assert significant_and_large(STEADY, STEADY + 0.11, 40, by=0.01) is Call.SLOWER


def test_bootstrap_of_a_median_has_the_interval_of_resampling() -> None:
    random = np.random.default_rng(1)
    shifts = {}
    for by in (0.01, 0.02, 0.03, 0.04):
        drawn = [np.median(random.choice(side, (2000, 101)), axis=1) for side in (STEADY, STEADY + by)]
        low = np.quantile(drawn[1] / drawn[0], 0.005)
        shifts[by] = Call.SLOWER if low > 1 else Call.NOTHING
    assert {by: pooled_bootstrap(STEADY, STEADY + by, 40) for by in shifts} == shifts
    assert set(shifts.values()) == {Call.SLOWER, Call.NOTHING}


def test_bootstrap_of_processes_sees_that_they_differ() -> None:
    base = [STEADY, STEADY + 0.3, STEADY + 0.6]
    new = [times + 0.4 for times in base]
    before, after = (np.sort(np.concatenate(side)) for side in (base, new))
    assert hierarchical_bootstrap(base, new) is Call.NOTHING
    assert hierarchical_bootstrap([STEADY] * 3, [STEADY + 0.4] * 3) is Call.SLOWER
    assert hierarchical_bootstrap([STEADY + 0.4] * 3, [STEADY] * 3) is Call.FASTER
    assert pooled_bootstrap(before, after, 40) is Call.SLOWER
