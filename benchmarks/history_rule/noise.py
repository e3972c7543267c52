"""Noise of unchanged cases over a year: the kinds that `history_rule` simulates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.compare_power.batch import Batch
from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.compare.noise_learning import subtract_offsets

Floats = NDArray[np.float64]

SD = 0.003
TIME_US = 100.0  # of simulated cases
BLOCK = 6  # processes in the order of their recording
AUTOCORRELATED = 0.001, 0.003  # standard deviations
NOISY = 0.0005, 0.012
CALM, LOUD = 0.0015, 0.005
FIRST_CHANGE, LAST_CHANGE = 60, 300  # days
LEVELS = 0.002, 0.02  # distances of the second level
MISSING, GAPS, DAYS_OF_GAPS = 0.1, 6, 365  # weeks without a run of the case, per number of days
OUTLIERS = 0.01
SHARES = 0.05, 0.5  # of the runs at the second level


class Drawn(NamedTuple):
    """Series of unchanged cases."""

    times: Floats  # series × runs, in µs
    errors: Floats  # of each time, as a fraction; NaN if unknown
    sd: Floats  # standard deviation of each series, as a fraction


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of noise; `draw` takes the numbers of series and runs."""

    name: str
    description: str
    draw: Callable[[np.random.Generator, int, int], Drawn]


def _simulated(noise: Floats, sd: Floats | float) -> Drawn:
    times = TIME_US * np.exp(noise)
    return Drawn(times, np.full(noise.shape, np.nan), np.broadcast_to(np.ravel(sd), len(noise)).astype(float))


def _tails(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Return Student's t with 3 degrees of freedom, with a standard deviation of 1."""
    return np.asarray(random.standard_t(3, shape) / np.sqrt(3))


def tails(random: np.random.Generator, series: int, runs: int) -> Drawn:
    """Draw from Student's t."""
    return _simulated(SD * _tails(random, (series, runs)), SD)


def outliers(random: np.random.Generator, series: int, runs: int) -> Drawn:
    """Draw normal noise with 1% of outliers of 3 to 10 standard deviations."""
    shape = series, runs
    far = random.uniform(3, 10, shape) * random.choice([-1, 1], shape)
    return _simulated(SD * np.where(random.random(shape) < OUTLIERS, far, random.standard_normal(shape)), SD)


def levels(random: np.random.Generator, series: int, runs: int) -> Drawn:
    """Draw two levels, as of cases whose buffers are on other pages in some processes."""
    share, distance = random.uniform(*SHARES, (series, 1)), random.uniform(*LEVELS, (series, 1))
    second = random.random((series, runs)) < share
    noise = 0.001 * random.standard_normal((series, runs)) + second * distance * random.choice([-1, 1], (series, 1))
    return _simulated(noise, np.hypot(0.001, distance * np.sqrt(share * (1 - share))))


def autocorrelated(correlation: float) -> Callable[[np.random.Generator, int, int], Drawn]:
    """Return a function that draws runs which resemble their neighbors."""

    def draw(random: np.random.Generator, series: int, runs: int) -> Drawn:
        steps = random.standard_normal((series, runs))
        steps[:, 1:] *= np.sqrt(1 - correlation**2)
        for run in range(1, runs):
            steps[:, run] += correlation * steps[:, run - 1]
        sd = random.uniform(*AUTOCORRELATED, (series, 1))
        return _simulated(sd * steps, sd)

    return draw


def changing(random: np.random.Generator, series: int, runs: int) -> Drawn:
    """Draw noise that triples on a random day, with tails."""
    loud = np.arange(runs) >= random.integers(FIRST_CHANGE, LAST_CHANGE, (series, 1))
    return _simulated(np.where(loud, LOUD, CALM) * _tails(random, (series, runs)), LOUD)


def gaps(random: np.random.Generator, series: int, runs: int) -> Drawn:
    """Draw from Student's t; a tenth of the values is missing, and each case has weeks without any."""
    drawn = tails(random, series, runs)
    times, day = drawn.times.copy(), np.arange(runs)
    times[random.random(times.shape) < MISSING] = np.nan
    for _ in range(GAPS * runs // DAYS_OF_GAPS):
        start = random.integers(0, runs, (series, 1))
        times[(day >= start) & (day < start + 7)] = np.nan
    return drawn._replace(times=times)


def noisy(random: np.random.Generator, series: int, runs: int) -> Drawn:
    """Draw from Student's t with standard deviations from 0.05 to 1.2%."""
    low, high = NOISY
    sd = low * (high / low) ** random.random((series, 1))
    return _simulated(sd * _tails(random, (series, runs)), sd)


def recorded(cases: Sequence[Estimates], block: int) -> Callable[[np.random.Generator, int, int], Drawn]:
    """Return a function that draws processes of recorded cases, in blocks of so many consecutive ones."""

    def draw(random: np.random.Generator, series: int, runs: int) -> Drawn:
        times, errors, sd = np.empty((series, runs)), np.empty((series, runs)), np.empty(series)
        for line, place in enumerate(random.integers(len(cases), size=series)):
            case = cases[place]
            starts = random.integers(len(case), size=-(-runs // block))
            processes = ((starts[:, None] + np.arange(block)) % len(case)).ravel()[:runs]
            times[line] = case.values[processes]
            errors[line] = np.sqrt(case.variances[processes]) / case.values[processes]
            sd[line] = np.log(case.values).std(ddof=1)
        return Drawn(times, errors, sd)

    return draw


def kinds(batches: Iterable[Batch]) -> list[Kind]:
    """Return all kinds; the recordings are those of `compare_power`."""
    pools = [batch.pool() for batch in batches]
    raw = [case for pool in pools for case in pool.cases.values()]
    cases = [case for pool in pools for case in subtract_offsets(pool).values()]
    return [
        Kind("tails", "Student's t with 3 degrees of freedom, sd 0.3%", tails),
        Kind("outliers", "normal, sd 0.3%; 1% of the runs are outliers of 3 to 10 sd", outliers),
        Kind("two levels", "sd 0.1%; 5 to 50% of the runs lie 0.2 to 2% to one side", levels),
        Kind("wandering, 0.5", "normal, sd 0.1 to 0.3%, correlation of consecutive runs 0.5", autocorrelated(0.5)),
        Kind("wandering, 0.8", "the same, correlation 0.8", autocorrelated(0.8)),
        Kind("louder", "tails; the sd changes from 0.15 to 0.5% on a random day", changing),
        Kind("gaps", "tails; a tenth of the runs of a case is missing, and six weeks per year", gaps),
        Kind("noisy", "tails, sd 0.05 to 1.2%", noisy),
        Kind("recorded", "recorded processes of a case in random order, offsets subtracted", recorded(cases, 1)),
        Kind("recorded, in order", f"the same, in blocks of {BLOCK} consecutive processes", recorded(cases, BLOCK)),
        Kind("recorded, raw", "recorded processes in random order, offsets not subtracted", recorded(raw, 1)),
    ]
