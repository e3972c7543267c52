"""Tell slow changes from steps: a straight line through the half-weeks of several weeks, against levels."""

from __future__ import annotations

from dataclasses import dataclass
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
FEWEST_POINTS, SHARE_OF_POINTS = 6, 0.4  # of a window: weekly runs have half of them
LEAST = 0.01  # change within a window
# Margins of the change within a window: in its standard errors, from runs before the window; in the scatter of the
# points around the line; and in this scatter if fewer than so many runs before the window show the noise.
ERRORS, SCATTERS, SCATTERS_ALONE, FEWEST_BEFORE = 5.0, 4.5, 12.0, 25
# Runs that resemble their neighbors wander. 64 runs underestimate their correlation.
MORE_CORRELATION, MOST_CORRELATION = 0.15, 0.95
# A line fits better than levels: their sum of squares is so many times larger, and the middle third of the window
# differs from both others by at least a quarter of the change.
BETTER_THAN_LEVELS, LEAST_OF_THIRD = 1.5, 0.25
# A drift lasts as long as its window shows half of the change that names one.
STILL = 0.5


@dataclass(frozen=True, slots=True)
class Periods:
    """The runs of all series in periods of 3.5 days."""

    of_runs: Places  # period of each run
    points: Floats  # series × periods: median, NaN without runs
    firsts: Places  # first run of each period, or of the next that has runs; one more than the periods

    @classmethod
    def of(cls, values: Floats, days: Floats) -> Periods:
        """Return the periods of values (series × runs); they begin with the first run."""
        periods = np.floor((days - days[0]) / PERIOD_DAYS).astype(np.int64)
        firsts = np.searchsorted(periods, np.arange(periods[-1] + 2))
        points = np.full((len(values), len(firsts) - 1), np.nan)
        for period in np.unique(periods):
            points[:, period] = _median(values[:, firsts[period] : firsts[period + 1]])
        return cls(periods, points, firsts)


def _median(values: Floats) -> Floats:
    """Return the median of the finite values of each line; NaN if there is none."""
    ordered, count = np.sort(values, axis=1), np.isfinite(values).sum(axis=1)
    middle = np.maximum(np.array([(count - 1) // 2, count // 2]), 0)
    low, high = (np.take_along_axis(ordered, place[:, None], axis=1)[:, 0] for place in middle)
    return np.asarray((low + high) / 2)


class Noise(NamedTuple):
    """The noise of all series at the end of a period."""

    spread: Floats  # MAD
    correlation: Floats
    known: Places  # runs that it is known from


class Trend(NamedTuple):
    """Straight lines through one window of all series."""

    length: int  # periods
    linear: Flags  # where a line fits better than levels
    fits: Flags  # where there are enough points
    change: Floats  # from the first to the last period
    error: Floats  # standard error of the change
    margin: Floats  # that the change must exceed
    per_day: Floats
    start: Floats  # value of the line at the first run of the window

    @property
    def drifts(self) -> Flags:
        """Where the window shows a drift."""
        return self.linear & (np.abs(self.change) >= self.margin)

    def lasts(self, per_day: Floats) -> Flags:
        """Where a drift of this slope goes on."""
        half = STILL * self.margin
        return np.asarray(self.fits & (np.abs(self.change) >= half) & (self.per_day * per_day > 0))


def trends(periods: Periods, last: int, noise: Sequence[Noise]) -> list[Trend]:
    """Return the lines of each window that ends with the period `last`; `noise` at the end of each period so far."""
    return [_trend(periods, last, length, noise) for length in WINDOWS if last + 1 >= length]


def _trend(periods: Periods, last: int, length: int, noise: Sequence[Noise]) -> Trend:
    first = last - length + 1
    points = periods.points[:, first : last + 1]
    known = np.isfinite(points)
    count = known.sum(axis=1)
    some = np.maximum(count, 1)
    place = np.arange(length) - (length - 1) / 2
    places = np.where(known, place - ((known * place).sum(axis=1) / some)[:, None], 0.0)
    means = np.where(known, points, 0.0).sum(axis=1) / some
    values = np.where(known, points - means[:, None], 0.0)
    squares = np.maximum((places**2).sum(axis=1), 1e-12)
    slope = (places * values).sum(axis=1) / squares
    total = (values**2).sum(axis=1)
    around_line = np.maximum(total - slope**2 * squares, 0.0)
    scatter = np.sqrt(around_line / np.maximum(count - 2, 1))
    change = slope * (length - 1)
    thirds, sizes = _thirds(values, known)
    steps = (np.diff(thirds, axis=0) * np.sign(slope)) >= LEAST_OF_THIRD * np.abs(thirds[2] - thirds[0])
    fits = (count >= max(FEWEST_POINTS, SHARE_OF_POINTS * length)) & (sizes > 0).all(axis=0)
    around_step = total - _gain_of_step(values, known)
    before = noise[max(first - 1, 0)]
    runs = max(1, int(periods.firsts[last + 1] - periods.firsts[first]))
    correlation = np.clip(before.correlation + MORE_CORRELATION, 0.0, MOST_CORRELATION)
    error = SD_OF_MAD * before.spread * np.sqrt(12 / runs * (1 + correlation) / (1 - correlation))
    around = scatter * np.sqrt(12 / some)
    enough = before.known >= FEWEST_BEFORE
    margin = np.where(enough, np.maximum(ERRORS * error, SCATTERS * scatter), SCATTERS_ALONE * scatter)
    return Trend(
        length=length,
        linear=fits & steps.all(axis=0) & (around_step > BETTER_THAN_LEVELS * around_line),
        fits=fits,
        change=change,
        error=np.where(enough, np.maximum(error, around), around),
        margin=np.maximum(LEAST, margin),
        per_day=slope / PERIOD_DAYS,
        start=means - slope * ((known * place).sum(axis=1) / some + length / 2),
    )


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
    """Return whether a line fits the points of one series better than levels that begin at these places."""
    known = np.flatnonzero(np.isfinite(points))
    values = points[known]
    line = np.polyval(np.polyfit(known, values, 1), known)
    level = np.searchsorted(np.asarray(sorted(starts)), known, side="right")
    means = np.bincount(level, values) / np.maximum(np.bincount(level), 1)
    around_levels = float(((values - means[level]) ** 2).sum())
    return around_levels > BETTER_THAN_LEVELS * float(((values - line) ** 2).sum())
