"""The kept samples of a case, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from shflbench.statistics import resolution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.model import Sample

# NVIDIA's GPUs stamp events in steps of 32 ns where anybody has looked closely; CUDA promises 0.5 µs or so
# (`cudaEventElapsedTime`). A wider gap between two samples is not a step but a lack of samples.
USUAL_STEP_US = 0.032
WIDEST_STEP_US = 1.0


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
    found: dict[tuple[int, int], list[Sample]] = {}
    for sample in samples:
        if not sample.dropped:
            found.setdefault((sample.process, sample.round), []).append(sample)
    return [_round(*key, found[key]) for key in sorted(found)]


def _round(process: int, number: int, samples: Sequence[Sample]) -> Round:
    times: dict[int, list[float]] = {}
    for sample in samples:
        times.setdefault(sample.iterations, []).append(sample.time_us)
    seconds = [sample.seconds for sample in samples if sample.seconds is not None]
    kept = {iterations: tuple(taken) for iterations, taken in times.items()}
    return Round(process, number, min(seconds, default=None), kept)


def step_us(samples: Sequence[Sample]) -> float:
    """Return the step in which the times of `samples` were taken, as it shows in the time of one launch."""
    by_kind: dict[tuple[int, int], list[float]] = {}
    for sample in samples:
        by_kind.setdefault((sample.iterations, sample.launches), []).append(sample.time_us)
    # Among times of another iteration count a step is no step: those differ by their iterations.
    gaps = {kind: resolution(times) for kind, times in by_kind.items()}
    steps = [gap for (_, launches), gap in gaps.items() if 0 < gap * launches <= WIDEST_STEP_US]
    most = max((launches for _, launches in by_kind), default=1)
    return min(steps, default=USUAL_STEP_US / most)
