"""The rule: what can be said of a case from its times in the processes of two sides (pure functions of numbers).

A process gives one value a case, the mean of the fastest half of its samples, from which its offset has been taken.
The difference d of the two sides' means has the standard error

    se² = s²·(1/P_base + 1/P_new),   s² = max(a² + (b·t)², 0.3·a² + J)

with the noise model's a and b and the jackknife variance J over rounds, which speaks for this very case. Where the
processes of a side differ by more than such noise makes likely, the excess is added. A change is one that d ± k·se
leaves no doubt about and that reaches the threshold; two sides are the same if a change of the threshold's size would
have shown. docs/explanation/how-we-compare.md says what was tried, and what the constants were measured with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparison import Outcome, Reason
from shflbench.analysis.compare.noise import ASSUMED, NoiseModel, Spread, Weights, fit_noise
from shflbench.analysis.compare.quantiles import chi2, normal, student
from shflbench.model import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.compare.estimates import Estimates

# Errors of one in a hundred comparisons, whatever the number of cases (Bonferroni).
FAMILY_ERROR = 0.01
# The noise has heavier tails than the normal distribution, and few processes know their own spread badly:
# k = (1.1 + 0.5 / degrees of freedom) · z.
TAILS, FEW = 1.1, 0.5
# A spread is in excess if less than one case in twenty shows as much by chance, and then counts with Student's
# quantile of one in a thousand: without it a memory ring of 69 µs that takes one of five times, by where its pages lie,
# alarmed in 12 to 26 % of unchanged comparisons on three of the H200s of benchmarks/compare_power.
CHANCE, EXCESS_ERROR = 0.05, 0.001
# A change of the threshold's size would be called none in one of fifty cases.
MISSED = 0.02
JACKKNIFE_FLOOR = 0.3  # of a²: rounds of one process do not show what differs between processes
FEWEST_ROUNDS = 3
MOST_PROCESSES = 100  # a side, that anybody would run
# In each batch of benchmarks/compare_power one or two processes of thirty took 4 to 5 % longer for an array in local
# memory. Beside such an outlier no change of 2 % can be told from chance; without it, the change is plain. An outlier
# takes so much longer than every other process of both sides, and so many standard deviations. With two processes per
# side nobody could say which of them it is.
OUTLIER, OUTLIER_SURE, FEWEST_FOR_OUTLIER = 0.015, 4.0, 3


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a change is only suspected unless it is large."""

    reason: Reason
    factor: float = 1.0  # of the threshold, that a change is certain from
    least: float = 0.0  # and this fraction of the time at least

    def certain(self, threshold: float) -> float:
        """Return the change from which on there is no doubt, as a fraction."""
        return max(self.factor * threshold, self.least)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One case on both sides; offsets are taken off the values."""

    case_id: str
    base: Estimates
    new: Estimates
    weights: Weights  # of the noise of one process's value
    threshold: float = 0.0  # the smallest change that matters, as a fraction
    usual: float = 0.0  # the threshold of any number of processes but one
    doubt: Doubt | None = None  # why a change is not certain

    @property
    def certain(self) -> float:
        """The change from which on there is no doubt, as a fraction."""
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
class Judgment:
    """What the rule says of one case, in the unit of its values; see Verdict for the fields of the same name."""

    case_id: str
    outcome: Outcome
    reason: Reason
    base: float
    new: float
    ratio: Interval
    detectable: float
    needs_processes: int | None = None
    left_out: float = 0.0  # by which fraction an outlier process took longer than all others; 0 where none was left out


def judge(contrasts: Sequence[Contrast], model: NoiseModel, family: int | None = None) -> list[Judgment]:
    """Judge the cases of a comparison together: the more there are, the surer each must be.

    `family` is how many there are of them, if these are not all.
    """
    return [_judge(contrast, model, family or len(contrasts)) for contrast in contrasts]


def judge_robustly(contrasts: Sequence[Contrast], model: NoiseModel) -> list[Judgment]:
    """Judge the cases of a comparison, and find a change that an outlier process hides.

    No case becomes the same by leaving a process out: that one might be the change.
    """
    judgments = judge(contrasts, model)
    for place, (judgment, contrast) in enumerate(zip(judgments, contrasts, strict=True)):
        if judgment.reason is Reason.INTERVAL_TOO_WIDE and (others := without_outlier(contrast, model)):
            (again,) = judge([others], model, len(contrasts))
            if again.reason is Reason.BEYOND_THRESHOLD:
                left_out = _slowest(contrast) / _slowest(others) - 1
                judgments[place] = replace(again, left_out=left_out, detectable=judgment.detectable)
    return judgments


def without_outlier(contrast: Contrast, model: NoiseModel) -> Contrast | None:
    """Return the case without its outlier process; None where there is none."""
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
    """Return the noise that the processes within each side show; what is assumed where there is one a side."""
    replicated = [contrast for contrast in contrasts if contrast.freedom]
    if not replicated:
        return ASSUMED
    source = "fitted to how the processes of a side differ"
    return fit_noise(
        [contrast.weights for contrast in replicated], [contrast.spread for contrast in replicated], source
    )


def variance_of(contrast: Contrast, model: NoiseModel) -> float:
    """Return the variance of one process's value, by the model and by the process's rounds."""
    variances = np.concatenate([contrast.base.variances, contrast.new.variances])
    rounds = float(np.nanmean(variances)) if not np.isnan(variances).all() else 0.0
    floor = JACKKNIFE_FLOOR * contrast.weights.additive * model.a_us**2
    return max(model.variance(contrast.weights), floor + rounds)


def _judge(contrast: Contrast, model: NoiseModel, family: int) -> Judgment:
    base, new = float(contrast.base.values.mean()), float(contrast.new.values.mean())
    error = _Error.of(contrast, model, family)
    difference = new - base
    smallest = contrast.threshold * min(base, new)  # the same for both directions
    size = abs(difference)
    reach, blur = error.reach(), error.blur()
    judgment = Judgment(
        case_id=contrast.case_id,
        outcome=Outcome.INCONCLUSIVE,
        reason=Reason.INTERVAL_TOO_WIDE,
        base=base,
        new=new,
        ratio=Interval(new / base, (new - reach) / base, (new + reach) / base),
        detectable=(max(reach, contrast.certain * base) + blur) / base,
    )
    if min(contrast.base.rounds + contrast.new.rounds) < FEWEST_ROUNDS and not _is_known(contrast):
        return replace(judgment, reason=Reason.TOO_FEW_ROUNDS)
    if size > reach and size >= smallest:
        if contrast.doubt and size < contrast.certain * min(base, new):
            return replace(judgment, outcome=Outcome.SUSPECTED, reason=contrast.doubt.reason)
        outcome = Outcome.SLOWER if difference > 0 else Outcome.FASTER
        return replace(judgment, outcome=outcome, reason=Reason.BEYOND_THRESHOLD)
    if size + blur < smallest:
        reason = Reason.BELOW_THRESHOLD if size > reach else Reason.WITHIN_THRESHOLD
        return replace(judgment, outcome=Outcome.SAME, reason=reason)
    return replace(judgment, needs_processes=error.needs(size, contrast.usual * min(base, new)))


def _is_known(contrast: Contrast) -> bool:
    """Whether its variances come from somewhere else than rounds, as those of a table without samples do."""
    return not any(contrast.base.rounds + contrast.new.rounds)


@dataclass(frozen=True, slots=True)
class _Error:
    """The standard error of a difference of sides, in parts."""

    variance: float  # of one process, by the model and by the rounds
    excess: float  # what the processes differ by beyond that
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

    def reach(self, processes: tuple[int, int] | None = None) -> float:
        """Return half the width of the interval that holds for all cases at once."""
        freedom = self.freedom + sum(processes or self.processes) - sum(self.processes)
        few = FEW / freedom if freedom else 0.0
        k = (TAILS + few) * normal(1 - FAMILY_ERROR / 2 / self.family)
        c = student(1 - EXCESS_ERROR / 2, freedom) if self.excess else 0.0
        return math.sqrt((k**2 * self.variance + c**2 * self.excess) * self._shares(processes))

    def blur(self, processes: tuple[int, int] | None = None) -> float:
        """Return by how much a difference is too small, at most, in all but one of fifty cases."""
        return normal(1 - MISSED) * math.sqrt((self.variance + self.excess) * self._shares(processes))

    def needs(self, size: float, smallest: float) -> int | None:
        """Return the processes a side that would settle a case whose difference stays what it is; None beyond 100."""
        for processes in range(max(self.processes) + 1, MOST_PROCESSES + 1):
            sides = processes, processes
            if size + self.blur(sides) < smallest or (size >= smallest and size > self.reach(sides)):
                return processes
        return None

    def _shares(self, processes: tuple[int, int] | None) -> float:
        base, new = processes or self.processes
        return 1 / base + 1 / new


def _pool(spread: Spread, learned: Spread | None) -> Spread:
    """Return what two sources say of one case's spread, each as much as it knows."""
    if learned is None:
        return spread
    freedom = spread.freedom + learned.freedom
    weighted = spread.variance * spread.freedom + learned.variance * learned.freedom
    return Spread(weighted / freedom if freedom else 0.0, freedom)
