"""The rule that judges a case by its times in the processes of two sides (pure functions of numbers).

A process has one value per case: the mean of the fastest half of its samples, minus the process's offset. The
difference d of the two sides' means has the standard error

    se² = s²·(1/P_base + 1/P_new),   s² = max(a² + (b·t)², 0.3·a² + J)

with the noise model's a and b and the jackknife variance J over the rounds of this case. If the processes of a side
differ by more than this noise makes likely, the excess is added. A case is slower or faster if d ± k·se excludes 0 and
d reaches the threshold; it is the same if a change of the threshold's size would have been found.
docs/explanation/how-we-compare.md gives the reasons and the measurements behind the constants.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparison import Outcome, Reason
from shflbench.analysis.compare.noise import ASSUMED, NoiseModel, Spread, Weights, fit_noise
from shflbench.analysis.compare.quantiles import chi2, normal, student
from shflbench.core.model import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.compare.estimates import Estimates

# The probability of a false alarm per comparison, independent of the number of cases (Bonferroni).
FAMILY_ERROR = 0.01
# The noise has heavier tails than the normal distribution, and few processes estimate their spread poorly:
# k = (1.1 + 0.5 / degrees of freedom) · z.
TAILS, FEW = 1.1, 0.5
# A spread has an excess if chance produces as much in less than one case in twenty. The excess counts with Student's
# quantile for one in a thousand: without it, a memory ring of 69 µs that takes one of five times, depending on its
# pages, raised false alarms in 12 to 26% of unchanged comparisons on three of the H200s of benchmarks/compare_power.
CHANCE, EXCESS_ERROR = 0.05, 0.001
# The probability that a change of the threshold's size is called the same.
MISSED = 0.02
MISSED_95 = 0.05  # of the slowdown that reports name as found with 95% probability
JACKKNIFE_FLOOR = 0.3  # of a²: rounds of one process do not show the differences between processes
FEWEST_ROUNDS = 3
MOST_PROCESSES = 100  # per side: more are not practical
# In each batch of benchmarks/compare_power one or two processes of thirty took 4 to 5% longer for an array in local
# memory. With such an outlier a change of 2% is not significant; without it, it is. An outlier takes longer than every
# other process of both sides by this fraction and by this number of standard deviations. With two processes per side
# it is unknown which of them is the outlier.
OUTLIER, OUTLIER_SURE, FEWEST_FOR_OUTLIER = 0.015, 4.0, 3


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason why a small change is only suspected."""

    reason: Reason
    factor: float = 1.0  # multiple of the threshold from which a change is certain
    least: float = 0.0  # the smallest certain change, as a fraction of the time

    def certain(self, threshold: float) -> float:
        """Return the smallest certain change, as a fraction."""
        return max(self.factor * threshold, self.least)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One case on both sides, its values without the offsets of the processes."""

    case_id: str
    base: Estimates
    new: Estimates
    weights: Weights  # of the noise of one process's value
    threshold: float = 0.0  # the smallest change that matters, as a fraction
    usual: float = 0.0  # the threshold with more than one process per side
    doubt: Doubt | None = None  # why a small change is not certain
    placement: float = 0.0  # the change that other physical pages may cause, as a fraction; 0 if pages do not matter

    @property
    def certain(self) -> float:
        """The smallest certain change, as a fraction."""
        return self.doubt.certain(self.threshold) if self.doubt else self.threshold

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the spread within the sides."""
        return len(self.base) + len(self.new) - 2

    @property
    def spread(self) -> Spread:
        """The variance between the processes of a side."""
        squares = sum(float(((side.values - side.values.mean()) ** 2).sum()) for side in (self.base, self.new))
        return Spread(squares / self.freedom if self.freedom else 0.0, self.freedom)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedChange:
    """The rule's result for one case, in the unit of its values; see ChangeVerdict for the fields of the same name."""

    case_id: str
    outcome: Outcome
    reason: Reason
    base: float
    new: float
    ratio: Interval
    detectable: float
    detectable_95: float
    needs_processes: int | None = None
    outlier_excess: float = 0.0  # of the excluded outlier process over the slowest other one, as a fraction; 0 for none


