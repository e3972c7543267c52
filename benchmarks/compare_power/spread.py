"""How much each case differs from process to process and from batch to batch, once the processes' offsets are off."""

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
    """One case; fractions of its time."""

    case_id: str
    time_us: float
    deviations: tuple[float, ...]  # between the processes of each batch
    furthest: tuple[float, ...]  # how far the farthest process of each batch is from the median one
    shift: float  # from the batch with the smallest mean to that with the largest

    @property
    def noisy(self) -> bool:
        """Whether its processes differ by more than the usual noise, in any batch."""
        return max(self.deviations) * self.time_us > NOISY * USUAL.deviation(self.time_us)


def spreads(batches: Sequence[Batch]) -> list[Spread]:
    """Return the spread of each case, the widest first."""
    found = []
    levels = [subtract_offsets(batch.pool()) for batch in batches]
    for case in levels[0]:
        values = [own[case].values for own in levels if case in own]
        means = [float(each.mean()) for each in values]
        found.append(
            Spread(
                case,
                means[0],
                tuple(float(each.std(ddof=1) / each.mean()) for each in values),
                tuple(float(max(abs(each / sorted(each)[len(each) // 2] - 1))) for each in values),
                max(means) / min(means) - 1,
            )
        )
    return sorted(found, key=lambda each: -max(each.deviations))


def worth_naming(batches: Sequence[Batch]) -> tuple[list[Spread], Spread, Spread]:
    """Return the cases that wait for memory or are noisy, and of the others that with the widest spread and shift."""
    every = spreads(batches)
    named = [each for each in every if not steady(each.case_id) or each.noisy]
    others = [each for each in every if each not in named]
    return named, others[0], max(others, key=lambda each: each.shift)
