"""Time or bandwidth per variant as curves over one factor, a panel per setting of the others."""

from __future__ import annotations

from functools import partial
from math import nan
from operator import itemgetter
from typing import TYPE_CHECKING

from shflbench.analysis.settings import GRID, words
from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.output.plot.answers import answer
from shflbench.output.plot.axis import axis_of, is_broken, places, scale
from shflbench.output.plot.chart import Chart
from shflbench.output.plot.findings import note_uncounted
from shflbench.output.plot.looks import curves_of, joined_note, points_of
from shflbench.output.plot.page import Page
from shflbench.output.plot.quantity import quantity_of
from shflbench.output.plot.shapes import grid_words, size_of
from shflbench.output.plot.style import BODY_PT, fit_size
from shflbench.output.plot.subject import parts, untimed_notes
from shflbench.output.plot.sweeps import blocks_along, sweeps
from shflbench.output.plot.vertical import vertical_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from matplotlib.axes import Axes

    from shflbench.output.plot.axis import Axis
    from shflbench.output.plot.looks import Curve
    from shflbench.output.plot.quantity import Quantity
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

MOST_PANELS = 12  # in one figure
_ABREAST = 3  # panels side by side
_LEFT, _GAP = 0.65, 0.35  # inches: room for the axis at the left, and between panels
_HEADING, _HEIGHT, _AXIS = 0.34, 1.75, 0.5  # inches above, of and below a panel
_ALONE = 2.6  # inches: the height of the panels of a single line


def charts(subject: ChartSubject) -> Iterator[Chart]:
    """Yield the charts of each sweep, several where its panels are too many for one."""
    for sweep in sweeps(subject):
        about = subject.part(sweep.rows)
        for ending, part in parts(about, MOST_PANELS, sweep.drawn):
            kind = f"{quantity_of(part).name}-by-{axis_of(part, sweep.factor).name}"
            yield Chart(kind, part, partial(draw, part, sweep.factor, sweep.drawn), ending)


def draw(subject: ChartSubject, factor: str, drawn: Collection[str] = ()) -> Page:
    """Draw a curve for each variant over a factor, with its intervals, on the same axes in all panels.

    `drawn` are all factors that change along the axis, if it has more than one. Curves that coincide everywhere are
    drawn as one, striped in the colors of their mechanisms; of those that coincide in part, the lower ones are wider
    and paler, so that all can be seen.
    """
    quantity, axis = quantity_of(subject), axis_of(subject, factor)
    panels = _panels(subject, drawn or {factor})
    vertical = vertical_of(([quantity.value(row) for row in rows if row.time_us] for rows in subject.groups), quantity)
    abreast = min(_ABREAST, len(panels))
    lines = -(-len(panels) // abreast)
    height = _ALONE if lines == 1 else _HEIGHT
    above = _HEADING if any(panels) else 0.1
    points = points_of(panels.values(), axis, vertical, height)
    curves = curves_of(subject, points, axis)
    page = Page(
        title=answer(subject, factor, drawn),
        subtitle=(
            f"{quantity.words.capitalize()}{subject.shared_setting}; {_better(quantity)} is better.",
            "Library calls are drawn for comparison." if _has_library(subject.timed) else "",
        ),
        caption=subject.caption,
        scope=subject.group_names,
        notes=[
            *joined_note(curves, points),
            *note_uncounted(subject),
            *blocks_along(subject.rows, factor, drawn),
            *untimed_notes(subject.rows),
        ],
        legend=[curve.handle for curve in curves],
        body=lines * (above + height + _AXIS),
    )
    broken = is_broken(places(axis, subject.timed))
    width = (page.width - _LEFT - (abreast - 1) * _GAP - 0.1) / abreast
    for number, (heading, rows) in enumerate(panels.items()):
        line, place = divmod(number, abreast)
        x, top = _LEFT + place * (width + _GAP), line * (above + height + _AXIS)
        page.text(x, top + 0.11, heading, size=fit_size(heading, width, BODY_PT, "bold"))
        axes = page.axes(x, top + above, width, height)
        scale(axes, axis, subject.timed, width)
        vertical.scale(axes, leftmost=place == 0)
        for curve in curves:
            of_curve = [row for row in rows if row.variant == curve.variants[0]]
            _curve(axes, of_curve, axis, quantity, curve, broken=broken)
    return page


def _better(quantity: Quantity) -> str:
    return "higher" if quantity.more_is_better else "lower"


def _has_library(rows: Sequence[Row]) -> bool:
    return any(row.mechanism == Mechanism.LIBRARY for row in rows)


def _panels(subject: ChartSubject, drawn: Collection[str]) -> dict[str, list[Row]]:
    """Return the timed rows by heading: the factors that vary and are not drawn; grids from small to large."""
    panels = group_by(subject.timed, lambda row: tuple(subject.distinct_factors(row, drawn).items()))
    others = list(dict.fromkeys(words({n: v for n, v in setting if n != GRID}) for setting in panels))

    def rank(item: tuple[tuple[tuple[str, str], ...], list[Row]]) -> tuple[int, float]:
        setting = dict(item[0])
        return others.index(words({n: v for n, v in setting.items() if n != GRID})), size_of(item[1][0])

    headings = {_heading(dict(setting), rows): rows for setting, rows in sorted(panels.items(), key=rank)}
    named = [heading for heading in headings if heading]
    # Cases without an option that others have.
    return {heading or f"not {' or '.join(named)}" if named else heading: rows for heading, rows in headings.items()}


def _heading(setting: dict[str, str], rows: Sequence[Row]) -> str:
    grid = grid_words(rows) if setting.pop(GRID, None) else ""
    return ", ".join(filter(None, (words(setting), grid)))


def _curve(  # noqa: PLR0913  (axes, what is drawn, and how)
    axes: Axes, rows: Sequence[Row], axis: Axis, quantity: Quantity, curve: Curve, *, broken: bool
) -> None:
    placed = sorted(((place, row) for row in rows if (place := axis.place(row)) is not None), key=itemgetter(0))
    ordered = [place for place, _ in placed]
    values = [quantity.value(row) for _, row in placed]
    ends = [quantity.interval(row) or (value, value) for (_, row), value in zip(placed, values, strict=True)]
    axes.vlines(ordered, [low for low, _ in ends], [high for _, high in ends], color=curve.looks[0]["color"], lw=1.2)
    if broken and len(ordered) > 1 and ordered[0] <= 0:  # no line across the break of the axis
        ordered, values = [*ordered[:1], nan, *ordered[1:]], [*values[:1], nan, *values[1:]]
    for look in curve.looks:
        axes.plot(ordered, values, **look, label=curve.label)
