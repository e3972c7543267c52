"""Years of unchanged cases, steps and ramps of one kind of noise, and what a rule says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.history_rule.noise import Drawn, Floats, Kind
from shflbench.analysis.history.levels import LevelChange, SeriesTimes
from shflbench.analysis.history.rule import level_changes

YEAR = 365
FIRST, LAST = 40, 200  # days of changes
RUNS = 3  # within which a step is to be seen
LATER = 7
WEEKS = 8
STEP, RAMP = 0.02, 0.01  # per month
MONTH = 30
STEADY = 0.003  # standard deviation up to which steps and ramps are to be found
NEAR = 2  # runs by which the place of a step may be wrong
AFTER = 7 * WEEKS + 1  # days that a simulated change is followed


class Changed(NamedTuple):
    """Series that change, the run of the change and its direction."""

    drawn: Drawn
    days: NDArray[np.int64]
    signs: NDArray[np.int64]

    def first(self, count: int) -> Changed:
        """Return the first so many series."""
        return Changed(_first(self.drawn, count), self.days[:count], self.signs[:count])


class Simulation(NamedTuple):
    """All series of one kind of noise."""

    unchanged: Drawn
    steps: Changed
    ramps: Changed

    def first(self, count: int) -> Simulation:
        """Return the first so many series of each part."""
        return Simulation(_first(self.unchanged, count), self.steps.first(count), self.ramps.first(count))


def _first(drawn: Drawn, count: int) -> Drawn:
    return Drawn(*(array[:count].copy() for array in drawn))


def simulate(kind: Kind, random: np.random.Generator, series: int) -> Simulation:
    """Draw series of a kind."""
    unchanged = kind.draw(random, series, YEAR)
    run = np.arange(LAST + AFTER)

    def changed(change: float, days: int) -> Changed:
        drawn = kind.draw(random, series, len(run))
        start, sign = random.integers(FIRST, LAST, series), random.choice([-1, 1], series)
        growth = np.clip((run - start[:, None] + 1) / days, 0, AFTER if days > 1 else 1)
        return Changed(drawn._replace(times=drawn.times * (1 + change) ** (sign[:, None] * growth)), start, sign)

    return Simulation(unchanged, changed(STEP, 1), changed(RAMP, MONTH))


def watch(drawn: Drawn) -> tuple[LevelChange, ...]:
    """Apply the rule of the product to daily runs."""
    days = np.arange(drawn.times.shape[1], dtype=np.float64)
    return level_changes(SeriesTimes(times=drawn.times, errors=drawn.errors, days=days))


@dataclass(frozen=True, slots=True)
class Score:
    """The results for one kind of noise."""

    kind: Kind
    series: int
    false_steps: int
    false_drifts: int
    alarmed: int  # unchanged series with any
    steady: int  # changed series whose standard deviation is at most STEADY
    seen: float  # share of the steady series whose step is seen within RUNS runs
    later: float  # within LATER runs
    place: float  # of the steps that are seen by then: share with the right first run
    named: float  # share of the steady series whose ramp is named a drift within WEEKS
    median_day: float  # of the ramp, on which it is named
    slope: float  # median, per month
    seen_all: float  # the same for all series
    named_all: float

    @property
    def per_year(self) -> float:
        """False alarms per 100 cases and year."""
        return 100 * (self.false_steps + self.false_drifts) / self.series


def measured(drawn: Drawn, series: int, first: int, end: int) -> int:
    """Return how many of the runs from `first` to `end`, without the last, measured the case."""
    return int(np.isfinite(drawn.times[series, first:end]).sum())


def hits(changes: Sequence[LevelChange], steps: Changed) -> dict[int, LevelChange]:
    """Return the alarm of each step that is seen at its place, by series."""
    result: dict[int, LevelChange] = {}
    for change in changes:
        day, sign = int(steps.days[change.series]), int(steps.signs[change.series])
        apart = measured(steps.drawn, change.series, *sorted((day, change.first)))
        if apart <= NEAR and (change.after - change.before) * sign > 0:
            result.setdefault(change.series, change)
    return result


def names(changes: Sequence[LevelChange], ramps: Changed) -> dict[int, tuple[int, float]]:
    """Return the day of each ramp on which it is named a drift, and the slope, by series."""
    result: dict[int, tuple[int, float]] = {}
    for change in changes:
        drift, start = change.drift, int(ramps.days[change.series])
        if drift and start <= drift.named <= start + 7 * WEEKS:
            slope = (drift.per_month - 1) * int(ramps.signs[change.series])
            if slope > 0:
                result.setdefault(change.series, (drift.named - start, slope))
    return result


def score(kind: Kind, simulation: Simulation) -> Score:
    """Apply the rule to all series of a kind."""
    unchanged, steps, ramps = simulation
    alarms = watch(unchanged)
    seen = hits(watch(steps.drawn), steps)
    named = names(watch(ramps.drawn), ramps)
    series = len(unchanged.times)
    runs = {s: measured(steps.drawn, s, int(steps.days[s]), change.seen + 1) for s, change in seen.items()}
    soon, later = (_flags(series, [s for s, needed in runs.items() if needed <= most]) for most in (RUNS, LATER))
    drifts = _flags(series, named)
    steady, steady_ramps = (drawn.sd <= STEADY for drawn in (steps.drawn, ramps.drawn))
    return Score(
        kind=kind,
        series=series,
        false_steps=sum(change.drift is None for change in alarms),
        false_drifts=sum(change.drift is not None for change in alarms),
        alarmed=len({change.series for change in alarms}),
        steady=int(steady.sum()),
        seen=_share(soon[steady]),
        later=_share(later[steady]),
        place=_share(np.array([_exact(steps, s, change.first) for s, change in seen.items() if later[s]], bool)),
        named=_share(drifts[steady_ramps]),
        median_day=_median([float(day) for day, _ in named.values()]),
        slope=_median([slope for _, slope in named.values()]),
        seen_all=_share(soon),
        named_all=_share(drifts),
    )


def _exact(steps: Changed, series: int, first: int) -> bool:
    """Return whether `first` is the first run of the new level."""
    return first >= steps.days[series] and not measured(steps.drawn, series, int(steps.days[series]), first)


def _flags(series: int, places: Iterable[int]) -> NDArray[np.bool_]:
    flags = np.zeros(series, bool)
    flags[list(places)] = True
    return flags


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else np.nan


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if len(flags) else np.nan


# other programs


class ForeignScore(NamedTuple):
    """The results of another program for one kind of noise."""

    per_year: float
    seen: float  # share of the steady series
    steady: int
    reported: float  # share of the steady series with a ramp that reports any change within WEEKS


def foreign_series(simulation: Simulation) -> dict[str, NDArray[np.generic]]:
    """Return the series as another program gets them: without missing values, and after which runs it analyses them.

    A step is analyzed when three of its runs are known, and the others weekly.
    """
    unchanged, steps, ramps = simulation
    weeks = 7 * np.arange(2, YEAR // 7 + 1)
    return {
        "year": _filled(unchanged.times),
        "year-ends": np.tile(weeks, (len(unchanged.times), 1)),
        "step": _filled(steps.drawn.times),
        "step-ends": _third_runs(steps)[:, None],
        "ramp": _filled(ramps.drawn.times),
        "ramp-ends": ramps.days[:, None] + 7 * np.arange(WEEKS + 1),
    }


def _third_runs(steps: Changed) -> NDArray[np.int64]:
    """Return after how many runs three of the new level are known."""
    known = np.cumsum(np.isfinite(steps.drawn.times), axis=1)
    before = np.take_along_axis(known, steps.days[:, None] - 1, axis=1)
    return np.asarray(np.argmax(known >= before + RUNS, axis=1) + 1)


def _filled(times: Floats) -> Floats:
    """Return times with the last known one where one is missing, as Otava does."""
    filled = times.copy()
    for run in range(1, filled.shape[1]):
        filled[:, run] = np.where(np.isfinite(filled[:, run]), filled[:, run], filled[:, run - 1])
    for run in range(filled.shape[1] - 2, -1, -1):
        filled[:, run] = np.where(np.isfinite(filled[:, run]), filled[:, run], filled[:, run + 1])
    return filled


Alarms = Sequence[Sequence[Sequence[int]]]  # of each series: run of the change, runs at the analysis


def score_foreign(simulation: Simulation, year: Alarms, step: Alarms, ramp: Alarms) -> ForeignScore:
    """Score the alarms of another program."""
    steps, ramps = simulation.steps, simulation.ramps
    steady = np.flatnonzero(steps.drawn.sd <= STEADY).tolist()
    seen = [any(abs(point - steps.days[s]) <= NEAR for point, _ in step[s]) for s in steady]
    steady_ramps = np.flatnonzero(ramps.drawn.sd <= STEADY).tolist()
    reported = [any(point >= ramps.days[s] - 7 and end > ramps.days[s] for point, end in ramp[s]) for s in steady_ramps]
    return ForeignScore(
        per_year=100 * sum(map(len, year)) / len(year),
        seen=_share(np.array(seen, bool)),
        steady=len(steady),
        reported=_share(np.array(reported, bool)),
    )
