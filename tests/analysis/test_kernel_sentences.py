"""Sentences on a user's kernels give the interval that decides each ratio."""

from dataclasses import replace

import pytest

from shflbench.analysis.kernel_sentences import all_decided, kernel_sentences, outcome_counts
from shflbench.analysis.ranking import rankings_of
from shflbench.store import Row
from tests.fakes.runs import measured

TITLE = "neighbor, f32, 26x1024"
HINT = "--processes 5 narrows the interval"


def rows(first: tuple[float, float, float], second: tuple[float, float, float], processes: int = 1) -> list[Row]:
    """Return the rows of two kernels, each with a time in µs and the ends of its interval."""
    times = {"smem": first, "shfl": second}
    known = [row for row in measured(patterns=["neighbor"], dtypes=["f32"])[0] if row.variant in times]
    return [
        replace(
            row,
            time_us=times[row.variant][0],
            time_low_us=times[row.variant][1],
            time_high_us=times[row.variant][2],
            processes=tuple(range(processes)),
        )
        for row in known
    ]


def test_groups_are_counted_by_what_is_shown_of_them() -> None:
    groups = [
        [replace(row, launch=f"{number}x32") for row in rows(*times)]
        for number, times in enumerate(
            (
                ((40.0, 39.9, 40.1), (20.0, 19.9, 20.1)),
                ((20.0, 19.9, 20.1), (40.0, 39.9, 40.1)),
                ((20.0, 19.9, 20.1), (41.0, 40.9, 41.1)),
                ((40.1, 40.0, 40.2), (40.0, 39.9, 40.1)),
                ((41.4, 40.0, 42.8), (40.0, 39.9, 40.1)),
            )
        )
    ]
    rankings = rankings_of([row for group in groups for row in group])
    assert outcome_counts(rankings, "sizes") == (
        "of 5 sizes, smem is the fastest at 2, shfl is the fastest at 1, the fastest kernels differ by less than 1% "
        "at 1 and which is the fastest is not shown at 1"
    )


def test_ratio_of_a_difference_that_is_shown_has_its_interval() -> None:
    shown = rows((40.0, 39.9, 40.1), (20.0, 19.9, 20.1))
    assert kernel_sentences(shown, None) == [f"{TITLE}: shfl runs at 2.00× (1.99× to 2.02×) the speed of smem"]
    assert all_decided(shown, None)


def test_kernels_that_differ_by_less_than_what_matters_are_as_fast() -> None:
    equal = rows((40.1, 40.0, 40.2), (40.0, 39.9, 40.1))
    (sentence,) = kernel_sentences(equal, None)
    assert sentence == f"{TITLE}: shfl is as fast as smem, 1.002× (0.998× to 1.008×), within 1%"
    assert not all_decided(equal, None)


@pytest.mark.parametrize(("processes", "hint"), [(1, f"; {HINT}"), (5, "")])
def test_difference_that_is_not_shown_is_no_tie_and_has_a_next_step(processes: int, hint: str) -> None:
    unknown = rows((41.4, 40.0, 42.8), (40.0, 39.9, 40.1), processes)
    (sentence,) = kernel_sentences(unknown, None)
    interval = "1.035× (0.998× to 1.073×)"
    assert sentence == f"{TITLE}: shfl is not shown to be faster than smem, {interval}, by more than 1%{hint}"
    assert not all_decided(unknown, None)
