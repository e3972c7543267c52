"""Tell slow changes from steps: a straight line through the half-weeks of several weeks, against levels."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.analysis.history.reference import SD_OF_MAD

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

PERIOD_DAYS = 3.5  # runs of a period become one point, their median: a week has two points, whatever its runs
# Periods of the windows: 5, 6 and 7 weeks name a drift of 1% per month, a quarter and half a year slower ones.
WINDOWS = (10, 12, 14, 26, 52)
MOST_EMPTY = WINDOWS[-1]  # periods without runs in a row: no window sees across so many, so that more are skipped
FEWEST_POINTS, SHARE_OF_POINTS = 6, 0.4  # of a window: weekly runs have half of them
LEAST = 0.01  # change within a window
# Margins of the change within a window: in its standard errors, from runs before the window; in the scatter of the
# points around the line; and in this scatter if fewer than so many runs before the window show the noise.
ERRORS, SCATTERS, SCATTERS_ALONE, FEWEST_BEFORE = 4.4, 4.5, 16.0, 40
# Runs that resemble their neighbors wander. Few runs underestimate their correlation, by up to so much / their number.
MORE_CORRELATION, MOST_CORRELATION = 7.0, 0.95
# A line fits better than levels: their sum of squares is so many times larger, and the middle third of the window
# differs from both others by at least a quarter of the change.
BETTER_THAN_LEVELS, LEAST_OF_THIRD = 1.5, 0.25
# A drift lasts as long as its window shows half of the slope with which it was named.
STILL = 0.5


@dataclass(frozen=True, slots=True)
class Periods:
    """The runs of all series in periods of 3.5 days."""

    of_runs: Places  # period of each run
    points: Floats  # series × periods: median, NaN without runs
    counts: Places  # likewise: runs
    firsts: Places  # first run of each period, or of the next that has runs; one more than the periods
    begins: Floats  # day on which each period begins

    @classmethod
    def of(cls, values: Floats, days: Floats) -> Periods:
        """Return the periods of values (series × runs); they begin with the first run, and years of none are skipped.

        One run with a wrong clock adds MOST_EMPTY periods and not those of decades.
        """
        calendar = np.floor((days - days[0]) / PERIOD_DAYS).astype(np.int64)
        empty = np.diff(calendar, prepend=calendar[0]) - 1
        skipped = np.cumsum(np.maximum(empty - MOST_EMPTY, 0))
        periods = calendar - skipped
        places = np.arange(periods[-1] + 2)
        firsts = np.searchsorted(periods, places)
        begins = days[0] + PERIOD_DAYS * (places[:-1] + skipped[firsts[:-1]])
        points = np.full((len(values), len(firsts) - 1), np.nan)
        counts = np.zeros(points.shape, np.int64)
        for period in np.unique(periods):
            runs = values[:, firsts[period] : firsts[period + 1]]
            counts[:, period] = np.isfinite(runs).sum(axis=1)
            points[:, period] = _median(runs, counts[:, period])
        return cls(periods, points, counts, firsts, begins)


def _median(values: Floats, count: Places) -> Floats:
    """Return the median of the finite values of each line, of which there are so many; NaN if there is none."""
    ordered = np.sort(values, axis=1)  # NaN last
    middle = np.maximum(np.array([(count - 1) // 2, count // 2]), 0)
    low, high = (np.take_along_axis(ordered, place[:, None], axis=1)[:, 0] for place in middle)
    return np.asarray((low + high) / 2)


class PeriodNoise(NamedTuple):
    """The noise of all series at the end of a period."""

    spread: Floats  # MAD
    correlation: Floats
    known: Places  # runs that it is known from


class WindowTrend(NamedTuple):
    """Straight lines through one window of the series that changed within it: arrays with an element for each."""

    length: int  # periods
    rows: Places  # the series
    linear: Flags  # where a line fits better than levels
    change: Floats  # from the first to the last period
    error: Floats  # standard error of the change
    margin: Floats  # that the change must exceed
    per_day: Floats
    start: Floats  # value of the line in the first period

    @property
    def drifts(self) -> Flags:
        """Where the window shows a drift."""
        return self.linear & (np.abs(self.change) >= self.margin)

    def lasting(self, per_day: Floats) -> dict[int, float]:
        """Return the slopes per day of the series whose drift, named with this slope, goes on."""
        named = per_day[self.rows]
        goes_on = self.per_day * np.sign(named) >= STILL * np.abs(named)
        return dict(zip(self.rows[goes_on].tolist(), self.per_day[goes_on].tolist(), strict=True))


def trends(periods: Periods, last: int, noise: Sequence[PeriodNoise]) -> list[WindowTrend]:
    """Return the lines of each window that ends with the period `last`; `noise` at the end of each period so far."""
    return [_trend(periods, last, length, noise) for length in WINDOWS if last + 1 >= length]


def _trend(periods: Periods, last: int, length: int, noise: Sequence[PeriodNoise]) -> WindowTrend:
    first = last - length + 1
    line = _Line.through(periods.points[:, first : last + 1])
    rows = np.flatnonzero(line.fits & (np.abs(line.slopes) * (length - 1) >= STILL * LEAST))
    line = line.select(rows)
    change = line.slopes * (length - 1)
    total = (line.values**2).sum(axis=1)
    around_line = np.maximum(total - line.slopes**2 * line.squares, 0.0)
    scatter = np.sqrt(around_line / np.maximum(line.counts - 2, 1))
    around = scatter * np.sqrt(12 / line.counts)
    thirds, sizes = _thirds(line.values, line.known)
    steps = np.diff(thirds, axis=0) * np.sign(change) >= LEAST_OF_THIRD * np.abs(thirds[2] - thirds[0])
    even = (sizes > 0).all(axis=0) & steps.all(axis=0)
    before = noise[max(first - 1, 0)]
    runs = periods.counts[rows, first : last + 1].sum(axis=1)
    known = before.known[rows]
    correlation = before.correlation[rows] + MORE_CORRELATION / np.maximum(known, 1)
    correlation = np.clip(correlation, 0.0, MOST_CORRELATION)
    error = SD_OF_MAD * before.spread[rows] * np.sqrt(12 / runs * (1 + correlation) / (1 - correlation))
    enough = known >= FEWEST_BEFORE
    margin = np.where(enough, np.maximum(ERRORS * error, SCATTERS * scatter), SCATTERS_ALONE * scatter)
    return WindowTrend(
        length=length,
        rows=rows,
        linear=even & (total - _gain_of_step(line.values, line.known) > BETTER_THAN_LEVELS * around_line),
        change=change,
        error=np.where(enough, np.maximum(error, around), around),
        margin=np.maximum(LEAST, margin),
        per_day=line.slopes / PERIOD_DAYS,
        start=line.means - line.slopes * line.middles,
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """Straight lines through the points of a window, by least squares."""

    known: Flags  # series × periods
    counts: Floats
    middles: Floats  # mean place of the points
    means: Floats
    values: Floats  # from the mean; 0 where unknown
    squares: Floats  # sum over the places, from their mean
    slopes: Floats  # per period

    @classmethod
    def through(cls, points: Floats) -> _Line:
        known = np.isfinite(points)
        ones, place = known.astype(np.float64), np.arange(points.shape[1], dtype=np.float64)
        powers = ones @ np.array([place**0, place, place**2]).T
        counts = np.maximum(powers[:, 0], 1)
        middles = powers[:, 1] / counts
        values = np.where(known, points, 0.0)
        means = values.sum(axis=1) / counts
        values -= means[:, None] * ones
        squares = powers[:, 2] - counts * middles**2
        slopes = values @ place / np.maximum(squares, 1.0)
        return cls(known, counts, middles, means, values, squares, slopes)

    @property
    def fits(self) -> Flags:
        """Where there are enough points."""
        return np.asarray(self.counts >= max(FEWEST_POINTS, SHARE_OF_POINTS * self.known.shape[1]))

    def select(self, rows: Places) -> _Line:
        return _Line(*(getattr(self, field.name)[rows] for field in fields(self)))


def _thirds(values: Floats, known: Flags) -> tuple[Floats, Places]:
    """Return the mean of each third of the window, and its number of points."""
    length = values.shape[1]
    bounds = (0, length // 3, length - length // 3, length)
    parts = [slice(*pair) for pair in pairwise(bounds)]
    sizes = np.array([known[:, part].sum(axis=1) for part in parts])
    return np.array([values[:, part].sum(axis=1) for part in parts]) / np.maximum(sizes, 1), sizes


def _gain_of_step(values: Floats, known: Flags) -> Floats:
    """Return by how much the best step reduces the sum of squares around the mean."""
    sums, counts = np.cumsum(values, axis=1)[:, :-1], np.cumsum(known, axis=1)[:, :-1]
    after = known.sum(axis=1)[:, None] - counts
    both = (counts > 0) & (after > 0)
    gains = sums**2 * (1 / np.maximum(counts, 1) + 1 / np.maximum(after, 1))
    return np.asarray(np.where(both, gains, 0.0).max(axis=1))


def line_beats_levels(points: Floats, starts: Sequence[int]) -> bool:
    """Return whether a line fits the points of one series better than levels that begin at these places.

    A period in which a level begins has runs of both levels: its median says nothing. Levels that leave too few other
    periods are no levels.
    """
    known = np.setdiff1d(np.flatnonzero(np.isfinite(points)), starts)
    if len(known) < FEWEST_POINTS:
        return True
    values = points[known]
    line = np.polyval(np.polyfit(known, values, 1), known)
    level = np.searchsorted(np.asarray(sorted(starts)), known, side="right")
    means = np.bincount(level, values) / np.maximum(np.bincount(level), 1)
    around_levels = float(((values - means[level]) ** 2).sum())
    return around_levels > BETTER_THAN_LEVELS * float(((values - line) ** 2).sum())
