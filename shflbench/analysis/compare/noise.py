"""The noise model: how a case's time differs from process to process, sd² = a² + (b·time)², and the fit of a and b."""

from __future__ import annotations

import math
from collections.abc import Mapping  # noqa: TC003  (a field's default is made of it)
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.analysis.compare.quantiles import chi2_median

if TYPE_CHECKING:
    from collections.abc import Sequence


class Spread(NamedTuple):
    """The variance of one case's values between processes, and its degrees of freedom."""

    variance: float
    freedom: int


class Weights(NamedTuple):
    """The weights of a² and b² in the variance of a value computed from times: A·a² + B·b².

    A time t has A = 1 and B = t²; in another unit, or for a difference of two times, the weights are others.
    """

    additive: float
    proportional: float

    def averaged(self, executions: int) -> Weights:
        """Return the weights of a mean over executions between two readings of the timer."""
        return Weights(self.additive / executions**2, self.proportional)

    def between(self, other: Weights) -> Weights:
        """Return the mean of two: a difference of sides is as noisy whichever of them is the base."""
        return Weights((self.additive + other.additive) / 2, (self.proportional + other.proportional) / 2)


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """The noise of a process's time after the process's offset is subtracted."""

    a_us: float  # of the shortest kernels: timer and launch
    b: float  # of the longest, as a fraction of their time
    source: str  # in words
    cases: Mapping[str, Spread] = field(default_factory=dict)  # known spreads of single cases, in µs²

    def variance(self, weights: Weights) -> float:
        """Return the variance of a value."""
        return weights.additive * self.a_us**2 + weights.proportional * self.b**2

    def deviation(self, time_us: float) -> float:
        """Return the standard deviation of a time of `time_us`, in µs."""
        return math.hypot(self.a_us, self.b * time_us)

    def with_offsets(self) -> NoiseModel:
        """Return the noise of times whose process's offset is unknown."""
        return replace(self, a_us=math.hypot(self.a_us, OFFSET_US))


# Measured on an H200 over 34 processes and 43 cases of 4 µs to 2.3 ms (benchmarks/compare_power).
USUAL = NoiseModel(0.035, 2.5e-4, "the usual noise of an H200")
OFFSET_US = 0.08  # an upper bound for the standard deviation of a process's offset, 0.06 µs there
# For an unknown machine: 1.5 times the usual noise. Too little noise raises many false alarms, too much costs
# sensitivity only.
ASSUMED = NoiseModel(0.055, 4e-4, "assumed to be 1.5× that of an H200, because one process does not show it")

# Lower limits of a fit: the timer's step of 0.032 µs and the slow states remain.
LEAST_A_US, LEAST_B = 0.025, 1.5e-4
STEP_VARIANCE = 0.032**2 / 12  # µs²: by chance two processes agree to the timer's step
# Weight of USUAL as the prior of a fit, in cases. With five cases or fewer, whose lengths rarely separate a from b, the
# prior decides; with forty it does not matter.
PRIOR_CASES = 2.7

_A_US = np.geomspace(0.015, 0.6, 41)  # the grids that are searched, in steps of a tenth
_B = np.geomspace(5e-5, 5e-3, 51)


def fit_noise(weights: Sequence[Weights], spreads: Sequence[Spread], source: str) -> NoiseModel:
    """Fit a and b to the spread of each case between the processes of a side.

    The fit minimizes the mean distance of the logarithms from the medians that the model predicts, so that a few cases
    that are noisier than the rest have no more weight than others. ValueError for no cases.
    """
    additive, proportional = np.array(weights).T
    predicted = _A_US[:, None, None] ** 2 * additive + _B[None, :, None] ** 2 * proportional
    medians = np.array([chi2_median(spread.freedom) for spread in spreads])
    variances = np.array([spread.variance for spread in spreads]) + STEP_VARIANCE * additive
    distance = np.abs(np.log(variances / (medians * predicted))).mean(axis=2)
    prior = np.log(_A_US / USUAL.a_us)[:, None] ** 2 + np.log(_B / USUAL.b)[None, :] ** 2
    best = np.unravel_index(np.argmin(distance + PRIOR_CASES / len(spreads) * prior), distance.shape)
    return NoiseModel(max(LEAST_A_US, float(_A_US[best[0]])), max(LEAST_B, float(_B[best[1]])), source)


def misfit(model: NoiseModel, weights: Sequence[Weights], spreads: Sequence[Spread]) -> float:
    """Return the median over the cases of actual noise / modeled noise; ValueError for no cases."""
    ratios = [
        spread.variance / (model.variance(case_weights) * chi2_median(spread.freedom))
        for case_weights, spread in zip(weights, spreads, strict=True)
    ]
    return math.sqrt(median(ratios))
