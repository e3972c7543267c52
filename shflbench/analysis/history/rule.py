"""Find steps and drifts in series of times, run by run: an alarm depends on past runs only and is never withdrawn.

A step is an alarm when the last runs, three in most cases, all lie beyond the margin on one side of the level: 1%, or
more where the series is noisier (`reference.py`). A drift is a straight line over weeks (`drift.py`).
docs/explanation/history.md has the error rates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.quantiles import student
from shflbench.analysis.history.drift import PERIOD_DAYS, PeriodNoise, Periods, WindowTrend, line_beats_levels, trends
from shflbench.analysis.history.levels import Drift, LevelChange, OpenChange
from shflbench.analysis.history.reference import MEMORY, SD_OF_MAD, References, assumed_spread

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    from shflbench.analysis.history.levels import SeriesTimes

    Floats: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

LEAST = 0.01  # change
FEWEST, MOST = 3, 12  # runs in a row that are an alarm
# The probability that so many runs in a row lie beyond the margin by chance: a year has 365 runs and two sides. PRIOR
# counts as runs that were as far, and as runs that were not: few, so that one outlier among 60 runs delays no alarm.
CHANCE, PRIOR = 5e-5, 0.1
# Past runs count as beyond the margin if they were as far from their level as this share of the change. A case whose
# buffers are on other pages in one process of ten returns to that level by itself.
AS_FAR = 0.75
# Runs in a row that a young series needs, by the runs before that are needed for it.
YOUNG = ((24, 3), (18, 4), (10, 6), (7, 8))
FEWEST_RUNS = 1 + sum(YOUNG[-1])  # of a series with an alarm
# With fewer runs before, a series has hardly a level: QUIET runs elsewhere, or as many as make FEWEST_RUNS, replace it.
# They are an alarm if the change is large: a fraction, and times the spread.
QUIET = 10
LARGE, LARGE_SPREADS = 0.05, 10
BACK = 4  # runs before the alarm's that may be the first of the new level
SETTLED = 20  # runs of a level; a return from one with fewer needs no full margin, and half of the step
REFILL = 10  # last runs that give the level of a drifting series
# A step that a drift does not explain: the runs on both sides of it, so many each, differ by more than the drift, and
# the rest is at least so much of the difference.
BESIDE, ABRUPT = 5, 0.4
DAYS_PER_MONTH = 30
MEDIAN_ERROR = math.sqrt(math.pi / 2)  # standard error of a median / that of a mean
MOST_CORRELATION = 0.9


def all_changes(series: SeriesTimes) -> tuple[tuple[LevelChange, ...], tuple[OpenChange, ...]]:
    """Return what `level_changes` and `open_changes` return, in one pass through the runs."""
    watch = _Watch(series).watch()
    return tuple(watch.changes()), tuple(watch.unfinished())


def level_changes(series: SeriesTimes) -> tuple[LevelChange, ...]:
    """Return the steps and drifts of all series, by run of their alarms.

    More runs never withdraw or move an alarm: `first`, `seen` and `before` stay. They can refine `after` and its
    interval, and relabel the step as a drift.
    """
    return all_changes(series)[0]


def open_changes(series: SeriesTimes) -> tuple[OpenChange, ...]:
    """Return the series whose last runs lie beyond the margin, in too few runs for an alarm."""
    return all_changes(series)[1]


def runs_needed(beyond: Places, known: Places) -> Places:
    """Return how many runs in a row are an alarm, where `beyond` of `known` past runs were as far."""
    needed = np.full(known.shape, MOST)
    probability = np.ones(known.shape)
    for runs in range(1, MOST):
        probability = probability * (beyond + PRIOR + runs - 1) / (known + 2 * PRIOR + runs - 1)
        rare = (probability <= CHANCE) & (runs >= FEWEST)
        needed = np.where(rare & (needed == MOST), runs, needed)
    quiet = np.maximum(QUIET, FEWEST_RUNS - 1 - known)
    young = np.select([known >= runs for runs, _ in YOUNG], [row for _, row in YOUNG], quiet)
    return np.where(beyond == 0, young, np.maximum(needed, young))


@dataclass(slots=True)
class _Alarm:
    """A change as its alarm knew it."""

    series: int
    first: int
    seen: int
    before: float  # logarithm
    error: float  # standard error of `before`
    noise: float  # standard deviation of a run, with the correlation of runs
    known: int  # runs that show the noise
    reached: float  # logarithm: the new level in the runs that raised it
    after: float | None = None  # logarithm; None to take it from the runs
    drift: Drift | None = None


class _Watch:
    """Passes through the runs of all series at once."""

    def __init__(self, series: SeriesTimes) -> None:
        times = np.where(series.times > 0, series.times, np.nan)  # NaN is not above 0 either
        self.values = np.log(times)
        self.errors = np.nan_to_num(series.errors, nan=0.0)
        self.days = series.days
        count, runs = self.values.shape
        self.references = References.of(count, runs)
        self.assumed = assumed_spread(np.exp(self._first_values()) / series.factors)
        # runs in a row beyond the margin
        self.beyond = np.full((count, max(MOST, FEWEST_RUNS)), -1)  # their numbers
        self.counts = np.zeros(count, np.int64)
        self.sides = np.zeros(count, np.int64)
        # values are compared after the drift since the anchor is subtracted
        self.per_day = np.zeros(count)
        self.anchors = np.zeros(count)  # days
        self.begun = np.zeros(count, np.int64)  # first run of the level, by its alarm
        self.old = np.full(count, np.nan)  # level before the last step
        self.drifting = np.zeros(count, np.int64)  # periods of the window that shows it; 0 for none
        self.named = np.zeros(count)  # slope per day with which it was named
        self.fresh = np.zeros(count, np.int64)  # period from which a window may show a new drift
        self.alarms: list[_Alarm] = []

    def _first_values(self) -> Floats:
        if not self.values.size:
            return np.zeros(len(self.values))
        known = np.isfinite(self.values)
        first = np.take_along_axis(self.values, np.argmax(known, axis=1)[:, None], axis=1)[:, 0]
        return np.where(known.any(axis=1), first, 0.0)

    def watch(self) -> _Watch:
        """Pass through all runs."""
        if not self.values.size:
            return self
        periods, noise = Periods.of(self.values, self.days), list[PeriodNoise]()
        for run, period in enumerate(periods.of_runs):
            while len(noise) < period:
                reference = self.references
                reference.correlate()
                noise.append(PeriodNoise(reference.spread, reference.correlation, np.minimum(reference.known, MEMORY)))
                self._watch_drifts(periods, noise, run)
            self._watch_steps(run)
        return self

    # steps

    def _watch_steps(self, run: int) -> None:
        reference = self.references
        values = self._flat(np.arange(len(self.values)), run)
        known = np.isfinite(values)
        difference = values - reference.level
        ratio = np.maximum(1.0, self.errors[:, run] / np.where(reference.spread > 0, SD_OF_MAD * reference.spread, 1))
        outside = known & (reference.counts > 1) & (np.abs(difference) > np.maximum(LEAST, reference.margins() * ratio))
        outside |= self._returned(values)
        side = np.where(outside, np.sign(difference), 0).astype(np.int64)
        self._end_rows(np.flatnonzero(known & (side != self.sides) & (self.counts > 0)))
        rows = np.flatnonzero(side)
        self.beyond[rows, self.counts[rows]] = run
        self.counts[rows] += 1
        self.sides[rows] = side[rows]
        inside = np.flatnonzero(known & (side == 0))
        reference.absorb(inside, values[inside], self._weights(inside, run))
        rows = rows[self.counts[rows] >= FEWEST]
        if len(rows):
            needed, changes = self._needed(rows)
            certain = self._is_certain(rows, changes)
            for place in np.flatnonzero(self.counts[rows] >= needed):
                self._replace_level(int(rows[place]), run, alarm=bool(certain[place]))
        reference.refresh(self.assumed)

    def _returned(self, values: Floats) -> Flags:
        """Return where values lie closer to the old level than to the new one, which is known from few runs."""
        reference = self.references
        young = (reference.counts < SETTLED) & np.isfinite(self.old)
        return np.asarray(young & (np.abs(values - self.old) < np.abs(values - reference.level)))

    def _flat(self, rows: Places, run: int | Places) -> Floats:
        """Return values without the drift."""
        return np.asarray(self.values[rows, run] - self.per_day[rows] * (self.days[run] - self.anchors[rows]))

    def _weights(self, rows: Places, run: int | Places) -> Floats:
        """Return the weights of runs: less than 1 where the error of a run exceeds the spread of its series."""
        spread = SD_OF_MAD * self.references.spread[rows]
        error = self.errors[rows, run]
        return np.where(error > spread, (spread / np.where(error > 0, error, 1.0)) ** 2, 1.0)

    def _end_rows(self, rows: Places) -> None:
        """Count runs beyond the margin as runs of the level, because the next run is not beyond it."""
        for place in range(int(self.counts[rows].max(initial=0))):
            some = rows[self.counts[rows] > place]
            runs = self.beyond[some, place]
            self.references.absorb(some, self._flat(some, runs), self._weights(some, runs))
        self.counts[rows] = 0
        self.sides[rows] = 0

    def _needed(self, rows: Places) -> tuple[Places, Floats]:
        """Return how many runs in a row are an alarm, and the middle of the present ones."""
        reference = self.references
        changes = np.array([np.median(self._flat(np.full(self.counts[row], row), self._row(row))) for row in rows])
        changes -= reference.level[rows]
        past = reference.past[rows] * self.sides[rows, None]
        as_far = (past > AS_FAR * np.abs(changes)[:, None]).sum(axis=1)
        return runs_needed(as_far, reference.known[rows]), changes

    def _is_certain(self, rows: Places, changes: Floats) -> Flags:
        """Return where enough runs in a row are an alarm: the old level was known, or the change is large."""
        reference = self.references
        large = np.abs(changes) > np.maximum(LARGE, LARGE_SPREADS * reference.spread[rows])
        return np.asarray((reference.known[rows] >= YOUNG[-1][0]) | large)

    def _row(self, series: int) -> Places:
        return np.asarray(self.beyond[series, : self.counts[series]])

    def _replace_level(self, series: int, run: int, *, alarm: bool) -> None:
        """Make the runs beyond the margin the new level."""
        reference = self.references
        runs = self._row(series)
        rows = np.full(len(runs), series)
        values, weights = self._flat(rows, runs), self._weights(rows, runs)
        if alarm:
            first = self._first_of(series, int(runs[0]), float(np.median(values)))
            self.alarms.append(self._alarm(series, first, run, reached=float(np.median(self.values[series, runs]))))
            self.begun[series] = first
            self.old[series] = reference.level[series]
        reference.restart(series, values, weights)
        self.counts[series] = self.sides[series] = 0

    def _first_of(self, series: int, first: int, level: float) -> int:
        """Return the first run of the new level: the one that makes the sum of distances from both levels smallest.

        A run of the new level can lie within the margin, or be an outlier.
        """
        before = np.flatnonzero(np.isfinite(self.values[series, :first]))[-BACK:]
        values = self._flat(np.full(len(before), series), before)
        costs = np.abs(values - level) - np.abs(values - self.references.level[series])
        sums = np.cumsum(costs[::-1])[::-1]
        places = [place for place in range(len(before)) if sums[place] < 0 and before[place] > self.begun[series]]
        return int(before[min(places, key=lambda place: sums[place])]) if places else first

    def _alarm(self, series: int, first: int, run: int, *, reached: float) -> _Alarm:
        reference = self.references
        correlation = min(max(float(reference.correlation[series]), 0.0), MOST_CORRELATION)
        noise = SD_OF_MAD * float(reference.spread[series]) * math.sqrt((1 + correlation) / (1 - correlation))
        drift = self.per_day[series] * (self.days[first] - self.anchors[series])
        points = min(int(reference.counts[series]), MEMORY)
        return _Alarm(
            series=series,
            first=first,
            seen=run,
            before=float(reference.level[series] + drift),
            error=noise * MEDIAN_ERROR / math.sqrt(max(points, 1)),
            noise=noise,
            known=min(int(reference.known[series]), MEMORY),
            reached=reached,
        )

    # drifts

    def _watch_drifts(self, periods: Periods, noise: list[PeriodNoise], run: int) -> None:
        """Look for drifts when a period has ended; `run` is the first after it."""
        last = len(noise) - 1
        for trend in trends(periods, last, noise):
            new = (self.drifting[trend.rows] == 0) & (self.fresh[trend.rows] <= last - trend.length + 1)
            for place in np.flatnonzero(trend.drifts & new):
                self._name(trend, int(place), periods, last, run)
            lasting = trend.lasting(self.named)
            whole = self.begun < periods.firsts[last - trend.length + 1]  # without a step, which would change the slope
            for series in np.flatnonzero((self.drifting == trend.length) & (self.counts == 0) & whole).tolist():
                if series not in lasting:
                    self.drifting[series], self.fresh[series] = 0, last + 1
                self._follow(series, lasting.get(series, 0.0), run)

    def _name(self, trend: WindowTrend, place: int, periods: Periods, last: int, run: int) -> None:
        """Name a drift, and relabel the steps of its window as parts of it, unless they are more than that.

        A drift that begins after such a step is named by a later window.
        """
        series, first = int(trend.rows[place]), last - trend.length + 1
        since = int(periods.firsts[first])
        steps = [alarm for alarm in self.alarms if alarm.series == series and alarm.first > since and not alarm.drift]
        if any(self._is_abrupt(alarm, float(trend.per_day[place]), run) for alarm in steps):
            return
        starts = [int(periods.of_runs[alarm.first]) - first for alarm in steps]
        if starts and not line_beats_levels(periods.points[series, first : last + 1], starts):
            return
        start, per_day = float(trend.start[place]), float(trend.per_day[place])
        end = start + float(trend.change[place])
        drift = Drift(per_month=math.exp(DAYS_PER_MONTH * per_day), since=since, named=run)
        if not steps:
            alarm = self._alarm(series, since, run, reached=end)
            steps = [replace(alarm, before=start, error=float(trend.error[place]))]
            self.alarms += steps
        for alarm in steps:
            alarm.drift, alarm.after = drift, end
        self.drifting[series], self.named[series] = trend.length, per_day
        middle = periods.begins[first] + PERIOD_DAYS / 2
        runs = since + np.flatnonzero(np.isfinite(self.values[series, since:run]))
        self.references.correct(series, self.values[series, runs] - start - per_day * (self.days[runs] - middle))
        self.counts[series] = self.sides[series] = 0
        self._follow(series, per_day, run)

    def _is_abrupt(self, alarm: _Alarm, per_day: float, end: int) -> bool:
        """Return whether a step is no part of a drift with this slope; from the runs before `end`."""
        if (alarm.reached - alarm.before) * per_day < 0:
            return True
        values = self.values[alarm.series]
        before = np.flatnonzero(np.isfinite(values[: alarm.first]))[-BESIDE:]
        after = alarm.first + np.flatnonzero(np.isfinite(values[alarm.first : end]))[:BESIDE]
        step = abs(float(np.median(values[after]) - np.median(values[before])))
        drift = abs(per_day) * float(np.median(self.days[after]) - np.median(self.days[before]))
        return step - drift > ABRUPT * step

    def _follow(self, series: int, per_day: float, run: int) -> None:
        """Subtract this drift from the next runs."""
        self.per_day[series], self.anchors[series] = per_day, self.days[run]
        self.old[series] = np.nan
        begun = int(self.begun[series])
        runs = begun + np.flatnonzero(np.isfinite(self.values[series, begun:run]))[-REFILL:]
        rows = np.full(len(runs), series)
        self.references.restart(series, self._flat(rows, runs), self._weights(rows, runs))

    # results

    def changes(self) -> Iterator[LevelChange]:
        """Yield all alarms, with the new level as far as it is known."""
        for place, alarm in enumerate(self.alarms):
            later = [other.first for other in self.alarms[place + 1 :] if other.series == alarm.series]
            after, error = self._level_after(alarm, min(later, default=self.values.shape[1]))
            ratio = after - alarm.before
            half = student(0.975, max(alarm.known, 1)) * math.hypot(alarm.error, error)
            yield LevelChange(
                series=alarm.series,
                first=alarm.first,
                seen=alarm.seen,
                before=math.exp(alarm.before),
                after=math.exp(after),
                low=math.exp(ratio - half),
                high=math.exp(ratio + half),
                drift=alarm.drift,
            )

    def _level_after(self, alarm: _Alarm, end: int) -> tuple[float, float]:
        """Return the new level, a logarithm, and its standard error: from the runs up to the next step or a return.

        Runs closer to the old level are no runs of the new one, and three of them in a row are a return.
        """
        if alarm.after is not None:
            return alarm.after, 0.0
        values = self.values[alarm.series, alarm.first : max(end, alarm.seen + 1)]
        values = values[np.isfinite(values)][:MEMORY]
        back = np.abs(values - alarm.before) < np.abs(values - alarm.reached)
        back[: np.isfinite(self.values[alarm.series, alarm.first : alarm.seen + 1]).sum()] = False
        returns = np.flatnonzero(np.lib.stride_tricks.sliding_window_view(back, FEWEST).all(axis=1))
        end = int(returns[0]) if len(returns) else len(values)
        values = values[:end][~back[:end]]
        return float(np.median(values)), alarm.noise * MEDIAN_ERROR / math.sqrt(len(values))

    def unfinished(self) -> Iterator[OpenChange]:
        """Yield the changes that are no alarm yet."""
        rows = np.flatnonzero(self.counts > 0)
        if not len(rows):
            return
        needed, changes = self._needed(rows)
        certain = self._is_certain(rows, changes)
        listed = zip(rows[certain].tolist(), needed[certain].tolist(), changes[certain].tolist(), strict=True)
        for series, runs, change in listed:
            row = self._row(series)
            yield OpenChange(series=series, first=int(row[0]), runs=len(row), needed=runs, ratio=math.exp(change))
