import numpy as np
import pytest

from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.compare.spread_kind import NoisyCase, SpreadKind, describe_noisy

CASE = "neighbor/shfl/f32/26x1024/4096"
QUIET_US = 0.04 * np.random.default_rng(3).standard_normal(24)


def taken(values: np.ndarray, *, runs: int = 1) -> Estimates:
    processes = tuple(divmod(place, len(values) // runs) for place in range(len(values)))
    return Estimates(processes, values, np.zeros(len(values)), values, values, (12,) * len(values))


def described(by_us: object, *, runs: int = 1) -> NoisyCase:
    """Describe a case of 70 µs whose 24 processes differ by 0.04 µs, and by `by_us` more."""
    found = describe_noisy(CASE, taken(70 + QUIET_US + np.asarray(by_us, float), runs=runs), 0.04, 54)
    assert found is not None
    return found


def test_a_case_as_noisy_as_the_machine_is_not_described() -> None:
    assert describe_noisy(CASE, taken(70 + QUIET_US), 0.04, 54) is None


def test_an_outlier_process_is_named() -> None:
    found = described([0.8 if place == 7 else 0.0 for place in range(24)])
    assert (found.kind, found.sentence) == (SpreadKind.OUTLIERS, "70.79 µs in process 7; 70 µs in the other 23")
    assert found.times == pytest.approx(4.2, abs=0.1)


def test_a_process_of_several_runs_is_named_with_its_run() -> None:
    found = described([0.8 if place == 7 else 0.0 for place in range(24)], runs=4)
    assert "process 1 of run 2" in found.sentence


def test_levels_are_reported_with_the_processes_on_each() -> None:
    found = described([place % 3 for place in range(24)])
    assert (found.kind, found.sentence) == (SpreadKind.LEVELS, "70.02 µs in 8 processes, 70.99 µs in 8, 71.99 µs in 8")


def test_levels_that_are_not_far_apart_are_a_wide_spread() -> None:
    found = described([0.4 * (place % 2) for place in range(24)])
    assert (found.kind, found.sentence) == (SpreadKind.LEVELS, "70 µs in 12 processes, 70.4 µs in 12")


def test_of_few_processes_one_is_an_outlier_and_no_level() -> None:
    found = describe_noisy(CASE, taken(np.array([70.0, 70.02, 69.98, 70.01, 71.5])), 0.04, 54)
    assert found is not None
    assert (found.kind, found.sentence) == (SpreadKind.OUTLIERS, "71.5 µs in process 4; 70 µs in the other 4")


def test_many_levels_are_described_by_their_ends() -> None:
    found = described([place % 6 for place in range(24)])
    assert found.sentence.startswith("6 levels, from 70")


def test_a_spread_without_levels_is_wide() -> None:
    found = described(0.3 * np.random.default_rng(4).standard_normal(24))
    assert found.kind is SpreadKind.WIDE
    assert found.sentence.startswith("processes take 69.")


def test_four_processes_must_differ_by_more_than_twenty_four() -> None:
    values = np.array([70.0, 70.05, 69.92, 70.14])
    assert describe_noisy(CASE, taken(values), 0.04, 54) is None
    assert describe_noisy(CASE, taken(np.tile(values, 6)), 0.04, 54) is not None