def judge(contrasts: Sequence[Contrast], model: NoiseModel, family: int | None = None) -> list[JudgedChange]:
    """Judge the cases of a comparison together: the more cases, the higher the confidence that each needs.

    `family` is the number of cases, if these are not all.
    """
    return [_judge(contrast, model, family or len(contrasts)) for contrast in contrasts]


def judge_robustly(contrasts: Sequence[Contrast], model: NoiseModel) -> list[JudgedChange]:
    """Judge the cases of a comparison, and find changes that an outlier process hides.

    Excluding a process never makes a case the same: the outlier might be the change.
    """
    judgments = judge(contrasts, model)
    for place, (judgment, contrast) in enumerate(zip(judgments, contrasts, strict=True)):
        if judgment.reason is Reason.INTERVAL_TOO_WIDE and (without := without_outlier(contrast, model)):
            (again,) = judge([without], model, len(contrasts))
            if again.reason is Reason.BEYOND_THRESHOLD:
                excess = _slowest(contrast) / _slowest(without) - 1
                judgments[place] = replace(
                    again,
                    outlier_excess=excess,
                    detectable=judgment.detectable,
                    detectable_95=judgment.detectable_95,
                )
    return judgments


def without_outlier(contrast: Contrast, model: NoiseModel) -> Contrast | None:
    """Return the case without its outlier process; None if there is none."""
    sides = contrast.base, contrast.new
    if min(map(len, sides)) < FEWEST_FOR_OUTLIER:
        return None
    *_, second, slowest = np.sort(np.concatenate([side.values for side in sides])).tolist()
    if slowest - second < max(OUTLIER * second, OUTLIER_SURE * math.sqrt(variance_of(contrast, model))):
        return None
    base, new = (
        side.select([process for process, value in zip(side.processes, side.values, strict=True) if value < slowest])
        for side in sides
    )
    return replace(contrast, base=base, new=new)


def _slowest(contrast: Contrast) -> float:
    return float(max(contrast.base.values.max(), contrast.new.values.max()))


def model_of(contrasts: Sequence[Contrast]) -> NoiseModel:
    """Return the noise model fitted to the processes within each side; the assumed one for one process per side."""
    replicated = [contrast for contrast in contrasts if contrast.freedom]
    if not replicated:
        return ASSUMED
    source = "fitted to the spread between the processes of a side"
    return fit_noise(
        [contrast.weights for contrast in replicated], [contrast.spread for contrast in replicated], source
    )


def variance_of(contrast: Contrast, model: NoiseModel) -> float:
    """Return the variance of one process's value, from the model and from the process's rounds."""
    variances = np.concatenate([contrast.base.variances, contrast.new.variances])
    rounds = float(np.nanmean(variances)) if not np.isnan(variances).all() else 0.0
    floor = JACKKNIFE_FLOOR * contrast.weights.additive * model.a_us**2
    return max(model.variance(contrast.weights), floor + rounds)


