"""The kept samples of a case, round by round, and the rounds that were slow as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from shflbench.grouping import group_by
from shflbench.statistics import resolution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shflbench.model import Sample

# NVIDIA's GPUs stamp events in steps of 32 ns where anybody has looked closely; CUDA promises 0.5 µs or so
# (`cudaEventElapsedTime`). A wider gap between two samples is not a step but a lack of samples.
USUAL_STEP_US = 0.032
WIDEST_STEP_US = 1.0

# Half of what the slow state of a GPU costs: on one H200 +0.25–0.39 % for 17 % of the time, 0.1 s at most in a row.
STANDS_OUT = 0.0015
# One slow round is left out by the median and by its interval, whatever slowed it down.
FEWEST_SLOW = 2
SHUFFLES = 299  # a chance of 3 % is then known to ±1 %, within 6 ms for 30 rounds of 9 samples


@dataclass(frozen=True, slots=True)
class Round:
    """One round of one case in one process."""

    process: int
    number: int
    seconds: float | None  # since the process began to sample
    times_us: Mapping[int, tuple[float, ...]]  # iterations → kept samples

    def median_us(self, iterations: int) -> float:
        """Return the median time at `iterations`."""
        return median(self.times_us[iterations])


def rounds_of(samples: Sequence[Sample]) -> list[Round]:
    """Return the rounds of which a sample was kept, in order, process by process."""
    kept = (sample for sample in samples if not sample.dropped)
    by_round = group_by(kept, lambda sample: (sample.process, sample.round))
    return [_round(*key, by_round[key]) for key in sorted(by_round)]


def _round(process: int, number: int, samples: Sequence[Sample]) -> Round:
    counts = group_by(samples, lambda sample: sample.iterations)
    seconds = [sample.seconds for sample in samples if sample.seconds is not None]
    times = {iterations: tuple(sample.time_us for sample in alike) for iterations, alike in counts.items()}
    return Round(process, number, min(seconds, default=None), times)


def step_us(samples: Sequence[Sample]) -> float:
    """Return the step in which the times of `samples` were taken, as it shows in the time of one launch."""
    by_kind = group_by(samples, lambda sample: (sample.iterations, sample.launches))
    # Among times of another iteration count a step is no step: those differ by their iterations.
    gaps = {kind: resolution([sample.time_us for sample in alike]) for kind, alike in by_kind.items()}
    steps = [gap for (_, launches), gap in gaps.items() if 0 < gap * launches <= WIDEST_STEP_US]
    most = max((launches for _, launches in by_kind), default=1)
    return min(steps, default=USUAL_STEP_US / most)


@dataclass(frozen=True, slots=True)
class Episodes:
    """Rounds that stand out."""

    rounds: int  # that do
    excess: float  # their median excess over the median round


def slow_rounds(rounds: Sequence[Sequence[float]], significance: float) -> Episodes | None:
    """Return which of the `rounds` are slow as a whole; their samples are fractions of the typical time.

    A round's level is the mean of the faster half of its samples: late launches do not raise it, and it scatters less
    than the median. The second-slowest round has to stand out by STANDS_OUT, and by more than nearly always when the
    same samples are dealt to the rounds at random. That test is exact for independent noise of any shape
    (Fisher, The Design of Experiments, 1935, section 21), for then the deal is as good as the real one.
    """
    size = min(map(len, rounds), default=0)
    if len(rounds) <= 2 * FEWEST_SLOW or not size:
        return None
    samples = np.array([values[:size] for values in rounds])
    levels = _levels(samples)
    standing = float(_standing(levels))
    if standing < STANDS_OUT:
        return None
    source = np.random.default_rng(0)  # the same samples always give the same answer
    deals = source.permuted(np.broadcast_to(samples.ravel(), (SHUFFLES, samples.size)), axis=1)
    chance = _standing(_levels(deals.reshape(SHUFFLES, *samples.shape)))
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
    """Return by how much the second-highest of the levels along the last axis exceeds their median."""
    ordered = np.sort(levels, axis=-1)
    return np.asarray(ordered[..., -FEWEST_SLOW] - np.median(ordered, axis=-1))
