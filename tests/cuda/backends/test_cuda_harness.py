"""The delay of the GPU before a burst."""

import pytest

from shflbench.cuda.backends.cuda_harness import MOST, TRIES, Delay


def test_ten_samples_of_one_launch_wait_for_ten_microseconds_each() -> None:
    assert Delay().nanoseconds(launches=1 + 10, events=20) == 40_000 + 6_000 + 10 * 10_000


def test_eight_times_the_launches_do_not_wait_for_eight_times_the_events() -> None:
    one, eight = (Delay().nanoseconds(launches, events=20) for launches in (10, 80))
    assert eight - one == 70 * 6_000


def test_host_bound_burst_doubles_the_delay_up_to_a_bound() -> None:
    delay = Delay()
    usual = delay.nanoseconds(10, 20)
    seen = []
    for _ in range(TRIES + 3):
        seen.append(delay.nanoseconds(10, 20) / usual)
        delay.learn(host_bound=True)
    assert seen[:TRIES] == [1, 2, 4, 8, 16, 32, 64]
    assert max(seen) == MOST == 64


def test_bursts_in_time_reduce_the_delay_to_the_initial_one() -> None:
    delay = Delay()
    for _ in range(TRIES):
        delay.learn(host_bound=True)
    for _ in range(14):
        delay.learn(host_bound=False)
    assert delay.factor == pytest.approx(MOST / 2, rel=0.05)
    for _ in range(100):
        delay.learn(host_bound=False)
    assert delay.factor == 1.0
