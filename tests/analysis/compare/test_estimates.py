import math

import numpy as np
import pytest

from shflbench.analysis.compare.estimates import Estimates, estimate_all, fastest_half
from tests.fakes.estimated import estimated


def rounds(*times: list[float]) -> list[np.ndarray]:
    return [np.array(each) for each in times]


def jackknife(taken: list[np.ndarray]) -> float:
    """Return the variance of one process."""
    return float(Estimates.of({(0, 0): taken}).variances[0])


@pytest.mark.parametrize(
    ("times", "value"), [([7.0], 7.0), ([3.0, 1.0], 1.0), ([9.0, 1.0, 2.0], 1.5), ([4.0, 90.0, 2.0, 80.0], 3.0)]
)
def test_the_fastest_half_includes_the_median_and_nothing_slower(times: list[float], value: float) -> None:
    assert fastest_half(np.array(times)) == value


def test_late_samples_change_nothing_if_they_are_less_than_half() -> None:
    times = np.linspace(10, 11, 20)
    late = times.copy()
    late[10:] += 100
    assert fastest_half(late) == fastest_half(times)
    late[9:] += 100
    assert fastest_half(late) > fastest_half(times) + 1


@pytest.mark.parametrize(
    ("taken", "variance"),
    [
        (rounds([1.0, 1.0], [2.0, 2.0]), 1 / 4),  # without the one 2, without the other 1
        (rounds([1.0], [2.0], [6.0]), 2 * 2 / 9),  # 2, 1 and 1
        (rounds([1.0, 9.0, 1.0], [2.0]), 1 / 4),  # rounds of any length: 2 and 1
        (rounds([5.0, 6.0], [6.0, 5.0], [5.0, 6.0]), 0.0),
    ],
)
def test_the_jackknife_leaves_out_one_round_after_the_other(taken: list[np.ndarray], variance: float) -> None:
    assert jackknife(taken) == pytest.approx(variance)


def test_medians_quantiles_and_the_jackknife_are_as_by_their_definitions() -> None:
    random = np.random.default_rng(4)
    for _ in range(50):
        sizes = random.integers(1, 9, random.integers(2, 7))
        taken = [70 + np.round(random.exponential(1.0, size), 1) for size in sizes]  # many samples are equal
        own = Estimates.of({(0, 0): taken})
        pooled = np.concatenate(taken)
        without = [fastest_half(np.concatenate(taken[:place] + taken[place + 1 :])) for place in range(len(taken))]
        assert own.variances[0] == pytest.approx((len(taken) - 1) * np.var(without), rel=1e-9, abs=1e-20)
        assert own.medians[0] == np.median(pooled)
        assert own.p90s[0] == np.quantile(pooled, 0.9)


def test_samples_of_a_single_round_count_as_independent() -> None:
    assert jackknife(rounds([1.0, 2.0, 6.0])) == jackknife(rounds([1.0], [2.0], [6.0]))
    assert math.isnan(jackknife(rounds([1.0])))


def test_slow_rounds_add_more_variance_than_as_many_slow_samples() -> None:
    times = np.full(96, 100.0)
    times[:48] = 99.0
    spread_out, in_rounds = (order.reshape(12, 8) for order in (times.reshape(2, 48).T.ravel(), times))
    assert jackknife(list(in_rounds)) > 5 * jackknife(list(spread_out))


def test_the_jackknife_estimates_the_spread_between_many_processes() -> None:
    random = np.random.default_rng(1)
    processes = [list(100 + random.normal(0, 0.3, (12, 1)) + random.normal(0, 0.1, (12, 8))) for _ in range(400)]
    seen = np.var([fastest_half(np.concatenate(process)) for process in processes])
    assert np.mean([jackknife(process) for process in processes]) == pytest.approx(seen, rel=0.25)


def test_every_process_is_estimated_by_itself() -> None:
    own = Estimates.of({(0, 0): rounds([1.0, 3.0], [2.0, 9.0]), (1, 4): rounds([5.0, 5.0, 8.0])}, launches=8)
    assert (own.processes, own.rounds, own.launches, len(own)) == (((0, 0), (1, 4)), (2, 1), 8, 2)
    assert own.values.tolist() == [1.5, 5.0]
    assert own.medians.tolist() == [2.5, 5.0]
    assert own.p90s.tolist() == pytest.approx([7.2, 7.4])
    assert own.variances[0] == jackknife(rounds([1.0, 3.0], [2.0, 9.0]))
    assert own.variances[1] == jackknife(rounds([5.0, 5.0, 8.0]))


def test_kernels_are_estimated_together_to_the_bit_as_alone() -> None:
    random = np.random.default_rng(5)

    def taken(most_rounds: int) -> list[np.ndarray]:
        sizes = random.integers(1, 4, random.integers(1, most_rounds))
        return [40 + 0.032 * random.integers(0, 99, size) for size in sizes]

    kernels = [({(0, number): taken(40) for number in range(3)}, launches) for launches in range(1, 30)]
    together, alone = estimate_all(kernels), [Estimates.of(*kernel) for kernel in kernels]
    for one, other in zip(together, alone, strict=True):
        assert (one.processes, one.rounds, one.launches) == (other.processes, other.rounds, other.launches)
        for name in ("values", "variances", "medians", "p90s"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    assert estimate_all([]) == []


def test_processes_are_selected_in_the_given_order() -> None:
    own = estimated(10, 20, 30).select([(0, 2), (0, 0)])
    assert (own.processes, own.values.tolist(), own.rounds) == (((0, 2), (0, 0)), [30, 10], (12, 12))
    assert own.p90s.tolist() == pytest.approx([30.9, 10.3])
    with pytest.raises(ValueError, match="not in"):
        own.select([(0, 1)])


def test_the_offset_of_each_process_is_subtracted() -> None:
    own = estimated(10, 20).minus({(0, 1): 5.0, (0, 0): 1.0})
    assert own.values.tolist() == [9, 15]
    assert (own.medians.tolist(), own.p90s.tolist()) == (pytest.approx([9.1, 15.2]), pytest.approx([9.3, 15.6]))


def test_a_process_with_an_unknown_offset_is_dropped() -> None:
    own = estimated(10, 20).minus({(0, 1): 5.0})
    assert (own.processes, own.values.tolist()) == (((0, 1),), [15])
    assert len(estimated(10).minus({})) == 0


def test_a_difference_of_two_times_is_as_noisy_as_both() -> None:
    slope = estimated(50, 60, variance=3.0).slope(estimated(20, 40, variance=1.0), scale=10)
    assert slope.values.tolist() == [300, 200]
    assert slope.variances.tolist() == [400, 400]
    assert slope.medians.tolist() == pytest.approx([303, 202])


def test_a_table_gives_one_process_of_unknown_rounds() -> None:
    own = Estimates.known(7.0, 0.25, launches=8)
    assert (len(own), own.values.tolist(), own.variances.tolist()) == (1, [7.0], [0.25])
    assert (own.rounds, own.launches) == ((0,), 8)


def test_one_process_at_0_makes_a_ratio_meaningless() -> None:
    assert estimated(0.032, 5.0).positive
    assert not estimated(0.0, 5.0).positive
    assert not estimated(5.0, -0.1).positive
