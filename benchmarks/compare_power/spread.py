"""The spread of each case between processes and between batches, without the offsets of the processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.compare_power.suite import steady
from shflbench.analysis.compare.noise import USUAL
from shflbench.analysis.compare.noise_learning import subtract_offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.compare_power.batch import Batch

NOISY = 2.0  # times the usual noise


class Spread(NamedTuple):
    """The spread of one case, as fractions of its time."""

    case_id: str
    time_us: float
    deviations: tuple[float, ...]  # between the processes of each batch
    furthest: tuple[float, ...]  # the largest distance of a process from the median one, of each batch
    shift: float  # from the batch with the smallest mean to the one with the largest

    @property
    def noisy(self) -> bool:
        """Whether its processes differ by more than the usual noise, in any batch."""
        return max(self.deviations) * self.time_us > NOISY * USUAL.deviation(self.time_us)


def spreads(batches: Sequence[Batch]) -> list[Spread]:
    """Return the spread of each case, the widest first."""
    results = []
    batch_cases = [subtract_offsets(batch.pool()) for batch in batches]
    for case in batch_cases[0]:
        values = [cases[case].values for cases in batch_cases if case in cases]
        means = [float(each.mean()) for each in values]
        results.append(
            Spread(
                case,
                means[0],
                tuple(float(each.std(ddof=1) / each.mean()) for each in values),
                tuple(float(max(abs(each / sorted(each)[len(each) // 2] - 1))) for each in values),
                max(means) / min(means) - 1,
            )
        )
    return sorted(results, key=lambda spread: -max(spread.deviations))


def worth_naming(batches: Sequence[Batch]) -> tuple[list[Spread], Spread, Spread]:
    """Return the cases that wait for memory or are noisy, and of the others those with the largest spread and shift."""
    every = spreads(batches)
    named = [each for each in every if not steady(each.case_id) or each.noisy]
    others = [each for each in every if each not in named]
    return named, others[0], max(others, key=lambda each: each.shift)
