from __future__ import annotations

from shflbench.measure.warmup import MOST_STEPS, STEADY_STEPS, STEP_MS, warm_up
from tests.fakes.backend import FakeBackend


def test_clock_that_settles_ends_the_warm_up() -> None:
    device = FakeBackend(warm_clocks=[345.0, 1200.0, 1700.0, 1980.0])
    assert warm_up(device) == (True, 1980.0)
    assert round(device.clock() / STEP_MS * 1000) == 3 + STEADY_STEPS


def test_clock_may_wander_by_a_few_mhz() -> None:
    assert warm_up(FakeBackend(warm_clocks=[1980.0, 1982.0, 1979.0, 1981.0])) == (True, 1981.0)


def test_clock_that_never_settles_is_reported_after_three_seconds() -> None:
    device = FakeBackend(warm_clocks=[1500.0, 1980.0] * 50)
    assert warm_up(device) == (False, 1980.0)
    assert round(device.clock() / STEP_MS * 1000) == MOST_STEPS


def test_device_without_a_clock_is_warm_at_once() -> None:
    assert warm_up(FakeBackend(warm_clocks=[None])) == (True, None)
