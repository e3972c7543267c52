"""Rank the devices of a fleet, model by model."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.quantiles import student
from shflbench.analysis.fleet.condition_faults import condition_faults, shared_failures
from shflbench.analysis.fleet.model_times import MEDIAN_ERROR, ModelTimes, environment_of, robust_spread
from shflbench.analysis.fleet.offsets import FAMILY_ERROR, LEAST_DEVICE, device_offsets
from shflbench.analysis.fleet.report import CaseTable, DeviceResult, FleetReport, ModelReport
from shflbench.analysis.fleet.setting_differences import differences, remarks, usual_settings
from shflbench.analysis.fleet.time_faults import (
    THRESHOLD,
    is_undecided,
    noisy,
    not_compared,
    of_launches,
    slow,
    slow_sentinels,
)
from shflbench.core.grouping import group_by
from shflbench.core.model import Interval
from shflbench.store.run_files import SAMPLES_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.analysis.fleet.model_times import Environment
    from shflbench.analysis.fleet.offsets import DeviceOffsets
    from shflbench.analysis.fleet.record import DeviceRecord
    from shflbench.analysis.fleet.report import Outlier

CONFIDENCE = 0.95  # of the interval of a single case
LEAST_NOISE_SPREAD = 0.05  # of the logarithm of the scatter, between the five H200s of benchmarks/compare_power


def rank(records: Iterable[DeviceRecord], threshold: float = THRESHOLD) -> FleetReport:
    """Compare each device with the median of its model; `threshold` is the smallest slowdown that is named."""
    models = split_models(records)
    return FleetReport(tuple(_rank_model(name, members, threshold) for name, members in models.items()), threshold)


def split_models(records: Iterable[DeviceRecord]) -> dict[str, list[DeviceRecord]]:
    """Return the devices of each model; those of one name with different SMs, like MIG slices, are different models."""
    models: dict[str, list[DeviceRecord]] = {}
    for name, members in group_by(records, lambda record: record.model).items():
        sizes = Counter(record.sms for record in members if record.sms).most_common()
        if len(sizes) <= 1:
            models[name] = members
            continue
        usual = sizes[0][0]  # also of a device without a run, whose SMs are unknown
        for sms, devices in group_by(members, lambda record: record.sms or usual).items():  # noqa: B023  (used at once)
            models[f"{name} ({sms} SMs)"] = devices
    return models


def _rank_model(model: str, records: Sequence[DeviceRecord], threshold: float) -> ModelReport:
    environment = environment_of(records)
    times = ModelTimes.of(records, environment)
    shared = shared_failures(records)
    sentinels = not np.isnan(environment.changes).all()
    enough = times is not None or sentinels
    faults = condition_faults(records, shared, comparable=enough)
    usual = usual_settings(records)
    if times is None:
        report = _rank_by_sentinels(model, records, environment, faults, threshold)
    else:
        report = _Ranking(records, times, environment, threshold).report(model, faults, usual)
    notes = (*_on_shared(sorted(shared)), *_without_samples(records, sentinels=sentinels), *differences(records))
    return replace(report, notes=notes, shared_failures=tuple(sorted(shared)))


def _on_shared(cases: Sequence[str]) -> Iterator[str]:
    """Yield a sentence on the cases that failed on most devices."""
    if len(cases) == 1:
        yield f"{cases[0]} failed on most devices: a fault of the case, not of a device"
    elif cases:
        yield f"{len(cases)} cases failed on most devices, first {cases[0]}: a fault of the cases, not of a device"


def _without_samples(records: Sequence[DeviceRecord], *, sentinels: bool) -> Iterator[str]:
    """Yield a sentence on the devices without samples; `sentinels`: those of the others are compared."""
    labels = [record.label for record in records if not record.has_samples]
    if labels:
        which = f"{labels[0]} has" if len(labels) == 1 else f"{len(labels)} devices, first {labels[0]}, have"
        few = "" if sentinels else "; too few devices have sentinels to compare them"
        yield (
            f"{which} no {SAMPLES_FILE}: scatter, sentinels and slow launches cannot be judged there, "
            f"and slow launches may make cases look slow{few}"
        )


def _rank_by_sentinels(
    model: str,
    records: Sequence[DeviceRecord],
    environment: Environment,
    faults: Sequence[tuple[Outlier, ...]],
    threshold: float,
) -> ModelReport:
    """Compare what can be compared of devices that did not time the same cases: their sentinels, the slowest first."""
    usual = usual_settings(records)
    changes = environment.changes
    known = ~np.isnan(changes)
    spread = max(LEAST_DEVICE, float(robust_spread(changes[known][:, None])[0])) if known.any() else LEAST_DEVICE
    results = []
    for number in np.argsort(-np.nan_to_num(changes, nan=-np.inf), kind="stable").tolist():
        record, change = records[number], _known(changes[number])
        offset_us = _known(environment.offsets_us[number])
        findings = (*slow_sentinels(change, spread, _simultaneous(len(records)), threshold), *faults[number])
        results.append(
            DeviceResult(
                label=record.label,
                uuid=record.uuid,
                cases=len(record.times.ids),
                sentinels=change,
                launch_offset_us=offset_us,
                temperature_c=record.temperature_c,
                clock_mhz=record.clock_mhz,
                findings=findings,
                remarks=(*of_launches(offset_us), *remarks(record, usual, findings)),
            )
        )
    return ModelReport(model, tuple(results), by_sentinels=bool(known.any()))


class _Ranking:
    """The devices of a model with enough of them."""

    def __init__(
        self, records: Sequence[DeviceRecord], times: ModelTimes, environment: Environment, threshold: float
    ) -> None:
        count = len(records)
        columns = times.patterns
        self._records, self._times, self._environment, self._threshold = records, times, environment, threshold
        self._overall = device_offsets(times.ratios, times.deviations, count)
        self._patterns = {
            name: device_offsets(times.ratios[:, places], times.deviations[:, places], count * len(columns))
            for name, places in columns.items()
        }
        self._table = _case_table(times)
        known = ~np.isnan(times.noise).all(axis=1)
        self._noise, self._noise_spread = np.full(count, np.nan), LEAST_NOISE_SPREAD
        if known.any():
            self._noise[known] = np.nanmedian(times.noise[known], axis=1)
            self._noise_spread = max(LEAST_NOISE_SPREAD, float(robust_spread(self._noise[known][:, None])[0]))

    def report(self, model: str, faults: Sequence[tuple[Outlier, ...]], usual: Mapping[str, str]) -> ModelReport:
        """Return the devices, the slowest first."""
        order = np.argsort(-np.nan_to_num(self._overall.values, nan=-np.inf), kind="stable").tolist()
        places = {number: place for place, number in enumerate(order, 1)}
        results = [self._device(number, places[number], faults[number], usual) for number in order]
        table = self._table.in_order(order)
        return ModelReport(model, tuple(results), table, self._overall.spread)

    def _device(self, number: int, place: int, faults: tuple[Outlier, ...], usual: Mapping[str, str]) -> DeviceResult:
        record, threshold = self._records[number], self._threshold
        slower = _interval(self._overall, number)
        patterns = {
            name: change
            for name, offsets in self._patterns.items()
            if (change := _interval(offsets, number)) is not None
        }
        changes = self._table.slower[number]
        affected = (changes >= threshold) & (changes > self._table.half_widths[number])
        cases = tuple(self._times.cases[place] for place in np.flatnonzero(affected))
        count = int((~np.isnan(changes)).sum())
        sentinels = _known(self._environment.changes[number])
        launch_offset_us = _known(self._environment.offsets_us[number])
        factor = _known(np.exp(self._noise[number]))
        timed = {case_id.partition("/")[0] for case_id in record.times.ids}
        unlike = tuple(name for name in self._patterns if name in timed - patterns.keys())
        findings = (
            *slow(slower, patterns, threshold, (cases, count), sentinels),
            *noisy(factor, self._noise_spread, _simultaneous(len(self._records))),
            *faults,
        )
        return DeviceResult(
            label=record.label,
            uuid=record.uuid,
            cases=count,
            slower=slower,
            place=place if slower else None,
            patterns=patterns,
            slow_cases=len(cases),
            sentinels=sentinels,
            launch_offset_us=launch_offset_us,
            noise_factor=factor,
            temperature_c=record.temperature_c,
            clock_mhz=record.clock_mhz,
            undecided=(is_undecided(slower, threshold) or bool(unlike)) and not findings,
            findings=findings,
            remarks=(*of_launches(launch_offset_us), *not_compared(unlike), *remarks(record, usual, findings)),
        )


def _case_table(times: ModelTimes) -> CaseTable:
    """Return each case on each device, in the order of the records."""
    changes = np.expm1(times.ratios)
    counts = (~np.isnan(changes)).sum(axis=0)
    k = np.array([student((1 + CONFIDENCE) / 2, count - 1) for count in counts.tolist()])
    half_widths = k * times.deviations * np.sqrt(1 + MEDIAN_ERROR / counts) * (1 + changes)
    places = np.where(np.isnan(changes), np.nan, np.argsort(np.argsort(-changes, axis=0), axis=0) + 1.0)
    return CaseTable(times.cases, times.medians_us, changes, half_widths, places)


def _simultaneous(devices: int) -> float:
    return student(1 - FAMILY_ERROR / 2 / devices, max(1, devices - 1))


def _interval(offsets: DeviceOffsets, number: int) -> Interval | None:
    value, half = float(offsets.values[number]), float(offsets.half_widths[number])
    if np.isnan(value):
        return None
    return Interval(*(float(np.expm1(end)) for end in (value, value - half, value + half)))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
