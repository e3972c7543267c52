"""Simulated devices with the noise of recorded runs, some of them slow or faulty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from benchmarks.compare_power.batch import Batch
from benchmarks.compare_power.recording import Floats
from benchmarks.compare_power.suite import steady
from shflbench.analysis.fleet.record import BadRow, CaseTime, CaseTimes, DeviceRecord
from shflbench.core.model import Status


class Truth(StrEnum):
    """What is true of a simulated device."""

    SOUND = "sound"
    SLOW_1 = "1% slower"
    SLOW_2 = "2% slower"
    SLOW_3 = "3% slower"
    SLOW_5 = "5% slower"
    SLOW_10 = "10% slower"
    CASES_3 = "3% slower, sentinels as fast as ever"
    PATTERN_5 = "5% slower in one pattern"
    MEMORY_10 = "10% slower where it waits for memory"
    NOISY = "samples scatter 3× as far"
    HOT = "20 °C hotter"
    THROTTLED = "throttled in half of its cases, these 8% slower"
    WRONG = "three wrong results"
    INCOMPLETE = "lost after half of its cases"


# Devices of 1,000 that have each fault; the others are sound.
MANY: Mapping[Truth, int] = {Truth.SLOW_3: 40, Truth.CASES_3: 20}
SHARES: Mapping[Truth, int] = {truth: MANY.get(truth, 10) for truth in Truth if truth is not Truth.SOUND}
OVERALL = {Truth.SLOW_1: 0.01, Truth.SLOW_2: 0.02, Truth.SLOW_3: 0.03, Truth.SLOW_5: 0.05, Truth.SLOW_10: 0.1}
# Model → devices, and its speed: together 1,000. The two last have too few devices.
MODELS: Mapping[str, tuple[int, float]] = {
    "model A": (400, 1.0),
    "model B": (300, 0.7),
    "model C": (150, 1.4),
    "model D": (80, 2.0),
    "model E": (40, 0.9),
    "model F": (16, 1.2),
    "model G": (6, 1.6),
    "model H": (4, 0.8),
    "model I": (3, 1.1),
    "model J": (1, 1.3),
}
STEADY = ("bitonic-sort", "broadcast-last", "neighbor", "private-array", "reduce", "scan", "transpose", "vote")
USUAL_C, SPREAD_C = 55.0, 3.0  # temperatures: no recording has them


@dataclass(frozen=True)
class Recorded:
    """Processes of unchanged code on several devices, as arrays of processes × cases."""

    cases: tuple[str, ...]
    sentinels: tuple[str, ...]
    times_us: Floats  # cases, then sentinels: the mean over all processes of all devices
    ratios: Floats  # processes × (cases, sentinels): time of a process / mean of its device
    devices: Floats  # devices × (cases, sentinels): logarithm of the device's mean / that of all devices
    details: Floats  # processes × cases × (variance, scatter), as fractions of the time; then launches

    @classmethod
    def of(cls, batches: Sequence[Batch]) -> Recorded:
        """Read the processes of all batches."""
        pools = [batch.pool() for batch in batches]
        cases = tuple(name for name in pools[0].cases if all(name in pool.cases for pool in pools))
        sentinels = tuple(pools[0].sentinels)
        values = [
            np.array([{**pool.cases, **pool.sentinels}[name].values for name in (*cases, *sentinels)]).T
            for pool in pools
        ]
        means = np.array([device.mean(axis=0) for device in values])
        typical = means.mean(axis=0)
        details = [
            [
                CaseTime.of(pool.cases[name].select([process]), passes=name in pool.passes, shifted=True)
                for name in cases
            ]
            for pool in pools
            for process in pool.processes
        ]
        numbers = np.array(details)
        numbers[:, :, 1] /= numbers[:, :, 0] ** 2
        numbers[:, :, 2] /= numbers[:, :, 0]
        return cls(
            cases,
            sentinels,
            typical,
            np.concatenate([device / mean for device, mean in zip(values, means, strict=True)]),
            np.log(means / typical),
            numbers[:, :, 1:],
        )


@dataclass(frozen=True)
class Fleet:
    """Simulated devices, and what is true of each."""

    records: tuple[DeviceRecord, ...]
    truths: Mapping[str, Truth]  # by UUID


def simulate(recorded: Recorded, random: np.random.Generator, copies: int = 1, spread: float = 0.0) -> Fleet:
    """Draw 1,000 devices of several models, with the faults of `SHARES`.

    The time of a device is that of its model, times a difference between devices, which is a random combination of
    those of the recorded devices (so that cases differ together as they do there), times the ratio of one recorded
    process. Sentinels get the same. `copies`: how often each case is repeated, to measure the cost per row. `spread`: a
    further standard deviation between devices, the same for all cases.
    """
    truths = [truth for truth, count in SHARES.items() for _ in range(count)]
    total = sum(count for count, _ in MODELS.values())
    truths += [Truth.SOUND] * (total - len(truths))
    drawn = iter(random.permutation(np.array(truths, dtype=object)).tolist())
    records, known = [], {}
    for model, (count, speed) in MODELS.items():
        for number in range(count):
            device = DrawnDevice(f"{model}:{number}", f"GPU-{model}-{number}", model, next(drawn))
            scaled = speed * float(np.exp(spread * random.standard_normal()))
            records.append(_record(device, recorded, random, scaled, copies))
            known[device.uuid] = device.truth
    return Fleet(tuple(records), known)


class DrawnDevice(NamedTuple):
    """A device that is drawn, and what is true of it."""

    label: str
    uuid: str
    model: str
    truth: Truth


def _record(
    device: DrawnDevice, recorded: Recorded, random: np.random.Generator, speed: float, copies: int
) -> DeviceRecord:
    """Return what a device measured, which is of a model with this speed."""
    truth = device.truth
    count = len(recorded.cases)
    process = int(random.integers(len(recorded.ratios)))
    weights = random.standard_normal(len(recorded.devices)) / np.sqrt(len(recorded.devices) - 1)
    factors = recorded.ratios[process] * np.exp(weights @ recorded.devices) * _slowdown(recorded, random, truth)
    throttled = random.permutation(count)[: count // 2] if truth is Truth.THROTTLED else np.array([], dtype=int)
    factors[throttled] *= 1.08
    times = recorded.times_us * speed * factors
    variances, scatters, launches = recorded.details[process].T
    scatters = scatters * (3 if truth is Truth.NOISY else 1)
    details = np.array([times[:count], variances * times[:count] ** 2, scatters * times[:count], launches]).T
    kept = count // 2 if truth is Truth.INCOMPLETE else count
    wrong = random.permutation(count)[:3].tolist() if truth is Truth.WRONG else []
    ids = [
        (f"{case_id}/copy={copy}" if copy else case_id, detail)
        for copy in range(copies)
        for place, (case_id, detail) in enumerate(zip(recorded.cases, details.tolist(), strict=True))
        if place < kept and place not in wrong
    ]
    return DeviceRecord(
        label=device.label,
        uuid=device.uuid,
        model=device.model,
        times=CaseTimes.of((case_id, CaseTime(*detail)) for case_id, detail in ids),
        sentinels_us=dict(zip(recorded.sentinels, times[count:].tolist(), strict=True)),
        sentinel_version="1",
        bad=tuple(BadRow(recorded.cases[place], Status.INCORRECT, "a value is wrong") for place in wrong),
        right=frozenset(case_id for case_id, _ in ids),
        temperature_c=float(USUAL_C + SPREAD_C * random.standard_normal() + (20 if truth is Truth.HOT else 0)),
        throttled=Counter({"hardware thermal slowdown": len(throttled) * copies}) if len(throttled) else {},
        throttled_cases=len(throttled) * copies,
        problem="its worker was lost" if truth is Truth.INCOMPLETE else "",
    )


def _slowdown(recorded: Recorded, random: np.random.Generator, truth: Truth) -> Floats:
    """Return the factor by which each case and sentinel takes longer."""
    names = (*recorded.cases, *recorded.sentinels)
    count = len(recorded.cases)
    factors = np.ones(len(names))
    if truth in OVERALL:
        factors[:] = 1 + OVERALL[truth]
    elif truth is Truth.CASES_3:
        factors[:count] = 1.03
    elif truth is Truth.PATTERN_5:
        patterns = [case_id.partition("/")[0] for case_id in recorded.cases]
        chosen = random.choice(sorted({name for name in patterns if name in STEADY}))
        factors[:count] = np.where(np.array(patterns) == chosen, 1.05, 1.0)
    elif truth is Truth.MEMORY_10:
        factors[:count] = [1.0 if steady(case_id) else 1.1 for case_id in recorded.cases]
    return factors
