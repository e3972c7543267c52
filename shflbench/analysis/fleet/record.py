"""The record of one device for a ranking: its times, sentinels, conditions and failed rows, without the samples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping  # noqa: TC003  (a field's default is made of it)
from dataclasses import dataclass, field
from statistics import median
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.analysis.compare.comparison import Metric
from shflbench.analysis.compare.metrics import values_from_row, weights_of_time
from shflbench.analysis.compare.noise import USUAL
from shflbench.analysis.compare.offset import offsets
from shflbench.analysis.compare.sides import Side
from shflbench.analysis.settings import one_pass
from shflbench.core.model import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.compare.estimates import Estimates, Floats
    from shflbench.store import Row, Run

TICK_US = 0.032  # the step of an event time: a smaller scatter cannot be observed
WRONG = (Status.INCORRECT, Status.FAILED)


class CaseTime(NamedTuple):
    """The time of one case on one device."""

    time_us: float  # mean over the processes
    variance: float  # of this mean, µs²
    scatter_us: float  # of the samples and of the processes; NaN without samples
    launches: float  # per sample; 0 if the processes disagree

    @classmethod
    def of(cls, estimates: Estimates, *, passes: bool, shifted: bool) -> CaseTime:
        """Summarize the processes; `shifted`: the difference between their offsets is subtracted."""
        time_us = float(estimates.values.mean())
        between = float(estimates.values.var(ddof=1)) if len(estimates) > 1 else 0.0
        noise = USUAL if shifted else USUAL.with_offsets()
        usual = noise.variance(weights_of_time(time_us, passes=passes))
        # The variance of the mean is the usual one, or more where the samples show more.
        variance = max(usual, _within(estimates), between) / len(estimates)
        return cls(time_us, variance, _scatter(estimates, between), estimates.launches)


@dataclass(frozen=True, slots=True)
class CaseTimes:
    """The times of one device: arrays with an element per case, because a fleet has hundreds of thousands."""

    ids: tuple[str, ...]
    times_us: Floats
    variances: Floats
    scatters_us: Floats
    launches: Floats

    @classmethod
    def of(cls, cases: Iterable[tuple[str, CaseTime]]) -> CaseTimes:
        """Make the arrays."""
        cases = list(cases)
        numbers = np.array([time for _, time in cases], dtype=np.float64).reshape(len(cases), len(CaseTime._fields))
        return cls(tuple(intern(case_id) for case_id, _ in cases), *numbers.T)


class BadRow(NamedTuple):
    """A case that failed, or whose results were wrong."""

    case_id: str
    status: Status
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRecord:
    """One device of a fleet."""

    label: str  # host and index
    uuid: str
    model: str
    times: CaseTimes
    sms: int = 0  # 0 if unknown
    sentinels_us: Mapping[str, float] = field(default_factory=dict)
    sentinel_version: str = ""
    has_samples: bool = True  # False if a run with times has lost them
    bad: tuple[BadRow, ...] = ()
    right: frozenset[str] = frozenset()  # cases that were verified or timed
    temperature_c: float | None = None  # median over its cases; likewise the clock and the power
    clock_mhz: float | None = None
    power_w: float | None = None
    throttled: Mapping[str, int] = field(default_factory=dict)  # reason → cases
    throttled_cases: int = 0
    noise: str = ""  # the verdict on its runs, if one was not quiet
    settings: Mapping[str, str] = field(default_factory=dict)  # name → value: driver, power limit, …
    problem: str = ""  # why it has no complete run
    losses: tuple[str, ...] = ()  # a sentence on each loss of the worker that measured it


def record_of(runs: Sequence[Run], problem: str = "", losses: tuple[str, ...] = ()) -> DeviceRecord:
    """Reduce the runs of one device; `problem` says why they are not complete, `losses` which workers were lost.

    ResultsError if the samples of a run are damaged or do not match its rows.
    """
    side = Side.of(runs)
    info = runs[0].info
    device = info.device
    sentinels = side.sentinel_estimates() if side.sentinels else {}
    rows = list(side.rows.values())
    timed = [row for row in rows if row.status is Status.TIMED]
    noises = [run.info.noise for run in runs if run.info.noise and not run.info.noise.quiet]
    return DeviceRecord(
        label=f"{info.host.name}:{device.index if device else 0}",
        uuid=device.uuid if device else "",
        model=device.name if device else "no GPU",
        sms=device.sms if device else 0,
        times=CaseTimes.of(_case_times(side, timed, sentinels)),
        sentinels_us={name: float(estimates.values.mean()) for name, estimates in sentinels.items()},
        sentinel_version=side.sentinels,
        has_samples=bool(side.kernels) or not timed,
        bad=tuple(BadRow(row.case_id, row.status, row.reason or "") for row in rows if row.status in WRONG),
        right=frozenset(row.case_id for row in rows if row.status in {Status.TIMED, Status.VERIFIED}),
        temperature_c=_median(row.temperature_c for row in timed),
        clock_mhz=_median(row.sm_clock_mhz for row in timed),
        power_w=_median(row.power_w for row in timed),
        throttled=Counter(reason for row in timed for reason in row.throttle),
        throttled_cases=sum(bool(row.throttle) for row in timed),
        noise=f"{noises[0].verdict}: {noises[0].sentence}" if noises else "",
        settings=_settings(runs),
        problem=problem or next(filter(None, map(_why_incomplete, runs)), ""),
        losses=losses,
    )


def _case_times(side: Side, rows: Sequence[Row], sentinels: Mapping[str, Estimates]) -> Iterator[tuple[str, CaseTime]]:
    """Yield each case with a time above 0."""
    shifts = offsets(sentinels, sentinels)
    measured = side.estimates(rows)
    for row in rows:
        estimates = measured.get(row.case_id)
        if estimates is not None and shifts:
            estimates = estimates.minus(shifts.base)
        sampled = estimates is not None and len(estimates) > 0
        if not sampled and (known := values_from_row(side, row.case_id, Metric.TIME)):
            estimates = known.estimates
        if estimates is not None and len(estimates) and estimates.positive:
            time = CaseTime.of(estimates, passes=one_pass(row), shifted=shifts is not None)
            yield row.case_id, time if sampled else time._replace(scatter_us=float("nan"))


def _scatter(estimates: Estimates, between: float) -> float:
    """Return how far the slow samples of a process, and its processes, are from the typical ones, in µs."""
    slow = float(((estimates.p90s - estimates.medians) ** 2).mean())
    return math.sqrt(slow + between + TICK_US**2)


def _within(estimates: Estimates) -> float:
    """Return the mean variance of a process by its rounds, 0 if none has several; `np.nanmean` takes longer."""
    known = ~np.isnan(estimates.variances) & (np.array(estimates.rounds) != 1)
    return float(np.where(known, estimates.variances, 0.0).sum() / known.sum()) if known.any() else 0.0


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(median(known)) if known else None


def _settings(runs: Sequence[Run]) -> dict[str, str]:
    """Return what may differ between devices of one model, and makes a difference in speed."""
    info, device = runs[0].info, runs[0].info.device
    state = device.state if device else None
    known = {
        "driver": info.versions.driver,
        "NVRTC": info.versions.nvrtc,
        "shflbench": info.versions.source or info.versions.shflbench,
        **{f"revision of {run.info.suite.name}": run.info.suite.sha256[:8] for run in runs},
        "highest SM clock in MHz": device and device.clock_mhz,
        "highest memory clock in MHz": state and state.max_memory_clock_mhz,
        "application clock in MHz": state and state.application_clock_mhz,
        "application memory clock in MHz": state and state.application_memory_clock_mhz,
        "power limit in W": state and state.power_limit_w,
        "ECC": state and state.ecc,
        "MIG": state and state.mig,
        "other processes": state and state.other_processes,
    }
    words = {True: "on", False: "off"}
    return {
        name: words[value] if isinstance(value, bool) else f"{value}"
        for name, value in known.items()
        if value is not None
    }


def _why_incomplete(run: Run) -> str:
    """Return why rows of a run are missing, empty if none is known to be; `Side` checks those of runs with samples."""
    if not run.is_finished:
        return f"its run in {run.folder} is not finished"
    return f"{run.notes[0]}; rows that can be read: {len(run.rows)}" if run.notes else ""
