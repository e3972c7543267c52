"""Charts as tables: a bar for the time of each variant, and its speeds in all settings as points.

A row of a chart is a row of a table, which a screen reader reads and which fits every width: positions are percentages.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from shflbench.analysis.answers.request import distance, usual_request
from shflbench.analysis.ranking import times, times_range
from shflbench.analysis.settings import common_factors, factors, one_pass, words
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.output.export.html.content import Bar, BarChart, SpeedStrip, StripChart
from shflbench.output.export.html.selection import by_setting
from shflbench.output.export.html.texts import number, short, whole_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.output.export.html.selection import TimedRow

_ROOM = 98.0  # percent of the width that the longest bar takes: the end of its interval must fit
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
_FINE_TICKS = (0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.5, 3.0)
_FEWEST_TICKS = 3
_TICK_ROOM = 17.0  # percent of the width between two ticks: their texts must not touch in a narrow chart
_LEAST, _MOST = 1e-4, 1e4  # speed-ups that a chart shows: others are no measurements


def usual_setting(rows: Sequence[TimedRow]) -> list[TimedRow]:
    """Return the rows of the pattern's usual setting, or of the measured one nearest to it: that of `advise`."""
    request = usual_request(rows[0].row.pattern, device=rows[0].run.info.device)
    settings = by_setting(rows)
    timed = [group for group in settings if any(_positive(item.row.time_us) for item in group)]
    return min(timed or settings, key=lambda group: distance(request, group[0].row))


def bar_chart(rows: Sequence[TimedRow]) -> BarChart | None:
    """Return the times of the variants of one setting, fastest first; None where none has a time."""
    timed = [item for item in rows if _positive(item.row.time_us)]
    if not timed:
        return None
    longest = max(max(item.row.time_us or 0.0, item.row.time_high_us or 0.0) for item in timed)
    ranked = sorted(rows, key=lambda item: _positive(item.row.time_us) or math.inf)
    first = timed[0].row
    return BarChart(
        caption=" at ".join(filter(None, (first.pattern, words(factors(first))))),
        quantity="time of one pass" if first.mechanism and one_pass(first) else "time of one launch",
        baseline=next((item.row.baseline for item in timed if item.row.baseline), ""),
        bars=tuple(_bar(item, longest) for item in ranked),
    )


def _bar(item: TimedRow, longest: float) -> Bar:
    row, limit = item.row, item.limit
    scale = _ROOM / longest
    time = _positive(row.time_us)
    ends = [_positive(end) if time else None for end in (row.time_low_us, row.time_high_us)]
    low, high = (None if end is None else round(min(scale * end, 100.0), 2) for end in ends)
    least = _positive(limit.limit_us) if limit and time else None
    at = None if least is None else round(scale * least, 2)
    return Bar(
        variant=row.variant,
        mechanism=row.mechanism,
        is_safe=row.safe,
        length=round(scale * time, 2) if time else 0.0,
        low=low,
        high=high,
        limit_at=at if at is not None and at <= 100 else None,  # noqa: PLR2004  (percent)
        time=f"{number(time)} µs" if time else "",
        speed="1×"
        if row.variant == row.baseline
        else times(row.speedup)
        if row.speedup and _shown(row.speedup)
        else "",
        limit=f"{limit.mark}{whole_percent(limit.limit_fraction)} {limit.limit_by or ''}"
        if limit and limit.limit_fraction
        else "",
        note="" if time else short(f"{row.status}: {row.reason}" if row.reason else row.status.value),
    )


def strip_chart(rows: Sequence[TimedRow]) -> StripChart | None:
    """Return the speed of each variant relative to the baseline, setting by setting; None for a single setting."""
    sped = [item for item in rows if _shown(item.row.speedup) and item.row.variant != item.row.baseline]
    settings = [group for group in by_setting(rows) if any(_shown(item.row.speedup) for item in group)]
    if not sped or len(settings) < 2:  # noqa: PLR2004  (the bars show a single one)
        return None
    speeds = [item.row.speedup or 1.0 for item in sped]
    low, high = min(1.0, *speeds) * 0.93, max(1.0, *speeds) * 1.07
    span = math.log(high / low)

    def place(speed: float) -> float:
        return round(100 * math.log(speed / low) / span, 2)

    baseline = Counter(item.row.baseline for item in sped if item.row.baseline).most_common(1)[0][0]
    by_variant = group_by(sped, lambda item: item.row.variant)
    strips = [_strip(variant, items, place) for variant, items in by_variant.items()]
    common = words(common_factors(factors(item.row) for item in rows))
    where = f", {common}" if common else ""
    return StripChart(
        caption=f"{rows[0].row.pattern} in {count_noun(len(settings), 'setting')}{where}",
        baseline=baseline,
        ticks=tuple((place(tick), f"{tick:g}×") for tick in _ticks(low, high, place)),
        strips=tuple(sorted(strips, key=lambda strip: -sum(strip.points) / len(strip.points))),
    )


def _ticks(low: float, high: float, place: Callable[[float], float]) -> list[float]:
    """Return 1 and round speeds on both sides of it, as many as there is room for; finer ones where they are few."""
    coarse = _fitting(_TICKS, low, high, place)
    return coarse if len(coarse) >= _FEWEST_TICKS else _fitting(sorted({*_TICKS, *_FINE_TICKS}), low, high, place)


def _fitting(ticks: Sequence[float], low: float, high: float, place: Callable[[float], float]) -> list[float]:
    kept = [1.0]
    above = [tick for tick in ticks if 1 < tick <= high]
    below = [tick for tick in reversed(ticks) if low <= tick < 1]
    for side in (above, below):
        last = 1.0
        for tick in side:
            if abs(place(tick) - place(last)) >= _TICK_ROOM:
                kept.append(tick)
                last = tick
    return sorted(kept)


def _strip(variant: str, items: Sequence[TimedRow], place: Callable[[float], float]) -> SpeedStrip:
    speeds = [item.row.speedup or 1.0 for item in items]
    points = sorted({place(speed) for speed in speeds})
    first = items[0].row
    return SpeedStrip(
        variant=variant,
        mechanism=first.mechanism,
        is_safe=first.safe,
        points=tuple(points),
        low=points[0],
        high=points[-1],
        speeds=times_range(speeds),
        settings=len(items),
    )


def _positive(value: float | None) -> float | None:
    """Return a value that has a place in a chart; None for others, which only damaged files have."""
    return value if value is not None and math.isfinite(value) and value > 0 else None


def _shown(speed: float | None) -> bool:
    return speed is not None and _LEAST < speed < _MOST
