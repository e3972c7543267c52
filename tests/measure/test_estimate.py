from dataclasses import replace

import pytest

from shflbench.core.model import Disturbance, Interval, Sample, Timing
from shflbench.measure.estimate import timing
from tests.measure.samples import burst, lined

LEVELS = [104.0, 104.4, 103.6, 104.2, 103.8, 104.1, 103.9, 104.3, 103.7]
# What the levels leave of the timer: 0.05 µs at 100 iterations, half as much at 50, a quarter at 25.
STEP_AT_25_US = 0.025


def timed(samples: list[Sample]) -> Timing:
    found = timing(samples, 100)
    assert found is not None
    return found


def ends(interval: Interval | None) -> tuple[float, float, float]:
    assert interval is not None
    return interval.value, interval.low, interval.high


def test_time_is_the_median_of_the_rounds_between_the_second_and_the_eighth() -> None:
    found = timed(lined(LEVELS))
    half = STEP_AT_25_US / 2
    assert ends(found.time_us) == pytest.approx((104.0, 103.7 - half, 104.3 + half))
    assert (found.rounds, found.samples, found.dropped, found.launches) == (9, 27, 0, 1)
    assert (found.processes, found.troubles) == ((0,), ())


def test_slope_is_that_between_the_most_and_the_fewest_iterations_of_a_round() -> None:
    found = timed(lined(LEVELS))
    step = 1000 * STEP_AT_25_US / 75
    assert ends(found.ns_per_iteration) == pytest.approx((1000.0, 997.0 - step, 1003.0 + step))
    assert found.launch_overhead_us == pytest.approx(4.0)


def test_offset_of_a_round_moves_its_time_and_not_its_slope() -> None:
    samples = [
        replace(sample, round=number)
        for number, level in enumerate(LEVELS)
        for sample in lined([level], overhead_us=level - 100.0)
    ]
    slope = timed(samples).ns_per_iteration
    assert slope is not None
    assert (slope.value, slope.high - slope.low) == pytest.approx((1000.0, 2000 * 0.1 / 75))


def test_two_counts_give_a_slope_and_one_gives_none() -> None:
    assert timed(lined(LEVELS, counts=(100, 50))).ns_per_iteration is not None
    found = timed(lined(LEVELS, counts=(100,)))
    assert (found.ns_per_iteration, found.launch_overhead_us) == (None, None)


def test_a_single_round_has_no_interval() -> None:
    found = timed(lined([104.0]))
    assert (found.time_us, found.ns_per_iteration) == (Interval.unknown(104.0), Interval.unknown(1000.0))
    assert not found.time_us.is_known


def test_equal_times_are_known_to_half_a_step_of_the_timer() -> None:
    found = timed(lined([104.0] * 9))
    assert ends(found.time_us) == pytest.approx((104.0, 103.984, 104.016))
    step = 32 / 75
    assert ends(found.ns_per_iteration) == pytest.approx((1000.0, 1000.0 - step, 1000.0 + step))


def test_time_of_eight_launches_is_known_to_an_eighth_of_a_step() -> None:
    found = timed([replace(sample, launches=8) for sample in lined([104.0] * 9)])
    assert ends(found.time_us) == pytest.approx((104.0, 103.998, 104.002))
    assert found.launches == 8


def test_single_outliers_change_nothing() -> None:
    samples = lined(LEVELS)
    outliers = [replace(sample, time_us=500.0) if sample.sample == 0 else sample for sample in samples]
    assert timed(outliers).time_us == timed(samples).time_us
    assert timed(lined([*LEVELS[:1], 9000.0, *LEVELS[2:]])).time_us.high < 105


def test_interval_of_several_processes_covers_the_median_of_each() -> None:
    """Nine rounds each, 104, 105 and 107 µs: the order statistics of all 27 rounds do not reach the third."""
    shifts = {0: 0.0, 2: 1.0, 5: 3.0}
    samples = [
        sample
        for process, shift in shifts.items()
        for sample in lined([level + shift for level in LEVELS], process=process)
    ]
    found = timed(samples)
    assert found.time_us.value == pytest.approx(105.0)
    assert (found.time_us.low, found.time_us.high) == pytest.approx((104.0, 107.0), abs=0.2)
    assert found.time_us.high >= 107.0
    assert found.processes == (0, 2, 5)
    assert found.rounds == 27


def test_dropped_samples_are_counted_and_not_used() -> None:
    samples = lined(LEVELS)
    hot = [replace(sample, round=9, time_us=150.0, dropped=True) for sample in samples if sample.round == 0]
    found = timed(samples + hot)
    assert (found.rounds, found.samples, found.dropped) == (9, 27, 3)
    assert found.time_us == timed(samples).time_us
    assert [trouble.kind for trouble in found.troubles] == [Disturbance.THROTTLED]


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param([], id="no samples"),
        pytest.param(burst([70.0], dropped=True), id="all of them dropped"),
        pytest.param(burst([70.0], iterations=50), id="none at the case's own iterations"),
    ],
)
def test_no_kept_round_gives_no_time(samples: list[Sample]) -> None:
    assert timing(samples, 100) is None


def test_round_that_a_crash_ended_early_counts_with_its_samples() -> None:
    """The tenth round ends after the burst at the case's own iterations."""
    cut = burst([110.0] * 3, round_=9, seconds=0.9)
    found, before = timed(lined(LEVELS) + cut), timed(lined(LEVELS))
    assert found.rounds == 10
    assert found.time_us.value > before.time_us.value
    assert found.ns_per_iteration == before.ns_per_iteration


def test_clock_is_the_median_over_bursts_and_not_over_samples() -> None:
    samples = [
        *burst([70.0] * 9, clock_mhz=1000.0),
        *burst([70.0] * 3, round_=1, clock_mhz=1980.0),
        *burst([35.0] * 3, round_=1, clock_mhz=1990.0, iterations=50),
        *burst([70.0] * 3, round_=2, clock_mhz=None),
        *burst([70.0] * 3, round_=3, clock_mhz=500.0, dropped=True),
    ]
    assert timed(samples).sm_clock_mhz == 1980.0
    assert timed(burst([70.0], clock_mhz=None)).sm_clock_mhz is None
