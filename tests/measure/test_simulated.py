"""Stopping rule, interval and checks on devices whose noise is known: see tests/fakes/noise.py.

Undisturbed cases take 30–3000 µs (evenly on a logarithmic scale), read in steps of 32 ns. Their rounds are independent.
"""

from collections import Counter
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from shflbench.core.model import MeasureRules
from shflbench.core.statistics import median_interval, widen
from shflbench.measure.diagnose import troubles
from shflbench.measure.estimate import timing
from shflbench.measure.rounds import SampledCase
from shflbench.measure.schedule import samples_per_burst
from shflbench.measure.stopping import why_stop
from tests.fakes.noise import Noise, Shape, moments_of, slow_spans, taken
from tests.fakes.runs import TICK_US

Disturb = Callable[
    [list[float], float, np.random.Generator], Noise
]  # times of the bursts in s, duration of one in s, generator

CASES = 2000
FEW = 600  # of them, for the tests of every day; `make test-archs` takes all
BURST = 4  # samples per round: the fewest, with the largest noise
APART_S = 0.13  # from round to round
RULES = MeasureRules()


def true_times(source: np.random.Generator) -> NDArray[np.float64]:
    return np.exp(source.uniform(np.log(30), np.log(3000), CASES))


def every_day_and_whole(few: int, whole: int) -> pytest.MarkDecorator:
    """Run a test with a few cases in `make test`, and with the whole number in `make test-archs`."""
    return pytest.mark.parametrize(
        "cases", [pytest.param(few, id=str(few)), pytest.param(whole, id=str(whole), marks=pytest.mark.archs)]
    )


def stopped(rounds: list[float]) -> int:
    """Return the number of rounds until a case ends."""
    for count in range(1, len(rounds) + 1):
        span = APART_S * (count - 1)
        if why_stop(rounds[:count], BURST * count, span, 0.0, RULES):
            return count
    return len(rounds)  # max_seconds is reached


@every_day_and_whole(FEW, CASES)
@pytest.mark.parametrize("shape", get_args(Shape))
@pytest.mark.parametrize(
    ("scale", "most", "fewest_rounds", "most_rounds"),
    [
        pytest.param(0.001, 40, 9, 10, id="quiet: stops at once"),
        pytest.param(0.012, 150, 13, 35, id="stops at about 20 rounds"),
        pytest.param(0.024, 250, 35, 110, id="stops at about 60 rounds"),
        pytest.param(0.100, 40, 40, 40, id="never: its time is up after 40 rounds"),
    ],
)
def test_interval_covers_the_true_median_for_every_way_to_stop(
    shape: Shape, scale: float, most: int, fewest_rounds: float, most_rounds: float, cases: int
) -> None:
    source = np.random.default_rng(5)
    true_us = true_times(source)[:cases]
    noise = Noise(scale, shape)
    times = noise.times_us(true_us[:, None, None], np.zeros((cases, most, BURST)), source)
    held, counts = 0, []
    for true, rounds in zip(true_us, np.median(times, axis=2).tolist(), strict=True):
        counts.append(stopped(rounds))
        interval = widen(median_interval(rounds[: counts[-1]]), TICK_US / 2)
        held += interval.low <= true <= interval.high
    assert held / cases >= 0.92  # the smallest of 2000 is 0.932, that of 600 within two standard errors of 0.01
    assert fewest_rounds <= np.mean(counts) <= most_rounds


def test_estimate_covers_the_true_time_and_slope() -> None:
    """100 µs plus 0.1 µs per iteration, three counts, normal noise of 0.1%, 9 to 30 rounds."""
    source = np.random.default_rng(6)
    held = Counter[str]()
    cases = 300
    for _ in range(cases):
        moments = moments_of(int(source.integers(9, 31)), 0.05, source)
        samples = [
            sample
            for iterations in (4096, 2048, 1024)
            for sample in taken(Noise(), 100 + 0.1 * iterations, moments, source, iterations=iterations)
        ]
        found = timing(samples, 4096)
        assert found is not None
        assert found.ns_per_iteration is not None
        held["time"] += found.time_us.low <= 509.6 <= found.time_us.high
        held["slope"] += found.ns_per_iteration.low <= 100.0 <= found.ns_per_iteration.high
        held["flagged"] += bool(found.troubles)
    assert held["time"] >= 0.93 * cases
    assert held["slope"] >= 0.93 * cases
    assert held["flagged"] <= 0.05 * cases


