"""Charts of the times of a case over months, as SVG in the page: a large one, and one for a row of a table.

A chart is stretched to the width of its place; strokes and dots keep their size. All points are in few paths: a page of
hundreds of charts stays small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from shflbench.output.export.history.axes import SIDE, AxisScale, day_scale, day_ticks, gaps, time_scale, time_ticks
from shflbench.output.export.html.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.analysis.history.levels import Floats
    from shflbench.analysis.history.segments import LevelSegment

MOST_POINTS = 240  # of a large chart, and
MOST_SMALL = 80  # of a small one: each is the median of several runs where there are more
CONFIDENCE = 1.96
UNIT = 80  # units from the top, where the unit of the times stands
EDGE = 60  # units from the side, where the text of a date would be cut


@dataclass(frozen=True, slots=True)
class StepMark:
    """A change in a chart."""

    day: float
    number: int  # in the list below the chart
    text: str
    kind: str  # class: slower, faster or marked


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCourse:
    """The times of a case, and what a chart says of them."""

    case: str
    days: Floats  # of all runs
    times: Floats  # µs, NaN where it was not timed
    errors: Floats  # standard errors as fractions, NaN if unknown
    segments: tuple[LevelSegment, ...]
    steps: tuple[StepMark, ...]
    notes: tuple[tuple[float, str], ...]  # day, and what changed on the machine


@dataclass(frozen=True, slots=True)
class _Points:
    """Points of a chart, each of one run or of several."""

    days: Floats
    times: Floats
    lows: Floats
    highs: Floats
    runs_per_point: int


def describe(of: CaseCourse) -> str:
    """Return what a chart shows, for people who do not see it."""
    levels = " then ".join(f"{segment.time_us:.4g} µs" for segment in of.segments)
    changes = "; ".join(step.text for step in of.steps)
    return f"Times of {of.case}: {levels or 'none'}. {f'Changes: {changes}' if changes else 'No change'}."


def chart(of: CaseCourse) -> Markup:
    """Return a large chart: points with intervals, levels, changes, and periods without runs."""
    known = np.isfinite(of.times)
    if not known.any():
        return Markup("")
    points = _points(of, MOST_POINTS)
    across, up = day_scale(of.days), time_scale(of.times[known], _levels(of.segments))
    times = [(place, text) for place, text in time_ticks(up) if place > UNIT]
    dates = day_ticks(across)
    return Markup("").join(
        (
            Markup('<svg class="scale" aria-hidden="true">'),
            *(_text("100%", place, text, "end") for place, text in times),
            _text("100%", 0, "µs", "end"),
            Markup('</svg><svg class="plot" viewBox="0 0 {0} {0}" preserveAspectRatio="none" role="img" ').format(SIDE),
            Markup('aria-label="{}">').format(visible(describe(of))),
            _path("grid", (f"M0 {place}H{SIDE}" for place, _ in times)),
            _path("grid", (f"M{place} 0V{SIDE}" for place, _ in dates)),
            *_gap_areas(of.days[known], across),
            *_notes(of.notes, across),
            *_level_intervals(of, across, up),
            _path("interval", _intervals(points, across, up)),
            _path("points", _dots(points, across, up, inside=True)),
            _path("outside", _dots(points, across, up, inside=False)),
            _path("level", _level_lines(of, across, up)),
            *_steps(of.steps, across),
            Markup('</svg><svg class="dates" aria-hidden="true">'),
            *(_date(place, text) for place, text in dates),
            Markup("</svg>"),
        )
    )


def small_chart(of: CaseCourse) -> Markup:
    """Return a chart for a row of a table: the course of the times, and where they changed."""
    known = np.isfinite(of.times)
    if not known.any():
        return Markup("")
    points = _points(of, MOST_SMALL)
    across, up = day_scale(of.days), time_scale(of.times[known], _levels(of.segments))
    return Markup("").join(
        (
            Markup('<svg class="small" viewBox="0 0 {0} {0}" preserveAspectRatio="none" role="img" ').format(SIDE),
            Markup('aria-label="{}">').format(visible(describe(of))),
            _path("course", _course(points, across, up, gaps(of.days[known]))),
            *(_path(f"step {step.kind}", [f"M{across.place(step.day)} 0V{SIDE}"]) for step in of.steps),
            Markup("</svg>"),
        )
    )


def captions(of: CaseCourse) -> Iterator[str]:
    """Yield what has to be known of the points of a large chart."""
    known = np.isfinite(of.times)
    if not known.any():
        yield "It was never timed."
        return
    points = _points(of, MOST_POINTS)
    if points.runs_per_point > 1:
        yield f"Each point is the median of {points.runs_per_point} runs, its line spans the middle half of them."
    else:
        yield "Each point is a run with its 95% interval."
    up = time_scale(of.times[known], _levels(of.segments))
    if beyond := sum(not up.contains(time) for time in points.times.tolist()):
        yield f"{beyond} {'lies' if beyond == 1 else 'lie'} outside the scale, drawn at its edge."


def _levels(segments: Iterable[LevelSegment]) -> list[float]:
    return [time for segment in segments for _, time in segment.line]


def _points(of: CaseCourse, most: int) -> _Points:
    """Return at most about so many points; none is of runs on both sides of a change."""
    known = int(np.isfinite(of.times).sum())
    per_point = -(-known // most)
    if per_point == 1:
        place = np.flatnonzero(np.isfinite(of.times))
        times = of.times[place]
        half = CONFIDENCE * np.nan_to_num(of.errors[place]) * times
        return _Points(of.days[place], times, times - half, times + half, 1)
    parts = [part for segment in of.segments for part in _binned(of, segment, per_point)]
    days, times, lows, highs = np.concatenate(parts).T
    return _Points(days, times, lows, highs, per_point)


def _binned(of: CaseCourse, segment: LevelSegment, size: int) -> Iterator[Floats]:
    """Yield day, median and quartiles of each so many runs of a level, and of those that remain."""
    timed = segment.first + np.flatnonzero(np.isfinite(of.times[segment.first : segment.last + 1]))
    whole = len(timed) // size * size
    for part in (timed[:whole].reshape(-1, size), timed[whole:].reshape(1, -1)):
        if part.size:
            ranked = np.sort(of.times[part], axis=1)
            quartiles = [ranked[:, part.shape[1] * quarter // 4] for quarter in (2, 1, 3)]
            yield np.column_stack([of.days[part[:, part.shape[1] // 2]], *quartiles])


def _path(kind: str, parts: Iterable[str]) -> Markup:
    """Return a path of a class; nothing for an empty one."""
    line = "".join(parts)
    return Markup('<path class="{}" d="{}"/>').format(kind, line) if line else Markup("")


def _dots(points: _Points, across: AxisScale, up: AxisScale, *, inside: bool) -> Iterator[str]:
    """Yield a line without a length, which round ends make a dot, for each point inside the scale, or outside."""
    chosen = ((points.times >= up.low) & (points.times <= up.high)) == inside
    for x, y in zip(across.places(points.days[chosen]), up.places(points.times[chosen]), strict=True):
        yield f"M{x} {y}h0"


def _intervals(points: _Points, across: AxisScale, up: AxisScale) -> Iterator[str]:
    ends = zip(across.places(points.days), up.places(points.lows), up.places(points.highs), strict=True)
    return (f"M{x} {below}V{above}" for x, below, above in ends if below != above)


def _course(points: _Points, across: AxisScale, up: AxisScale, empty: Iterable[tuple[float, float]]) -> Iterator[str]:
    """Yield a line through all points, interrupted where nothing was measured."""
    ends = np.sort([end for _, end in empty])
    piece = np.searchsorted(ends, points.days, side="right").tolist()
    before = None
    for number, x, y in zip(piece, across.places(points.days), up.places(points.times), strict=True):
        yield f"L{x} {y}" if number == before else f"M{x} {y}h0"
        before = number


def _level_lines(of: CaseCourse, across: AxisScale, up: AxisScale) -> Iterator[str]:
    """Yield the line of each level, interrupted where nothing was measured."""
    empty = [*gaps(of.days[np.isfinite(of.times)])]
    for segment in of.segments:
        ends = [(float(of.days[run]), time) for run, time in segment.line]
        if _is_level(segment):
            inside = [day for gap in empty if ends[0][0] <= gap[0] and gap[1] <= ends[-1][0] for day in gap]
            days = sorted([ends[0][0], *inside, ends[-1][0]])
            height = up.place(segment.time_us)
            for begin, end in zip(days[::2], days[1::2], strict=True):
                yield f"M{across.place(begin)} {height}H{across.place(end)}"
        else:
            yield "".join(
                f"{'L' if place else 'M'}{across.place(day)} {up.place(time)}" for place, (day, time) in enumerate(ends)
            )


def _is_level(segment: LevelSegment) -> bool:
    """Whether the times stayed the same, without a drift."""
    return len({time for _, time in segment.line}) == 1


def _level_intervals(of: CaseCourse, across: AxisScale, up: AxisScale) -> Iterator[Markup]:
    """Yield the 95% interval of each level; that of a drift says nothing."""
    for segment in of.segments:
        if segment.error is None or not _is_level(segment):
            continue
        start, end = (across.place(float(of.days[run])) for run in (segment.first, segment.last))
        top, bottom = (up.place(segment.time_us * (1 + sign * segment.error)) for sign in (1, -1))
        yield Markup('<rect class="band" x="{}" y="{}" width="{}" height="{}"/>').format(
            start, top, end - start, bottom - top
        )


def _gap_areas(days: Floats, across: AxisScale) -> Iterator[Markup]:
    for begin, end in gaps(days):
        start, width = across.place(begin), across.place(end) - across.place(begin)
        yield Markup('<rect class="gap" x="{}" y="0" width="{}" height="{}"><title>not timed</title></rect>').format(
            start, width, SIDE
        )


def _notes(notes: Iterable[tuple[float, str]], across: AxisScale) -> Iterator[Markup]:
    for day, text in notes:
        place = across.place(day)
        yield Markup('<g class="note"><title>{}</title><path d="M{} {}V{}"/></g>').format(
            visible(text), place, SIDE - 60, SIDE
        )


def _steps(steps: Iterable[StepMark], across: AxisScale) -> Iterator[Markup]:
    for step in steps:
        line = f"M{across.place(step.day)} 0V{SIDE}"
        yield Markup('<g class="step {}"><title>{}: {}</title><path d="{}"/><path class="hit" d="{}"/></g>').format(
            step.kind, step.number, visible(step.text), line, line
        )


def _text(x: str, y: int, text: str, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}%" text-anchor="{}" dy=".35em">{}</text>').format(
        x, round(100 * y / SIDE, 1), anchor, text
    )


def _date(place: int, text: str) -> Markup:
    anchor = "start" if place < EDGE else "end" if place > SIDE - EDGE else "middle"
    return Markup('<text x="{}%" y="1em" text-anchor="{}">{}</text>').format(round(100 * place / SIDE, 1), anchor, text)
