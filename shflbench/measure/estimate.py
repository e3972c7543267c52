"""Turn the samples of a case into its time: pure functions of them."""

from __future__ import annotations

from statistics import median, mode
from typing import TYPE_CHECKING

from shflbench.measure.diagnose import troubles
from shflbench.measure.rounds import rounds_of, step_us
from shflbench.model import Interval, Timing
from shflbench.statistics import median_interval, widen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.measure.rounds import Round
    from shflbench.model import Sample


def timing(samples: Sequence[Sample], iterations: int) -> Timing | None:
    """Return what all the samples of one case say, whose own iterations are `iterations`.

    None if no round was kept. A round that a crash cut short counts for what it has.
    """
    rounds = rounds_of(samples)
    timed = [round_ for round_ in rounds if iterations in round_.times_us]
    if not timed:
        return None
    taken = [sample for sample in samples if sample.iterations == iterations]
    kept = [sample for sample in taken if not sample.dropped]
    step = step_us([sample for sample in samples if not sample.dropped])
    time_us = _time_us(timed, iterations, step)
    slope = _ns_per_iteration(timed, iterations, step)
    return Timing(
        time_us=time_us,
        ns_per_iteration=slope,
        launch_overhead_us=None if slope is None else time_us.value - slope.value * iterations / 1000,
        sm_clock_mhz=_clock_mhz(samples),
        samples=len(kept),
        dropped=len(taken) - len(kept),
        rounds=len(timed),
        launches=mode(sample.launches for sample in kept),
        processes=tuple(sorted({round_.process for round_ in timed})),
        troubles=troubles(samples, iterations),
    )


def _time_us(rounds: Sequence[Round], iterations: int, step: float) -> Interval:
    """Return the median of the rounds' medians.

    A round is the independent unit, not a launch: what slows a GPU down lasts up to 0.1 s and hits all launches of a
    round alike. A time is known to the timer's step and no better, however often the same step comes up.

    Every process adds an offset of its own to all its times, drawn afresh (on one H200 with a standard deviation of
    0.05 µs, for kernels below 10 µs of 2–5 %). Rounds of one process do not show it. Those of several do, but
    their interval shrinks with the rounds and not with the processes: it must at least hold each process's own median.
    """
    medians = [round_.median_us(iterations) for round_ in rounds]
    pooled = widen(median_interval(medians), step / 2)
    by_process: dict[int, list[float]] = {}
    for round_, value in zip(rounds, medians, strict=True):
        by_process.setdefault(round_.process, []).append(value)
    centres = [median(values) for values in by_process.values()]
    return Interval(pooled.value, min(pooled.low, *centres, pooled.value), max(pooled.high, *centres, pooled.value))


def _ns_per_iteration(rounds: Sequence[Round], iterations: int, step: float) -> Interval | None:
    """Return the median over rounds of the slope between the most and the fewest iterations.

    Noise grows with the time, and then the line through the two ends is known as well as the one of least squares
    through all three counts: at 4, 2 and 1 parts its variance is 12 % less if the noise is a fraction of the time, and
    4 % more if it is the same everywhere. And it leaves the middle to tell whether there is a line at all.
    """
    fewest = min(count for round_ in rounds for count in round_.times_us)
    trips = iterations - fewest
    if trips <= 0:
        return None
    slopes = [
        1000 * (round_.median_us(iterations) - round_.median_us(fewest)) / trips
        for round_ in rounds
        if fewest in round_.times_us
    ]
    return widen(median_interval(slopes), 1000 * step / trips)  # half a step at either end


def _clock_mhz(samples: Sequence[Sample]) -> float | None:
    """Return the median SM clock over bursts, each of which has one for all its samples."""
    clocks = {
        (sample.process, sample.round, sample.iterations): sample.sm_clock_mhz
        for sample in samples
        if sample.sm_clock_mhz is not None and not sample.dropped
    }
    return median(clocks.values()) if clocks else None