def flagged(disturb: Disturb, cases: int) -> Counter[str]:
    """Return the number of `cases` with each disturbance; 9–30 rounds over 1–2 s, 4–10 samples each."""
    source = np.random.default_rng(7)
    kinds = Counter[str]()
    for true_us in true_times(source)[:cases].tolist():
        rounds = int(source.integers(9, 31))
        moments = moments_of(rounds, float(source.uniform(1.0, 2.0)) / rounds, source)
        noise = disturb(moments, samples_per_burst(true_us) * true_us / 1e6, source)
        found = {
            trouble.kind.value for trouble in troubles(SampledCase.of(taken(noise, true_us, moments, source), 4096))
        }
        kinds.update(found | {"any" if found else "none"})
    return kinds


@every_day_and_whole(100, 300)
@pytest.mark.parametrize("shape", get_args(Shape))
@pytest.mark.parametrize("scale", [0.001, 0.003])
def test_undisturbed_cases_are_rarely_flagged(shape: Shape, scale: float, cases: int) -> None:
    assert flagged(lambda *_: Noise(scale, shape), cases)["any"] <= 0.05 * cases


def drifting(moments: list[float], _: float, source: np.random.Generator) -> Noise:
    """Return a clock that loses or gains 1% from the first burst to the last."""
    return Noise(drift=float(source.choice([-0.01, 0.01])) / (moments[-1] - moments[0]))


def slow(moments: list[float], burst_s: float, source: np.random.Generator) -> Noise:
    """Return a slow state of +0.3% for 17% of the time, 20–100 ms in a row, in two bursts or more."""
    return Noise(slow=slow_spans(moments, burst_s, source))


def twice_slow(moments: list[float], burst_s: float, source: np.random.Generator) -> Noise:
    """Return a slow state of +0.3% in exactly two bursts."""
    hit = source.choice(moments, 2, replace=False).tolist()
    return Noise(slow=tuple((at, at + burst_s) for at in hit))


def throttled(moments: list[float], _: float, source: np.random.Generator) -> Noise:
    """Return a clock reduced by a fifth during one burst or more."""
    at = float(source.choice(moments))
    return Noise(throttled=((at, at + 0.1),))


def two_levels(*_: object) -> Noise:
    """Return launches of which two in five take 1% longer."""
    return Noise(levels=0.01)


@every_day_and_whole(100, 300)
@pytest.mark.parametrize(
    ("disturb", "kind"),
    [
        (drifting, "drift"),
        (slow, "slow-episodes"),
        (twice_slow, "slow-episodes"),
        (throttled, "throttled"),
        (two_levels, "two-levels"),
    ],
)
def test_disturbed_cases_are_flagged_only_for_their_disturbance(disturb: Disturb, kind: str, cases: int) -> None:
    """With normal noise of 0.1% per launch."""
    kinds = flagged(disturb, cases)
    assert kinds.pop(kind) >= 0.95 * cases
    del kinds["any"]
    assert all(count <= 0.05 * cases for count in kinds.values())


def test_single_launch_follows_the_same_distribution_as_many() -> None:
    noise = Noise(slow=((1.0, 2.0),), throttled=((3.0, 4.0),), scale=0.0, drift=0.01, offset_us=0.5, tick_us=0.0)
    source = np.random.default_rng(1)
    assert [noise.time_us(100.0, second, source) for second in (0.0, 1.5, 3.5)] == pytest.approx([100.5, 102.3, 124.0])
    assert [noise.is_throttled(second) for second in (2.9, 3.0, 4.0)] == [False, True, False]
    assert Noise(scale=0.0).time_us(1.0, 0.0, source) == pytest.approx(31 * TICK_US)


@pytest.mark.parametrize("shape", get_args(Shape))
def test_true_time_is_the_median_of_every_shape(shape: Shape) -> None:
    times = Noise(0.01, shape, tick_us=0.0).times_us(100.0, np.zeros(1_000_000), np.random.default_rng(1))
    assert np.median(times) == pytest.approx(100.0, abs=0.01)
