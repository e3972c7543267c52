"""Group the kept samples of a case by round, and detect slow rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.grouping import group_by
from shflbench.core.statistics import resolution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shflbench.core.model import Sample

# Timestamps of events have steps of 32 ns on all GPUs for which measurements are known; CUDA documents about 0.5 µs
# (`cudaEventElapsedTime`). A larger gap between two samples is not a step of the timer.
USUAL_STEP_US = 0.032
WIDEST_STEP_US = 1.0

# Half of the slowdown in the slow state of a GPU: on one H200 +0.25–0.39% for 17% of the time, at most 0.1 s in a row.
STANDS_OUT = 0.0015
# A single slow round changes neither the median nor its interval.
FEWEST_SLOW = 2
SHUFFLES = 299  # determine a probability of 3% to ±1%, in 6 ms for 30 rounds of 9 samples


@dataclass(frozen=True, slots=True)
class Round:
    """One round of one case in one process."""

    process: int
    number: int
    seconds: float | None  # since the process began to sample
    times_us: Mapping[int, tuple[float, ...]]  # iterations → kept samples
    medians_us: Mapping[int, float]  # iterations → their median

    def median_us(self, iterations: int) -> float:
        """Return the median time at `iterations`."""
        return self.medians_us[iterations]


@dataclass(frozen=True, slots=True)
class SampledCase:
    """The samples of a case, grouped once for its estimate and for all checks."""

    iterations: int  # of the case; it is also timed with fewer
    rounds: tuple[Round, ...]  # with kept samples at these iterations, ordered by process and number
    step_us: float  # of the timer
    dropped: tuple[bool, ...]  # of each sample at these iterations

    @classmethod
    def of(cls, samples: Sequence[Sample], iterations: int) -> SampledCase:
        """Group all samples of a case that has `iterations` iterations."""
        rounds = tuple(round_ for round_ in rounds_of(samples) if iterations in round_.times_us)
        dropped = tuple(sample.dropped for sample in samples if sample.iterations == iterations)
        return cls(iterations, rounds, step_us([sample for sample in samples if not sample.dropped]), dropped)


def rounds_of(samples: Sequence[Sample]) -> list[Round]:
    """Return the rounds with kept samples, ordered by process and number."""
    times: dict[tuple[int, int], dict[int, list[float]]] = {}
    starts: dict[tuple[int, int], float] = {}
    for sample in samples:
        if sample.dropped:
            continue
        key = sample.process, sample.round
        times.setdefault(key, {}).setdefault(sample.iterations, []).append(sample.time_us)
        if sample.seconds is not None and sample.seconds < starts.get(key, math.inf):
            starts[key] = sample.seconds
    return [
        Round(
            *key,
            starts.get(key),
            {iterations: tuple(alike) for iterations, alike in times[key].items()},
            {iterations: median(alike) for iterations, alike in times[key].items()},
        )
        for key in sorted(times)
    ]


def step_us(samples: Sequence[Sample]) -> float:
    """Return the timer's step in the times of `samples`, divided by the launches of a sample."""
    by_kind = group_by(samples, lambda sample: (sample.iterations, sample.launches))
    # Only among times of the same iteration count is the smallest difference a step of the timer.
    gaps = {kind: resolution([sample.time_us for sample in alike]) for kind, alike in by_kind.items()}
    steps = [gap for (_, launches), gap in gaps.items() if 0 < gap * launches <= WIDEST_STEP_US]
    most = max((launches for _, launches in by_kind), default=1)
    return min(steps, default=USUAL_STEP_US / most)


@dataclass(frozen=True, slots=True)
class Episodes:
    """The slow rounds of a case."""

    rounds: int
    excess: float  # the median of their excesses over the median round


def slow_rounds(rounds: Sequence[Sequence[float]], significance: float) -> Episodes | None:
    """Return how many `rounds` are slow, and by how much; None if none is. Samples are relative to the typical time.

    The level of a round is the mean of the faster half of its samples: single slow launches do not raise it, and it
    varies less than the median. The second-slowest round must exceed the median by STANDS_OUT, and by more than in a
    random assignment of the same samples to rounds. This permutation test is exact for independent noise of any
    distribution (Fisher, The Design of Experiments, 1935, section 21).
    """
    size = min(map(len, rounds), default=0)
    if len(rounds) <= 2 * FEWEST_SLOW or not size:
        return None
    samples = np.array([values[:size] for values in rounds])
    levels = _levels(samples)
    standing = float(_standing(levels))
    if standing < STANDS_OUT:
        return None
    generator = np.random.default_rng(0)  # seeded: the same samples always give the same result
    shuffled = generator.permuted(np.broadcast_to(samples.ravel(), (SHUFFLES, samples.size)), axis=1)
    chance = _standing(_levels(shuffled.reshape(SHUFFLES, *samples.shape)))
    if (1 + np.count_nonzero(chance >= standing)) / (1 + SHUFFLES) > significance:
        return None
    excess = levels - np.median(levels)
    slow = excess[excess >= max(STANDS_OUT, standing / 2)]
    return Episodes(len(slow), float(np.median(slow)))


def _levels(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of the faster half along the last axis."""
    half = (samples.shape[-1] + 1) // 2
    fastest: NDArray[np.float64] = np.sort(samples, axis=-1)[..., :half].mean(axis=-1)
    return fastest


def _standing(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the excess of the second-highest level along the last axis over the median level."""
    ordered = np.sort(levels, axis=-1)
    return np.asarray(ordered[..., -FEWEST_SLOW] - np.median(ordered, axis=-1))
