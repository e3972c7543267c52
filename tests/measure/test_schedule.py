import pytest

from shflbench.measure.schedule import iteration_counts, launches_per_sample, samples_per_burst


@pytest.mark.parametrize(
    ("iterations", "unroll", "counts"),
    [
        (4096, 16, (4096, 2048, 1024)),
        (1024, 4, (1024, 512, 256)),
        (100, 16, (100, 52, 36)),  # 6, 3 and 2 passes, with 4 remaining iterations each
        (48, 16, (48, 32, 16)),
        (32, 16, (32, 16)),  # half of the passes and a quarter of them are both one
        (31, 16, (31,)),  # one pass: none to leave out
        (1, 16, (1,)),
        (5, 1, (5, 3, 2)),
    ],
)
def test_other_counts_have_a_half_and_a_quarter_of_the_passes(
    iterations: int, unroll: int, counts: tuple[int, ...]
) -> None:
    assert iteration_counts(iterations, unroll) == counts


@pytest.mark.parametrize("iterations", range(1, 200, 7))
@pytest.mark.parametrize("unroll", [1, 4, 16])
def test_all_counts_have_the_same_number_of_remaining_iterations(iterations: int, unroll: int) -> None:
    counts = iteration_counts(iterations, unroll)
    assert {count % unroll for count in counts} == {iterations % unroll}
    assert counts[0] == iterations
    assert list(counts) == sorted(set(counts), reverse=True)


@pytest.mark.parametrize(
    ("time_us", "samples"),
    [(70.0, 10), (130.0, 8), (160.0, 6), (200.0, 4), (328.0, 4), (1e6, 4), (5.0, 10), (0.0, 10)],
)
def test_burst_takes_about_a_millisecond_within_bounds(time_us: float, samples: int) -> None:
    assert samples_per_burst(time_us) == samples


@pytest.mark.parametrize("time_us", [3.0 * 1.1**step for step in range(80)])
def test_samples_of_a_burst_are_even_so_that_two_times_in_turn_count_alike(time_us: float) -> None:
    assert samples_per_burst(time_us) in {4, 6, 8, 10}


@pytest.mark.parametrize(("fastest_us", "launches"), [(2.0, 8), (7.9, 8), (8.0, 1), (70.0, 1), (3000.0, 1)])
def test_sample_of_a_short_kernel_has_eight_launches(fastest_us: float, launches: int) -> None:
    assert launches_per_sample(fastest_us) == launches
