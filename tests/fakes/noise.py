"""Devices of known noise: the time of a launch at a moment of simulated time.

    noise = Noise(drift=0.005)                                   # Gaussian of 0.1%, and 0.5% slower every second
    times = noise.times_us(70.0, np.linspace(0, 2, 100), source)  # one launch at each of those seconds
    one = noise.time_us(70.0, 0.25, source)                      # as a scripted kernel needs it
    samples = taken(noise, 70.0, rounds=20, source=source)       # the samples of a whole case

All of it is relative to the true time of a launch, which is the median of the undisturbed ones whatever their shape.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shflbench.core.model import Sample
from shflbench.measure.schedule import samples_per_burst
from tests.fakes.h200 import TICK_US

Numbers = NDArray[np.float64]

Shape = Literal["normal", "heavy", "skewed", "late"]
Spans = tuple[tuple[float, float], ...]  # (begin, end) of each, in seconds

SLOW = 0.003  # what the slow state of an H200 costs
SLOW_SHARE = 0.17  # of the time
SLOW_S = 0.1  # how long it lasts, at most


@dataclass(frozen=True)
class Noise:
    """The noise of the launches of a device."""

    scale: float = (
        0.001  # of a launch's own scatter, as a fraction of its time: the standard deviation where it is normal
    )
    shape: Shape = "normal"
    drift: float = 0.0  # a second, as a fraction of the time
    slow: Spans = ()  # when the device is in its slow state
    slow_by: float = SLOW
    levels: float = 0.0  # by how much launches of the higher level take longer
    levels_share: float = 0.4  # of the launches on the higher level, if there is one
    throttled: Spans = ()  # when the clock is held down
    throttled_by: float = 0.2
    offset_us: float = 0.0  # that this process adds to every time
    tick_us: float = TICK_US  # step of the timer, 0 for an ideal one

    def times_us(self, true_us: float | Numbers, seconds: Numbers, source: np.random.Generator) -> Numbers:
        """Return the times of launches that begin at `seconds` and take `true_us` without noise."""
        factor = 1 + self.scale * _scatter(self.shape, seconds.shape, source)
        factor += self.drift * seconds + self.slow_by * _within(self.slow, seconds)
        factor += self.throttled_by * _within(self.throttled, seconds)
        if self.levels:
            factor += self.levels * (source.random(seconds.shape) < self.levels_share)
        times: Numbers = true_us * factor + self.offset_us
        return np.round(times / self.tick_us) * self.tick_us if self.tick_us else times

    def time_us(self, true_us: float, seconds: float, source: np.random.Generator) -> float:
        """Return the time of one launch."""
        return float(self.times_us(true_us, np.array([seconds]), source)[0])

    def is_throttled(self, seconds: float) -> bool:
        """Return whether the driver would report throttling."""
        return any(begin <= seconds < end for begin, end in self.throttled)


def _scatter(shape: Shape, size: tuple[int, ...], source: np.random.Generator) -> Numbers:
    """Return independent noise whose median is 0."""
    match shape:
        case "normal":
            return source.standard_normal(size)
        case "heavy":  # Student's t of three degrees of freedom: one in 700 launches is off by 10
            return source.standard_t(3, size)
        case "skewed":
            return source.exponential(1.0, size) - math.log(2)
        case "late":  # normal, but one launch in ten starts late; the others make up for it in the median
            late = np.where(source.random(size) < 0.1, source.exponential(3.0, size), 0.0)
            return source.standard_normal(size) + late - _MEDIAN_OF_LATE


# Median of the "late" noise before it is centered: the root of 0.9·Φ(x) + 0.1·P(normal + exponential ≤ x) = 1/2.
_MEDIAN_OF_LATE = 0.1049


def _within(spans: Spans, seconds: Numbers) -> NDArray[np.bool_]:
    inside = np.zeros(seconds.shape, dtype=np.bool_)
    for begin, end in spans:
        inside |= (begin <= seconds) & (seconds < end)
    return inside


def slow_spans(moments: Sequence[float], burst_s: float, source: np.random.Generator) -> Spans:
    """Return episodes for SLOW_SHARE of the time, so that they hit at least two of the bursts at `moments`."""
    end = max(moments) + SLOW_S
    while True:
        spans, spent = [], 0.0
        while spent < SLOW_SHARE * end:
            long = float(source.uniform(0.2, 1.0)) * SLOW_S
            begin = float(source.uniform(0.0, end))
            spans.append((begin, begin + long))
            spent += long
        hit = sum(any(begin <= at and at + burst_s <= end for begin, end in spans) for at in moments)
        if hit >= 2:
            return tuple(spans)


def moments_of(rounds: int, apart_s: float, source: np.random.Generator) -> list[float]:
    """Return the start of a case's burst in each of some shuffled rounds: anywhere within the round."""
    return [apart_s * (number + float(source.random())) for number in range(rounds)]


def taken(
    noise: Noise,
    true_us: float,
    moments: Sequence[float],
    source: np.random.Generator,
    *,
    iterations: int = 4096,
    process: int = 0,
) -> list[Sample]:
    """Return the samples of one case at one iteration count, a burst at each of the `moments`."""
    size = samples_per_burst(true_us)
    begins = np.repeat(np.asarray(moments)[:, None], size, axis=1)
    begins += np.arange(size) * true_us / 1e6
    times = noise.times_us(true_us, begins, source)
    return [
        Sample(
            case_id="neighbor/shfl/f32/26x1024/4096",
            process=process,
            round=number,
            sample=index,
            iterations=iterations,
            launches=1,
            time_us=float(time_us),
            sm_clock_mhz=1980.0,
            dropped=noise.is_throttled(moment),
            seconds=moment,
        )
        for number, (moment, burst) in enumerate(zip(moments, times, strict=True))
        for index, time_us in enumerate(burst)
    ]
