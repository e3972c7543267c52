"""By how much each device of a model is slower, over a set of cases, with an interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.analysis.compare.quantiles import normal, student
from shflbench.analysis.compare.rule import TAILS
from shflbench.analysis.fleet.model_times import MEDIAN_ERROR, robust_spread

if TYPE_CHECKING:
    from shflbench.analysis.compare.estimates import Floats

# The probability that any sound device of a model is outside its interval, independent of their number (Bonferroni).
FAMILY_ERROR = 0.01
# No case counts for more than one with this deviation: cases of a device are not independent, and sound H200s differ
# by 0.02% over all cases, by 0.1% in a pattern without passes over memory (benchmarks/compare_power).
LEAST_CASE, LEAST_DEVICE = 0.001, 0.0005


class DeviceOffsets(NamedTuple):
    """How much slower each device is, as the logarithm of a ratio; NaN for a device without a time."""

    values: Floats
    half_widths: Floats  # of the simultaneous intervals
    spread: float  # standard deviation between sound devices


def device_offsets(ratios: Floats, deviations: Floats, family: int) -> DeviceOffsets:
    """Return the weighted median over the cases, of arrays of devices × cases, and its interval.

    The interval contains the error of the median over the cases and the spread between the devices of the model: a
    device is an outlier only if it is outside of what its model shows. `family` is the number of intervals that
    hold simultaneously.
    """
    weights = np.where(np.isnan(ratios), 0.0, 1 / np.maximum(deviations, LEAST_CASE) ** 2)
    values = _weighted_medians(ratios, weights)
    known = int((~np.isnan(values)).sum())
    with np.errstate(divide="ignore"):
        errors = np.sqrt(MEDIAN_ERROR / weights.sum(axis=1))
    spread = max(float(robust_spread(values[:, None])[0]), LEAST_DEVICE)
    probability = 1 - FAMILY_ERROR / 2 / max(1, family)
    sampling = TAILS * normal(probability) * errors
    between = student(probability, max(1, known - 1)) * spread * math.sqrt(1 + MEDIAN_ERROR / max(1, known))
    half_widths = np.where(np.isnan(values), np.nan, np.hypot(sampling, between))
    return DeviceOffsets(values, half_widths, spread)


def _weighted_medians(values: Floats, weights: Floats) -> Floats:
    """Return the median of each line, in which a value counts by its weight; NaN for a line without weights."""
    order = np.argsort(values, axis=1)  # NaN comes last, with a weight of 0
    values, weights = np.take_along_axis(values, order, 1), np.take_along_axis(weights, order, 1)
    totals = weights.cumsum(axis=1)
    half = totals[:, -1:] / 2
    place = (totals < half).sum(axis=1)
    medians = values[np.arange(len(values)), np.minimum(place, values.shape[1] - 1)]
    return np.asarray(np.where(totals[:, -1] > 0, medians, np.nan))
