from statistics import median

import pytest

from shflbench.core.model import Interval
from shflbench.measure.calibrate.estimate import LengthPair, TimedLength, estimate, over_processes
from shflbench.measure.calibrate.probe import Formula

CLOCK_MHZ = 2000.0


def pair(pass_us: float = 0.5, work: float = 2048, clock_mhz: float | None = CLOCK_MHZ) -> LengthPair:
    """Return a round of 200 and 50 passes with a launch of 3 µs."""
    long, short = (TimedLength(passes, 3 + passes * pass_us, clock_mhz) for passes in (200, 50))
    return LengthPair(long, short, work)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (Formula.WORK_PER_CLOCK, 2048 / 1000),  # a pass takes 1000 clocks
        (Formula.CLOCKS_PER_WORK, 1000 / 2048),
        (Formula.WORK_PER_SECOND, 2048 / 0.5e-6),
        (Formula.INTERCEPT, 3.0),
        (Formula.PER_LAUNCH, 0.5),
    ],
)
def test_launch_overhead_drops_out_of_each_formula(formula: Formula, value: float) -> None:
    assert pair().value(formula) == pytest.approx(value)


def test_each_length_is_converted_by_its_own_clock() -> None:
    long, short = TimedLength(200, 200.0, 1000.0), TimedLength(100, 50.0, 2000.0)
    assert LengthPair(long, short, 1000).value(Formula.CLOCKS_PER_WORK) == pytest.approx((200e3 - 100e3) / 100 / 1000)


def test_rate_per_clock_is_unknown_without_a_clock_but_that_per_second_is_known() -> None:
    without = pair(clock_mhz=None)
    assert without.value(Formula.WORK_PER_CLOCK) is None
    assert without.value(Formula.WORK_PER_SECOND) == pytest.approx(2048 / 0.5e-6)


def test_longer_launch_that_is_not_slower_has_no_value() -> None:
    assert pair(pass_us=0).value(Formula.WORK_PER_SECOND) is None
    assert pair(pass_us=-0.01).value(Formula.INTERCEPT) is None


def test_figure_is_the_median_of_the_rounds_and_one_slow_round_does_not_change_it() -> None:
    times = [0.5, 0.501, 0.499, 0.5, 0.502, 0.498, 0.5, 0.9]
    interval = estimate([[pair(pass_us)] for pass_us in times], Formula.PER_LAUNCH)
    assert interval is not None
    assert interval.value == median(times)
    assert interval.low < 0.499
    assert 0.501 < interval.high < 0.91


def test_interval_is_never_narrower_than_a_step_of_the_timer() -> None:
    interval = estimate([[pair()]] * 13, Formula.WORK_PER_CLOCK)
    assert interval is not None
    assert interval.half_width == pytest.approx(0.032 / (150 * 0.5) / 2)


def test_rounds_without_a_value_give_no_figure() -> None:
    assert estimate([], Formula.INTERCEPT) is None
    assert estimate([[]], Formula.PER_LAUNCH) is None
    assert estimate([[pair(clock_mhz=None)]], Formula.WORK_PER_CLOCK) is None


def test_round_of_several_openings_counts_as_their_median() -> None:
    pairs = [pair(pass_us) for pass_us in (0.5, 0.52, 0.9)]
    interval = estimate([pairs] * 9, Formula.PER_LAUNCH)
    assert interval is not None
    assert interval.value == pytest.approx(0.52)
    assert interval.high < 0.53


def test_processes_give_their_median_and_an_interval_that_spans_them_all() -> None:
    intervals = [Interval(2.91, 2.88, 2.96), Interval(3.11, 3.02, 3.21), Interval(2.97, 2.95, 3.0)]
    assert over_processes(intervals) == Interval(2.97, 2.88, 3.21)
    assert over_processes(intervals[:1]) == intervals[0]
