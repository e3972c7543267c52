"""The times of the devices of one model as ratios to the median device, and what their sentinels show."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.offset import FEWEST as FEWEST_SENTINELS
from shflbench.analysis.compare.offset import LONG_US

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.compare.estimates import Floats
    from shflbench.analysis.fleet.record import DeviceRecord

FEWEST_DEVICES = 4  # with three, one slow device moves the median and the spread
MAD = 1.4826  # of a normal distribution: standard deviation / median absolute deviation
# A launch's offset is 1/20 of the share of a long sentinel that it is of a short one, so errors shrink as fast.
ALTERNATIONS = 4
MEDIAN_ERROR = math.pi / 2  # of a normal distribution: variance of the median / variance of the mean


@dataclass(frozen=True, slots=True)
class Environment:
    """What the sentinels of each device show, against the median device: arrays, NaN where unknown."""

    changes: Floats  # fraction by which long sentinels are slower
    offsets_us: Floats  # what each launch takes longer


@dataclass(frozen=True, slots=True)
class ModelTimes:
    """Arrays of devices × cases; NaN where a device has no time."""

    cases: tuple[str, ...]
    medians_us: Floats  # by case
    ratios: Floats  # logarithms of time / median of the model, without the offset of launches
    deviations: Floats  # standard deviations of these logarithms, between sound devices of this model
    noise: Floats  # logarithms of scatter / median of the model

    @classmethod
    def of(cls, records: Sequence[DeviceRecord], environment: Environment) -> ModelTimes | None:
        """Compare devices of one model; None if no case was timed on enough of them."""
        cases = _common(records)
        if len(records) < FEWEST_DEVICES or not cases:
            return None
        times, variances, scatters, launches = (_matrix(records, cases, name) for name in _FIELDS)
        usual = np.array([Counter(column[~np.isnan(column)].tolist()).most_common(1)[0][0] for column in launches.T])
        times = np.where((launches == usual) & (launches > 0), times, np.nan)
        times = times - np.nan_to_num(environment.offsets_us)[:, None]
        times = np.where(times > 0, times, np.nan)
        kept = (~np.isnan(times)).sum(axis=0) >= FEWEST_DEVICES
        if not kept.any():
            return None
        times, variances, scatters = times[:, kept], variances[:, kept], scatters[:, kept]
        medians = np.nanmedian(times, axis=0)
        ratios = np.log(times / medians)
        between = robust_spread(ratios)
        deviations = np.sqrt(np.maximum(variances / times**2, between**2))
        typical = np.nanmedian(np.where(np.isnan(scatters).all(axis=0), 1.0, scatters), axis=0)
        chosen = tuple(case for case, enough in zip(cases, kept.tolist(), strict=True) if enough)
        return cls(chosen, medians, ratios, deviations, np.log(scatters / typical))

    @property
    def patterns(self) -> dict[str, list[int]]:
        """The columns of each pattern."""
        columns: dict[str, list[int]] = {}
        for place, case_id in enumerate(self.cases):
            columns.setdefault(case_id.partition("/")[0], []).append(place)
        return columns


_FIELDS = ("times_us", "variances", "scatters_us", "launches")


def _common(records: Sequence[DeviceRecord]) -> tuple[str, ...]:
    """Return the cases that enough devices timed, in the order of the suite."""
    counts = Counter(case_id for record in records for case_id in record.times.ids)
    return tuple(case_id for case_id, count in counts.items() if count >= FEWEST_DEVICES)


def _matrix(records: Sequence[DeviceRecord], cases: Sequence[str], name: str) -> Floats:
    places = {case_id: place for place, case_id in enumerate(cases)}
    matrix = np.full((len(records), len(cases)), np.nan)
    for line, record in zip(matrix, records, strict=True):
        chosen = [(places[case_id], number) for number, case_id in enumerate(record.times.ids) if case_id in places]
        if chosen:
            to, source = np.array(chosen).T
            line[to] = getattr(record.times, name)[source]
    return matrix


def robust_spread(values: Floats) -> Floats:
    """Return the standard deviation of each column about its median, to which a minority of outliers adds little."""
    return np.asarray(MAD * np.nanmedian(np.abs(values - np.nanmedian(values, axis=0)), axis=0))


def environment_of(records: Sequence[DeviceRecord]) -> Environment:
    """Compare the sentinels of devices of one model.

    A device whose clock is lower takes longer for long and short sentinels in proportion, which is a fault of the
    device; only what a launch takes longer beyond that is subtracted from its cases. Sentinels that most devices have
    are compared: a device on which some failed says nothing about the others.
    """
    unknown = np.full(len(records), np.nan)
    version = Counter(record.sentinel_version for record in records if record.sentinels_us).most_common(1)
    usable = np.array([bool(version) and record.sentinel_version == version[0][0] for record in records])
    if usable.sum() < FEWEST_DEVICES:
        return Environment(unknown, unknown)
    chosen = [record.sentinels_us for record, use in zip(records, usable.tolist(), strict=True) if use]
    counts = Counter(name for sentinels in chosen for name in sentinels)
    names = [name for name, count in counts.items() if count >= FEWEST_DEVICES and 2 * count > len(chosen)]
    times = np.array([[sentinels.get(name, np.nan) for name in names] for sentinels in chosen])
    medians = np.nanmedian(times, axis=0)
    long, short = times[:, medians >= LONG_US], times[:, medians < LONG_US]
    has_long = (~np.isnan(long)).any(axis=1)
    has_short = (~np.isnan(short)).sum(axis=1) >= FEWEST_SENTINELS
    slower, offsets = np.zeros(len(chosen)), np.zeros(len(chosen))
    for _ in range(ALTERNATIONS):
        slower[has_long] = np.nanmedian((long - offsets[:, None])[has_long] / medians[medians >= LONG_US] - 1, axis=1)
        offsets[has_short] = np.nanmedian(
            (short - (1 + slower)[:, None] * medians[medians < LONG_US])[has_short], axis=1
        )
    changes, offsets_us = unknown.copy(), unknown.copy()
    changes[usable] = np.where(has_long, slower, np.nan)
    offsets_us[usable] = np.where(has_short, offsets, np.nan)
    return Environment(changes, offsets_us)
