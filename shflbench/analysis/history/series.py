"""Turn the runs of a history into series of times: the runs of one suite on one GPU, by case.

    for series in series_of(runs):                # one per suite and GPU
        series.suite, series.gpu                  # the UUID; where it is unknown, the model or the host
        series.runs[run]                          # HistoryRun, ascending by `started`
        series.cases[case]                        # id
        series.times.times[case, run]             # µs, NaN where it was not timed
        series.kernel(case, run)                  # HistoryKernel, None where the run does not have the case
        series.offsets_us[run]                    # subtracted from all times of the run; NaN: unknown, and none was
        series.scales[run]                        # of the machine, by the long sentinels; NaN: unknown
    series.offset_change_us                   # how much the last runs' offset differs from the first ones'

All is online: values of a run depend on earlier runs alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.offset import FEWEST, LONG_US, MOVED
from shflbench.analysis.history.levels import SeriesTimes
from shflbench.core.grouping import group_by
from shflbench.core.model import Status
from shflbench.store.history.record import CaseColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.analysis.history.levels import Floats
    from shflbench.store.history.record import HistoryCase, HistoryKernel, HistoryRun

# A sentinel is compared with its median over so many first runs. Over all runs before, a lasting change of the offset
# would move the median when half of the runs had it, and all times with it.
ANCHOR = 15
RECENT = 5  # last runs that show a lasting offset
# An offset differs between processes with a standard deviation of 0.06 µs (`compare.noise`), the median over five runs
# by 0.03 µs. A driver that changes the time of each launch changes it by about 1 µs.
LASTING_US = 0.3
TURNS = 5  # the error of the scale decreases by the ratio of short to long sentinels per turn
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeries:
    """The runs of one suite on one GPU, and the times of their cases."""

    suite: str
    gpu: str  # UUID; where it is unknown, the model or the host
    runs: tuple[HistoryRun, ...]  # ascending by `started`
    cases: tuple[str, ...]  # ids, in the order of the newest run, then those that it lacks
    times: SeriesTimes  # cases × runs
    offsets_us: Floats  # of each run, as the short sentinels show it; NaN: unknown, and none was subtracted
    scales: Floats  # of each run: how much longer than in the first runs the long sentinels took; NaN: unknown
    offset_change_us: float = 0.0  # of the last runs against the first ones of this GPU; 0: none that matters
    places: tuple[Mapping[str, int], ...]  # of each run: id → index of the case in the run

    def case(self, case: int, run: int) -> HistoryCase | None:
        """Return a case of a run; None where the run does not have it."""
        place = self.places[run].get(self.cases[case])
        return None if place is None else self.runs[run].cases[place]

    def kernel(self, case: int, run: int) -> HistoryKernel | None:
        """Return the kernel of a case in a run; None where the run does not have the case."""
        place = self.places[run].get(self.cases[case])
        if place is None:
            return None
        cases = self.runs[run].cases  # as columns, of which one costs a tenth of a whole case
        return cases.kernel[place] if isinstance(cases, CaseColumns) else cases[place].kernel

    def codes(self, run: int) -> list[str]:
        """Return the machine code of each case in a run; empty where it is unknown."""
        kernels = CaseColumns.of(self.runs[run].cases).kernel
        places = map(self.places[run].get, self.cases)
        return ["" if place is None else kernels[place].code for place in places]


def series_of(runs: Iterable[HistoryRun]) -> list[RunSeries]:
    """Return the series of each suite and GPU, sorted by both."""
    grouped = group_by(runs, lambda run: (run.suite, gpu_of(run)))
    return [_series(*key, grouped[key]) for key in sorted(grouped)]


def gpu_of(run: HistoryRun) -> str:
    """Return the UUID of the GPU of a run; where it is unknown, the model or the host."""
    return run.machine.gpu or run.machine.gpu_name or run.machine.host


def _series(suite: str, gpu: str, unordered: Sequence[HistoryRun]) -> RunSeries:
    runs = tuple(sorted(unordered, key=lambda run: run.started))
    columns = [CaseColumns.of(run.cases) for run in runs]
    known: dict[tuple[str, ...], dict[str, int]] = {}  # nearly all runs have the same cases
    for one in columns:
        if one.case not in known:
            known[one.case] = {case: place for place, case in enumerate(one.case)}
    cases = tuple(dict.fromkeys(case for ids in dict.fromkeys(one.case for one in reversed(columns)) for case in ids))
    index = {case: place for place, case in enumerate(cases)}
    rows = {ids: np.array([index[case] for case in ids], dtype=np.intp) for ids in known}
    offsets_us, scales = _offsets(runs)
    times, errors = np.full((2, len(cases), len(runs)), np.nan)
    statuses = {
        statuses: np.array([status == Status.TIMED for status in statuses], dtype=bool)
        for statuses in {one.status for one in columns}
    }
    for run, one in enumerate(columns):
        timed = statuses[one.status]
        place = rows[one.case][timed]
        times[place, run] = np.array(one.time_us, dtype=np.float64)[timed]
        errors[place, run] = np.array(one.error, dtype=np.float64)[timed]
    times -= np.nan_to_num(offsets_us)
    times[times <= 0] = np.nan  # shorter than its offset: no sensible time
    days = np.array([datetime.fromisoformat(run.started).timestamp() / SECONDS_PER_DAY for run in runs])
    return RunSeries(
        suite=suite,
        gpu=gpu,
        runs=runs,
        cases=cases,
        times=SeriesTimes(times=times, errors=errors, days=days),
        offsets_us=offsets_us,
        scales=scales,
        offset_change_us=_lasting_change(offsets_us),
        places=tuple(known[one.case] for one in columns),
    )


def _offsets(runs: Sequence[HistoryRun]) -> tuple[Floats, Floats]:
    """Return the offset of each run in µs, and the scale of its machine.

    As in `compare.offset`, the short sentinels show the time that is added to each launch. A slower clock changes them
    as well, by a share of their time: the long ones show it, and what they show is no offset.

    A new version of the sentinels begins at the offset of the last runs before, and at their scale.
    """
    offsets_us, scales = np.full((2, len(runs)), np.nan)
    first: dict[tuple[str, str], list[float]] = {}  # version and name of a sentinel → its times in the first runs
    begun: dict[str, tuple[float, float]] = {}  # version of the sentinels → offset and scale before its first run
    for place, run in enumerate(runs):
        version = run.machine.sentinel_version
        if version not in begun:
            begun[version] = _recent(offsets_us[:place], 0.0), _recent(scales[:place], 1.0)
        timed = [(first.setdefault((version, name), []), time_us) for name, time_us in run.machine.sentinels]
        pairs = [(median(before or [time_us]), time_us) for before, time_us in timed]
        for before, time_us in timed:
            if len(before) < ANCHOR:
                before.append(time_us)
        offset_us, scale = _offset_and_scale(pairs)
        offsets_us[place], scales[place] = begun[version][0] + offset_us, begun[version][1] * scale
    return offsets_us, scales


def _offset_and_scale(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the offset in µs and the scale that make times of sentinels before, which come first, those of a run.

    They are estimated in turns, as an offset of 1 µs is 1% of the shortest long sentinel.
    """
    long = [pair for pair in pairs if pair[0] >= LONG_US]
    short = [pair for pair in pairs if pair[0] < LONG_US]
    has_offset = len(short) >= FEWEST
    offset_us, scale = 0.0, math.nan
    for _ in range(TURNS if long else 0):
        scale = median((after - offset_us) / before for before, after in long)
        offset_us = median(after - scale * before for before, after in short) if has_offset else 0.0
    if not abs(scale - 1) > MOVED and has_offset:
        offset_us = median(after - before for before, after in short)
    return offset_us if has_offset else math.nan, scale


def _recent(values: Floats, default: float) -> float:
    """Return the median of the last known values."""
    known = values[np.isfinite(values)][-RECENT:]
    return float(np.median(known)) if known.size else default


def _lasting_change(offsets_us: Floats) -> float:
    """Return the offset of the last runs less that of the first ones; 0 where that is small, or runs are too few."""
    known = offsets_us[np.isfinite(offsets_us)]
    first = known[:-RECENT][:ANCHOR]
    if first.size < RECENT:
        return 0.0
    change_us = float(np.median(known[-RECENT:]) - np.median(first))
    return change_us if abs(change_us) > LASTING_US else 0.0
