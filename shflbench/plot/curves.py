"""Time or bandwidth per variant as curves over one factor, a panel for each setting of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from shflbench.analysis.settings import GRID, words
from shflbench.grouping import group_by
from shflbench.model import Mechanism
from shflbench.plot.axis import axis_of, scale
from shflbench.plot.findings import uncounted, winners
from shflbench.plot.page import Page
from shflbench.plot.quantity import TIME, quantity_of
from shflbench.plot.shapes import grid_words, size_of
from shflbench.plot.style import BODY_PT, colour, fit_size
from shflbench.plot.subject import parts, untimed_notes
from shflbench.plot.sweeps import sweeps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from matplotlib.axes import Axes

    from shflbench.plot.axis import Axis
    from shflbench.plot.quantity import Quantity
    from shflbench.plot.style import Look
    from shflbench.plot.subject import ChartSubject
    from shflbench.store import Row

MOST_PANELS = 12  # in one figure
_ABREAST = 3  # panels side by side
_LEFT, _GAP = 0.65, 0.35  # inches: room for the axis at the left, and between panels
_HEADING, _HEIGHT, _AXIS = 0.34, 1.75, 0.5  # inches above, of and below a panel
_ALONE = 2.6  # inches: the height of the panels of a single line
# Variants of one mechanism share its colour; line and marker tell them apart.
_SAFE_LOOKS = (("-", "o"), ("--", "s"), ("-.", "^"), ((0, (6, 1.5)), "D"), ((0, (1, 1)), "v"), ((0, (3, 1, 1, 1)), "P"))
_UNSAFE_LOOKS = ((":", "o"), (":", "s"), (":", "^"))  # dotted with hollow markers: what the hatch is to a bar


def pages(subject: ChartSubject) -> Iterator[tuple[str, Page]]:
    """Yield the pages of each sweep, several where its panels are too many for one."""
    for sweep in sweeps(subject):
        about = subject.part(sweep.rows)
        for ending, part in parts(about, MOST_PANELS, sweep.drawn):
            name = f"{quantity_of(part).name}-by-{axis_of(part, sweep.factor).name}{ending}"
            yield name, draw(part, sweep.factor, sweep.drawn)


def draw(subject: ChartSubject, factor: str, drawn: Collection[str] = ()) -> Page:
    """Draw a curve for each variant over a factor, with its intervals, on the same axes in all panels.

    `drawn` are all factors that change along the axis, if there are more than the one.
    """
    quantity, axis = quantity_of(subject), axis_of(subject, factor)
    panels = _panels(subject, drawn or {factor})
    looks = _looks(subject)
    abreast = min(_ABREAST, len(panels))
    lines = -(-len(panels) // abreast)
    height = _ALONE if lines == 1 else _HEIGHT
    above = _HEADING if any(panels) else 0.1
    page = Page(
        title=winners(subject),
        subtitle=(
            f"{quantity.words.capitalize()}{subject.shared_setting}; {_better(quantity)} is better.",
            "Library calls show what they compile to and do not compete." if _has_library(subject.timed) else "",
        ),
        caption=subject.caption,
        notes=uncounted(subject) + untimed_notes(subject.rows),
        legend=[Line2D([], [], **look) for look in looks.values()],
        body=lines * (above + height + _AXIS),
    )
    width = (page.width - _LEFT - (abreast - 1) * _GAP - 0.1) / abreast
    for number, (heading, rows) in enumerate(panels.items()):
        line, place = divmod(number, abreast)
        x, top = _LEFT + place * (width + _GAP), line * (above + height + _AXIS)
        page.text(x, top + 0.11, heading, size=fit_size(heading, width, BODY_PT, "bold"))
        axes = page.axes(x, top + above, width, height)
        scale(axes, axis, subject.timed, width)
        _upright(axes, subject.timed, quantity, leftmost=place == 0)
        for variant, look in looks.items():
            _curve(axes, [row for row in rows if row.variant == variant], axis, quantity, look)
    return page


def _better(quantity: Quantity) -> str:
    return "higher" if quantity.more_is_better else "lower"


def _has_library(rows: Sequence[Row]) -> bool:
    return any(row.mechanism == Mechanism.LIBRARY for row in rows)


def _panels(subject: ChartSubject, drawn: Collection[str]) -> dict[str, list[Row]]:
    """Return the timed rows by heading: whatever varies beside what is drawn; grids from small to large."""
    panels = group_by(subject.timed, lambda row: tuple(subject.distinct_factors(row, drawn).items()))
    others = list(dict.fromkeys(words({n: v for n, v in setting if n != GRID}) for setting in panels))

    def rank(item: tuple[tuple[tuple[str, str], ...], list[Row]]) -> tuple[int, float]:
        setting = dict(item[0])
        return others.index(words({n: v for n, v in setting.items() if n != GRID})), size_of(item[1][0])

    headings = {_heading(dict(setting), rows): rows for setting, rows in sorted(panels.items(), key=rank)}
    named = [heading for heading in headings if heading]
    # Cases that leave out an option that others have.
    return {heading or f"not {' or '.join(named)}" if named else heading: rows for heading, rows in headings.items()}


def _heading(setting: dict[str, str], rows: Sequence[Row]) -> str:
    grid = grid_words(rows) if setting.pop(GRID, None) else ""
    return ", ".join(filter(None, (words(setting), grid)))


def _looks(subject: ChartSubject) -> dict[str, Look]:
    """Return how the curve and the legend entry of each timed variant are drawn, in the order of the suite."""
    looks: dict[str, Look] = {}
    timed = {row.variant for row in subject.timed}
    for row in subject.rows:
        if row.variant in looks or row.variant not in timed:
            continue
        full, styles = colour(row), _SAFE_LOOKS if row.safe else _UNSAFE_LOOKS
        rank = sum(look["color"] == full for look in looks.values())
        line, marker = styles[rank % len(styles)]
        looks[row.variant] = {
            "label": row.variant if row.safe else f"{row.variant} (UNSAFE)",
            "color": full,
            "linestyle": line,
            "linewidth": 1.6,
            "marker": marker,
            "markersize": 4.5,
            "markerfacecolor": full if row.safe else "white",
            "zorder": 1.9 if row.mechanism == Mechanism.LIBRARY else 2.0,  # what a library does lies below our own
        }
    return looks


def _upright(axes: Axes, rows: Sequence[Row], quantity: Quantity, *, leftmost: bool) -> None:
    """Scale y: times by factors, bandwidths from zero, because there the last few per cent count."""
    values = [quantity.value(row) for row in rows]
    if quantity is TIME:
        axes.set_yscale("log")
        axes.set_ylim(min(values) / 1.25, max(values) * 1.25)
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, max(values) * 1.06)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.tick_params(axis="y", labelleft=leftmost)
    axes.grid(visible=True)
    if leftmost:
        axes.set_ylabel(quantity.label)


def _curve(axes: Axes, rows: Sequence[Row], axis: Axis, quantity: Quantity, look: Look) -> None:
    placed = {place: row for row in rows if (place := axis.place(row)) is not None}
    places = sorted(placed)
    values = [quantity.value(placed[place]) for place in places]
    axes.plot(places, values, **look)
    ends = [quantity.interval(placed[place]) or (value, value) for place, value in zip(places, values, strict=True)]
    axes.vlines(places, [low for low, _ in ends], [high for _, high in ends], color=look["color"], linewidth=1.2)
