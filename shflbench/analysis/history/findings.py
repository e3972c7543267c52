"""The findings of a history: per suite and GPU its changes with their causes, likely changes, and all levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.history.blame import Blame, blame
from shflbench.analysis.history.bridges import Bridge, join
from shflbench.analysis.history.rule import all_changes
from shflbench.analysis.history.series import series_of
from shflbench.store.history.marks import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.analysis.history.bridges import JoinedSeries
    from shflbench.analysis.history.levels import LevelChange, OpenChange
    from shflbench.analysis.history.series import RunSeries
    from shflbench.store.history.marks import Mark
    from shflbench.store.history.record import HistoryRun

DAY = len("2026-11-20")
RECENT = 30  # last runs of a level, which give its time
OF_DRIFT = 7  # likewise while a drift goes on
SD_OF_MAD = 1.4826  # of a normal distribution
CONFIDENCE = 1.96


@dataclass(frozen=True, slots=True)
class RunMoment:
    """When a run started, and what it measured."""

    started: str  # UTC, ISO 8601
    commit: str = ""
    is_dirty: bool = False

    @property
    def day(self) -> str:
        """The day, UTC."""
        return self.started[:DAY]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryChange:
    """A step or a drift of one case, with all that changed together with it."""

    case: str
    before_us: float
    after_us: float
    low: float  # 95% interval of after / before
    high: float
    per_month: float | None  # factor in 30 days, of a drift
    old: RunMoment  # last run of the old level; of a drift, its beginning
    first: RunMoment  # first run of the new level
    seen: RunMoment  # run that raised the alarm
    named: RunMoment | None  # run that showed that a step is a drift
    blame: Blame
    mark: Mark | None

    @property
    def ratio(self) -> float:
        """The new level divided by the old one."""
        return self.after_us / self.before_us

    @property
    def is_drift(self) -> bool:
        """Whether it goes on slowly."""
        return self.per_month is not None

    @property
    def is_slower(self) -> bool:
        """Whether the case became slower; of a drift, whether it becomes slower."""
        return (self.per_month or self.ratio) > 1

    @property
    def last(self) -> RunMoment:
        """The first run after a step, and the run that named a drift: all before may show it partly."""
        return self.named if self.is_drift and self.named else self.first


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyChange:
    """A change that the last runs suggest."""

    case: str
    first: RunMoment
    ratio: float
    runs: int  # so far
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLevel:
    """The time of a case in its last runs."""

    case: str
    time_us: float | None  # None: it was never timed
    error: float | None  # half the 95% interval as a fraction
    runs: int  # in which it was timed
    since: RunMoment | None  # first run of the level
    last: RunMoment  # last run that has the case
    status: str  # in that run


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteHistory:
    """The runs of one suite on one GPU, or on several that replaced one another."""

    suite: str
    gpu: str
    gpu_name: str
    series: RunSeries
    bridges: tuple[Bridge, ...]
    changes: tuple[HistoryChange, ...]  # by their first run
    likely: tuple[LikelyChange, ...]
    levels: tuple[CaseLevel, ...]

    @property
    def moments(self) -> tuple[RunMoment, ...]:
        """The runs."""
        return tuple(map(_moment, self.series.runs))


def history_of(runs: Iterable[HistoryRun], marks: Sequence[Mark] = ()) -> tuple[SuiteHistory, ...]:
    """Return what a history shows, by suite and GPU."""
    return tuple(_suite(joined, marks) for joined in join(series_of(runs)))


def _suite(joined: JoinedSeries, marks: Sequence[Mark]) -> SuiteHistory:
    series = joined.series
    steps, unfinished = all_changes(series.times)
    last = {step.series: step for step in steps}  # they come by the run of their alarms
    changes = (_change(series, step, marks) for step in steps)
    return SuiteHistory(
        suite=series.suite,
        gpu=series.gpu,
        gpu_name=series.runs[-1].machine.gpu_name,
        series=series,
        bridges=joined.bridges,
        changes=tuple(sorted(changes, key=lambda change: (change.first.started, change.case))),
        likely=tuple(
            _likely(series, change) for change in unfinished if series.case(change.series, len(series.runs) - 1)
        ),
        levels=tuple(_level(series, case, last.get(case)) for case in range(len(series.cases))),
    )


def _moment(run: HistoryRun) -> RunMoment:
    return RunMoment(run.started, run.commit, run.is_dirty)


def _change(series: RunSeries, step: LevelChange, marks: Sequence[Mark]) -> HistoryChange:
    cause, case = blame(series, step), series.cases[step.series]
    moments = [_moment(series.runs[run]) for run in (cause.old, step.first if step.drift else cause.new, step.seen)]
    return HistoryChange(
        case=case,
        before_us=step.before,
        after_us=step.after,
        low=step.low,
        high=step.high,
        per_month=step.drift.per_month if step.drift else None,
        old=moments[0],
        first=moments[1],
        seen=moments[2],
        named=_moment(series.runs[step.drift.named]) if step.drift else None,
        blame=cause,
        mark=next((mark for mark in reversed(marks) if is_of(mark, case, moments[0], moments[2])), None),
    )


def is_of(mark: Mark, case: str, old: RunMoment, seen: RunMoment) -> bool:
    """Whether a mark is of a change of this case, after one run and seen at another."""
    return matches(mark.case, case) and (not mark.since or old.day <= mark.since <= seen.day)


def _likely(series: RunSeries, change: OpenChange) -> LikelyChange:
    return LikelyChange(
        case=series.cases[change.series],
        first=_moment(series.runs[change.first]),
        ratio=change.ratio,
        runs=change.runs,
        needed=change.needed,
    )


def _level(series: RunSeries, case: int, step: LevelChange | None) -> CaseLevel:
    """Return the level of a case after its last change."""
    times = series.times.times[case]
    timed = np.flatnonzero(np.isfinite(times))
    of_level = timed[timed >= step.first] if step else timed
    last = next(run for run in reversed(range(len(series.runs))) if series.cases[case] in series.places[run])
    measured = series.case(case, last)
    time_us = error = None
    if of_level.size:
        recent = times[of_level[-(OF_DRIFT if step and step.drift else RECENT) :]]
        time_us = float(np.median(recent))
        spread = SD_OF_MAD * float(np.median(np.abs(recent - time_us))) / time_us
        error = CONFIDENCE * spread / np.sqrt(recent.size) if recent.size > 1 else None
    return CaseLevel(
        case=series.cases[case],
        time_us=time_us,
        error=error,
        runs=int(timed.size),
        since=_moment(series.runs[of_level[0]]) if of_level.size else None,
        last=_moment(series.runs[last]),
        status=measured.status if measured else "",
    )
