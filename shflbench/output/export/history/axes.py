"""Scales and ticks of the charts of a history: days from side to side, times upwards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.history.levels import Floats

SIDE = 1000  # units of a chart in both directions: it is stretched to the width of the page
SECONDS_PER_DAY = 86_400
MONTHS = (1, 2, 3, 6, 12, 24, 60)
DAYS = (1, 2, 7, 14)
MOST_DATES, MOST_TIMES = 6, 4
FIRST_OF_MONTHS = 75  # days of a chart that has ticks at the beginning of months
TAIL = 2.0  # percent of the points at each side that do not widen the range alone
ROOM = 0.6  # of the range within the tails: points so far beyond are still in the range
MARGIN = 0.08


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A range of values, and their places in a chart."""

    low: float
    high: float
    is_upward: bool = False

    def place(self, value: float) -> int:
        """Return the place of a value; one beyond the range is at its end."""
        part = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(SIDE * (1 - part if self.is_upward else part))

    def places(self, values: Floats) -> list[int]:
        """Return the places of many values."""
        parts = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        places: list[int] = np.rint(SIDE * (1 - parts if self.is_upward else parts)).astype(int).tolist()
        return places

    def contains(self, value: float) -> bool:
        """Whether a value is in the range."""
        return self.low <= value <= self.high


def day_scale(days: Floats) -> AxisScale:
    """Return the scale of all runs."""
    room = max(0.02 * float(days[-1] - days[0]), 0.5)
    return AxisScale(float(days[0]) - room, float(days[-1]) + room)


def time_scale(times: Floats, levels: list[float]) -> AxisScale:
    """Return the scale of times in µs, without outliers, which would make the levels flat."""
    least, most = (float(end) for end in np.percentile(times, [TAIL, 100 - TAIL]))
    least, most = min([least, *levels]), max([most, *levels])
    room = ROOM * (most - least)
    inside = times[(times >= least - room) & (times <= most + room)]
    least, most = min(least, float(inside.min())), max(most, float(inside.max()))
    margin = max(MARGIN * (most - least), 0.002 * most)
    return AxisScale(least - margin, most + margin, is_upward=True)


def time_ticks(scale: AxisScale) -> list[tuple[int, str]]:
    """Return places and texts of round times."""
    step = _round_step((scale.high - scale.low) / MOST_TIMES)
    first, last = math.ceil(scale.low / step), math.floor(scale.high / step)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [(scale.place(number * step), f"{number * step:,.{digits}f}") for number in range(first, last + 1)]


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is not less."""
    power: float = 10 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def day_ticks(scale: AxisScale) -> list[tuple[int, str]]:
    """Return places and texts of dates: days, or the beginning of months and years."""
    first, last = (datetime.fromtimestamp(end * SECONDS_PER_DAY, UTC).date() for end in (scale.low, scale.high))
    dates = _months(first, last) if (last - first).days >= FIRST_OF_MONTHS else _days(first, last)
    ticks = [(_start(day), f"{day:%Y-%m}" if day.day == 1 and dates.by_month else f"{day}") for day in dates.days]
    return [(scale.place(start), text) for start, text in ticks if scale.contains(start)]


@dataclass(frozen=True, slots=True)
class _Dates:
    days: tuple[date, ...]
    by_month: bool


def _months(first: date, last: date) -> _Dates:
    months = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
    step = next((step for step in MONTHS if len(months) / step <= MOST_DATES), MONTHS[-1])
    return _Dates(tuple(date(month // 12, month % 12 + 1, 1) for month in months if month % step == 0), by_month=True)


def _days(first: date, last: date) -> _Dates:
    length = (last - first).days + 1
    step = next((step for step in DAYS if length / step <= MOST_DATES), 28)
    return _Dates(tuple(first + timedelta(days=place) for place in range(0, length, step)), by_month=False)


def _start(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() / SECONDS_PER_DAY


def gaps(days: Floats) -> Iterator[tuple[float, float]]:
    """Yield the ends of each period without a run that is much longer than is usual."""
    if len(days) < 3:  # noqa: PLR2004  (nothing is usual)
        return
    distances = np.diff(days)
    usual = max(float(np.median(distances)), 1 / 24)
    for place in np.flatnonzero(distances > LONG_GAP * usual):
        yield float(days[place]), float(days[place + 1])


LONG_GAP = 3.5  # times the usual distance: three runs in a row are missing
