from __future__ import annotations

import pytest

from shflbench.measure.schedule import iteration_counts, launches_a_burst


@pytest.mark.parametrize(
    ("iterations", "unroll", "counts"),
    [
        (4096, 16, (4096, 2048)),
        (1024, 4, (1024, 512)),
        (100, 16, (100, 52)),  # 6 passes and 4 trips, 3 passes and 4 trips
        (32, 16, (32, 16)),
        (31, 16, (31,)),  # one pass: none to leave out
        (1, 16, (1,)),
        (5, 1, (5, 3)),
    ],
)
def test_second_count_leaves_out_half_of_the_passes(iterations: int, unroll: int, counts: tuple[int, ...]) -> None:
    assert iteration_counts(iterations, unroll) == counts


@pytest.mark.parametrize("iterations", range(1, 200, 7))
@pytest.mark.parametrize("unroll", [1, 4, 16])
def test_both_counts_leave_the_same_trips_to_the_remainder_loop(iterations: int, unroll: int) -> None:
    counts = iteration_counts(iterations, unroll)
    assert {count % unroll for count in counts} == {iterations % unroll}
    assert counts[0] == iterations


@pytest.mark.parametrize(
    ("time_us", "launches"), [(70.0, 10), (200.0, 5), (250.0, 4), (328.0, 3), (1e6, 3), (5.0, 10), (0.0, 10)]
)
def test_burst_takes_about_a_millisecond_within_bounds(time_us: float, launches: int) -> None:
    assert launches_a_burst(time_us) == launches
