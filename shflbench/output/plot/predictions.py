"""The predicted time of each case against the measured one: one chart of the whole run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import hypot, log
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.output.plot.chart import Chart
from shflbench.output.plot.limiters import limiter_of, point_look, rank
from shflbench.output.plot.page import Page
from shflbench.output.plot.prediction_findings import BAND, note_unpredicted, prediction_error, predictions, tenth
from shflbench.output.plot.style import MUTED, SMALL_PT, shorten, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from shflbench.output.plot.prediction_findings import PredictedCase
    from shflbench.output.plot.style import Look
    from shflbench.output.plot.subject import ChartSubject

_NAMED = 3  # cases with the largest errors
_LEAST_REACH, _MOST_REACH = 0.15, 0.4  # of the axis of errors; a point beyond it becomes a triangle at its edge
_SIDE = 3.7  # inches: height and width of the left plot
_LEFT, _MIDDLE, _HEADING, _AXIS = 0.7, 0.75, 0.38, 0.55  # inches: labels of either plot, above and below them
_LINE, _INDENT = 0.18, 0.17  # inches per named case, and from its number to its words
_ROOM = 1.25  # between the outermost times and the ends of the axis, as a factor
_TWO_DECADES = 100.0  # up to which there is room for ticks at 1, 2 and 5
_OFFSETS = ((8, 0), (-8, 0), (0, 10), (0, -10), (8, 9), (-8, 9), (8, -9), (-8, -9), (15, 0), (-15, 0))  # of a number
_NEAR = 7.5  # points: closer numbers and marks overlap
_POINT: Look = {"markersize": 5.5, "markeredgewidth": 0.5, "clip_on": False}
_EQUAL: Look = {"color": MUTED, "linewidth": 0.9, "zorder": 0.9}
_TENTH: Look = {**_EQUAL, "linestyle": (0, (4, 3))}


def charts(subject: ChartSubject) -> Iterator[Chart]:
    """Yield one chart of the whole run, if a case has a prediction."""
    if predictions(subject):
        yield Chart("predictions", subject, partial(draw, subject), of_run=True)


def draw(subject: ChartSubject) -> Page:
    """Draw the predicted over the measured time, and the error over the measured time; the worst cases are named."""
    points = predictions(subject)
    scales = Scales.of(points)
    worst = sorted(points, key=lambda point: -abs(point.error))[:_NAMED]
    page = Page(
        title=prediction_error(subject),
        subtitle=(
            "A point is a case, filled by what sets its limit. Lines: equal, and 10% above and below.",
            f"The error of nine cases in ten is at most {tenth(points)}.",
        ),
        caption=subject.caption,
        notes=[*scales.beyond(points), *note_unpredicted(subject)],
        legend=[
            Line2D([], [], label=limiter_of(name).label, **_POINT, **point_look(name))
            for name in rank(point.limit_by for point in points)
        ],
        body=_HEADING + _SIDE + _AXIS + len(worst) * _LINE + 0.1,
    )
    width = page.width - _LEFT - _SIDE - _MIDDLE
    for begin, heading in ((_LEFT, "Prediction"), (_LEFT + _SIDE + _MIDDLE, "Error of the prediction")):
        page.text(begin, 0.12, heading)
    scales.draw_times(page.axes(_LEFT, _HEADING, _SIDE, _SIDE), points)
    errors = page.axes(_LEFT + _SIDE + _MIDDLE, _HEADING, width, _SIDE)
    scales.draw_errors(errors, points)
    scales.number(errors, points, worst, (72 * width, 72 * _SIDE))
    for number, point in enumerate(worst, start=1):
        unsafe = "" if point.row.safe else " (UNSAFE)"
        figures = f"{unsafe}: {point.words}"
        name = shorten(subject.name_of(point.row), 0.95 * page.width - width_of(figures, SMALL_PT), SMALL_PT)
        top = _HEADING + _SIDE + _AXIS + (number - 1) * _LINE
        page.text(0, top, str(number), size=SMALL_PT)
        page.text(_INDENT, top, name + figures, size=SMALL_PT, weight="normal")
    return page


@dataclass(frozen=True, slots=True)
class Scales:
    """The ends of the axes."""

    low: float  # µs
    high: float
    reach: float  # of the errors, as a fraction

    @classmethod
    def of(cls, points: Sequence[PredictedCase]) -> Scales:
        """Return the scales on which the points lie."""
        times = [time for point in points for time in (point.measured_us, point.predicted_us)]
        furthest = max(abs(point.error) for point in points)
        reach = min(max(1.1 * furthest, _LEAST_REACH), _MOST_REACH)
        return cls(min(times) / _ROOM, max(times) * _ROOM, reach)

    def draw_times(self, axes: Axes, points: Sequence[PredictedCase]) -> None:
        """Draw predicted over measured times, both by factors."""
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(self.low, self.high)
        axes.set_ylim(self.low, self.high)
        self._ticks(axes.xaxis)
        self._ticks(axes.yaxis)
        axes.grid(visible=True)
        axes.set_xlabel("measured time of one launch, µs", labelpad=2)
        axes.set_ylabel("predicted time, µs")
        for factor, look in ((1.0, _EQUAL), (1 + BAND, _TENTH), (1 - BAND, _TENTH)):
            axes.plot([self.low, self.high], [factor * self.low, factor * self.high], scaley=False, **look)
        for name, alike in self._by_limiter(points):
            measured = [point.measured_us for point in alike]
            axes.plot(measured, [point.predicted_us for point in alike], **_POINT, **point_look(name))

    def draw_errors(self, axes: Axes, points: Sequence[PredictedCase]) -> None:
        """Draw the errors over the measured times; one beyond the axis is a triangle at its edge."""
        axes.set_xscale("log")
        axes.set_xlim(self.low, self.high)
        axes.set_ylim(-100 * self.reach, 100 * self.reach)
        self._ticks(axes.xaxis)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _signed(value)))
        axes.grid(visible=True)
        axes.set_xlabel("measured time of one launch, µs", labelpad=2)
        axes.set_ylabel("from the measured time, %")
        for height, look in ((0, _EQUAL), (100 * BAND, _TENTH), (-100 * BAND, _TENTH)):
            axes.axhline(height, **look)
        for name, alike in self._by_limiter(points):
            for marker, some in group_by(alike, self._marker).items():
                measured = [point.measured_us for point in some]
                look = {**point_look(name), **({"marker": marker} if marker else {})}
                axes.plot(measured, [100 * self._inside(point) for point in some], **_POINT, **look)

    def number(
        self, axes: Axes, points: Sequence[PredictedCase], worst: Sequence[PredictedCase], size: tuple[float, float]
    ) -> None:
        """Write 1, 2, 3 beside the worst points of axes of `size` points, without overlaps if possible."""
        taken = [self._place(point, size) for point in points]
        for number, point in enumerate(worst, start=1):
            x, y = self._place(point, size)
            free = [(right, up) for right, up in _OFFSETS if _is_free((x + right, y + up), taken, size)]
            offset = next(iter(free), _OFFSETS[0])
            taken.append((x + offset[0], y + offset[1]))
            at = point.measured_us, 100 * self._inside(point)
            look: Look = {"textcoords": "offset points", "ha": "center", "va": "center"}
            axes.annotate(str(number), at, offset, size=SMALL_PT, weight="bold", **look)

    def _place(self, point: PredictedCase, size: tuple[float, float]) -> tuple[float, float]:
        """Return where the error of a case lies on axes of `size` points, in points from the lower left corner."""
        across = log(point.measured_us / self.low) / log(self.high / self.low)
        return size[0] * across, size[1] * (self._inside(point) + self.reach) / (2 * self.reach)

    def beyond(self, points: Sequence[PredictedCase]) -> list[str]:
        """Return a note on the errors beyond the axis."""
        far = sum(abs(point.error) > self.reach for point in points)
        return [f"Triangles: {count_noun(far, 'case')} beyond the axis of errors."] if far else []

    def _inside(self, point: PredictedCase) -> float:
        return max(-self.reach, min(self.reach, point.error))

    def _marker(self, point: PredictedCase) -> str:
        if abs(point.error) <= self.reach:
            return ""
        return "^" if point.error > 0 else "v"

    def _ticks(self, axis: Axis) -> None:
        few = self.high / self.low <= _TWO_DECADES
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
        axis.set_minor_locator(NullLocator())
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))

    @staticmethod
    def _by_limiter(points: Sequence[PredictedCase]) -> list[tuple[str | None, list[PredictedCase]]]:
        """Return the points by limiter, in the order of the legend."""
        alike = group_by(points, lambda point: point.limit_by)
        return [(name, alike[name]) for name in rank(alike)]


def _is_free(place: tuple[float, float], taken: Sequence[tuple[float, float]], size: tuple[float, float]) -> bool:
    """Return whether a number there lies on the axes and overlaps no other."""
    x, y = place
    inside = _NEAR < x < size[0] - _NEAR and _NEAR < y < size[1] - _NEAR
    return inside and all(hypot(x - other, y - above) > _NEAR for other, above in taken)


def _signed(value: float) -> str:
    return f"{value:+g}".replace("-", "\N{MINUS SIGN}") if value else "0"