def _judge(contrast: Contrast, model: NoiseModel, family: int) -> JudgedChange:
    base, new = float(contrast.base.values.mean()), float(contrast.new.values.mean())
    error = _Error.of(contrast, model, family)
    difference = new - base
    smallest = contrast.threshold * min(base, new)  # the same for both directions
    size = abs(difference)
    half_width, miss_margin = error.half_width(), error.miss_margin()
    certain = max(half_width, contrast.certain * base)
    judgment = JudgedChange(
        case_id=contrast.case_id,
        outcome=Outcome.INCONCLUSIVE,
        reason=Reason.INTERVAL_TOO_WIDE,
        base=base,
        new=new,
        ratio=Interval(new / base, (new - half_width) / base, (new + half_width) / base),
        detectable=(certain + miss_margin) / base,
        detectable_95=(certain + error.miss_margin(missed=MISSED_95)) / base,
    )
    is_significant = size > half_width and size >= smallest
    if min(contrast.base.rounds + contrast.new.rounds) < FEWEST_ROUNDS and not _is_known(contrast):
        outcome = Outcome.SUSPECTED if is_significant else Outcome.INCONCLUSIVE
        return replace(judgment, outcome=outcome, reason=Reason.TOO_FEW_ROUNDS)
    if is_significant:
        if contrast.doubt and size < contrast.certain * min(base, new):
            return replace(judgment, outcome=Outcome.SUSPECTED, reason=contrast.doubt.reason)
        outcome = Outcome.SLOWER if difference > 0 else Outcome.FASTER
        return replace(judgment, outcome=outcome, reason=Reason.BEYOND_THRESHOLD)
    if size + miss_margin < smallest:
        reason = Reason.BELOW_THRESHOLD if size > half_width else Reason.WITHIN_THRESHOLD
        return replace(judgment, outcome=Outcome.SAME, reason=reason)
    return replace(judgment, needs_processes=error.needs(size, contrast.usual * min(base, new)))


def _is_known(contrast: Contrast) -> bool:
    """Whether its variances are not estimated from rounds, as those of a table without samples."""
    return not any(contrast.base.rounds + contrast.new.rounds)


@dataclass(frozen=True, slots=True)
class _Error:
    """The standard error of a difference of sides, in parts."""

    variance: float  # of one process, from the model and from the rounds
    excess: float  # variance between the processes beyond that
    freedom: int  # of the excess, 0 for none
    family: int
    processes: tuple[int, int]

    @classmethod
    def of(cls, contrast: Contrast, model: NoiseModel, family: int) -> _Error:
        variance = variance_of(contrast, model)
        spread = _pool(contrast.spread, model.cases.get(contrast.case_id))
        excess = 0.0
        if spread.freedom:
            excess = max(0.0, spread.variance - chi2(1 - CHANCE, spread.freedom) / spread.freedom * variance)
        return cls(variance, excess, spread.freedom, family, (len(contrast.base), len(contrast.new)))

    def half_width(self, processes: tuple[int, int] | None = None) -> float:
        """Return half the width of the interval that is simultaneous for all cases."""
        freedom = self.freedom + sum(processes or self.processes) - sum(self.processes)
        few = FEW / freedom if freedom else 0.0
        k = (TAILS + few) * normal(1 - FAMILY_ERROR / 2 / self.family)
        c = student(1 - EXCESS_ERROR / 2, freedom) if self.excess else 0.0
        return math.sqrt((k**2 * self.variance + c**2 * self.excess) * self._shares(processes))

    def miss_margin(self, processes: tuple[int, int] | None = None, missed: float = MISSED) -> float:
        """Return how much a difference is underestimated at most, except with the probability `missed`."""
        return normal(1 - missed) * math.sqrt((self.variance + self.excess) * self._shares(processes))

    def needs(self, size: float, smallest: float) -> int | None:
        """Return the processes per side that settle a case if its difference stays the same; None beyond 100."""

        def is_settled(processes: int) -> bool:
            sides = processes, processes
            return size + self.miss_margin(sides) < smallest or (size >= smallest and size > self.half_width(sides))

        numbers = range(max(self.processes) + 1, MOST_PROCESSES + 1)
        place = bisect_left(numbers, x=True, key=is_settled)  # both margins shrink with every process
        return numbers[place] if place < len(numbers) else None

    def _shares(self, processes: tuple[int, int] | None) -> float:
        base, new = processes or self.processes
        return 1 / base + 1 / new


def _pool(spread: Spread, learned: Spread | None) -> Spread:
    """Return the pooled spread of one case, each source weighted by its degrees of freedom."""
    if learned is None:
        return spread
    freedom = spread.freedom + learned.freedom
    weighted = spread.variance * spread.freedom + learned.variance * learned.freedom
    return Spread(weighted / freedom if freedom else 0.0, freedom)
