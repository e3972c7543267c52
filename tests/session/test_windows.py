from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import MeasureRules, Suite
from shflbench.session.windows import CASE_SECONDS, CASES, least_seconds, windows
from tests import cases


def sizes(groups: Sequence[int]) -> list[list[int]]:
    """Return the sizes of the groups in each window."""
    return [[len(group) for group in window] for window in windows([range(size) for size in groups])]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([], []),
        ([3], [[3]]),
        ([CASES], [[CASES]]),
        ([CASES - 1, 1, 1], [[CASES - 1, 1], [1]]),
        ([3 * CASES, 2], [[3 * CASES], [2]]),  # no group is split
        ([8, 8, 8, 8, 8], [[8, 8, 8], [8, 8]]),
    ],
)
def test_consecutive_groups_share_a_window_until_it_has_enough_cases(
    groups: list[int], expected: list[list[int]]
) -> None:
    assert sizes(groups) == expected


def suite(variants: int, dtypes: Sequence[str], rules: MeasureRules) -> Suite:
    items = [cases.case(variant=f"v{number}", dtype=dtype) for dtype in dtypes for number in range(variants)]
    return Suite("demo", "", Path("demo.yaml"), "", tuple(items), rules, {})


def test_small_window_takes_the_fewest_seconds() -> None:
    rules = MeasureRules(min_seconds=3.0)
    assert least_seconds(suite(2, ["f32", "f64"], rules)) == 3.0
    assert least_seconds(suite(2, ["f32", "f64"], replace(rules, processes=2))) == 6.0
    assert least_seconds(suite(CASES, ["f32", "f64"], rules)) == 6.0


def test_large_window_takes_the_time_of_its_cases() -> None:
    found = least_seconds(suite(10 * CASES, ["f32"], MeasureRules(min_seconds=1.0)))
    assert found == pytest.approx(10 * CASES * CASE_SECONDS)
