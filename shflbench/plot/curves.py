"""Time or bandwidth per variant as curves over one factor, a panel per setting of the others."""

from __future__ import annotations

from collections import Counter
from math import nan
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from shflbench.analysis.settings import GRID, words
from shflbench.grouping import group_by
from shflbench.model import Mechanism
from shflbench.plot.axis import axis_of, is_broken, places, scale
from shflbench.plot.findings import uncounted, winners
from shflbench.plot.page import Page
from shflbench.plot.quantity import quantity_of
from shflbench.plot.shapes import grid_words, size_of
from shflbench.plot.style import BODY_PT, color_of, fit_size, tint
from shflbench.plot.subject import parts, untimed_notes
from shflbench.plot.sweeps import blocks_along, sweeps
from shflbench.plot.vertical import depths, vertical_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from shflbench.plot.axis import Axis
    from shflbench.plot.quantity import Quantity
    from shflbench.plot.style import Look
    from shflbench.plot.subject import ChartSubject
    from shflbench.plot.vertical import Vertical
    from shflbench.store import Row

MOST_PANELS = 12  # in one figure
_ABREAST = 3  # panels side by side
_LEFT, _GAP = 0.65, 0.35  # inches: room for the axis at the left, and between panels
_HEADING, _HEIGHT, _AXIS = 0.34, 1.75, 0.5  # inches above, of and below a panel
_ALONE = 2.6  # inches: the height of the panels of a single line
_WIDER = 2.0, 2.6  # points per curve on top: width of the line, size of the marker
_PALE = 0.45  # strength of the color of a curve under another
_LOWER = 0.01  # in the order of drawing, per curve on top
# Variants of one mechanism share its color and differ in line and marker.
_SAFE_LOOKS = (("-", "o"), ("--", "s"), ("-.", "^"), ((0, (6, 1.5)), "D"), ((0, (1, 1)), "v"), ((0, (3, 1, 1, 1)), "P"))
_UNSAFE_LOOKS = ((":", "o"), (":", "s"), (":", "^"))  # dotted, with hollow markers, as a bar is hatched


def pages(subject: ChartSubject) -> Iterator[tuple[str, Page]]:
    """Yield the pages of each sweep, several where its panels are too many for one."""
    for sweep in sweeps(subject):
        about = subject.part(sweep.rows)
        for ending, part in parts(about, MOST_PANELS, sweep.drawn):
            name = f"{quantity_of(part).name}-by-{axis_of(part, sweep.factor).name}{ending}"
            yield name, draw(part, sweep.factor, sweep.drawn)


def draw(subject: ChartSubject, factor: str, drawn: Collection[str] = ()) -> Page:
    """Draw a curve for each variant over a factor, with its intervals, on the same axes in all panels.

    `drawn` are all factors that change along the axis, if it has more than one. Curves that coincide lie on one
    another, the lower ones wider and paler, so that all can be seen.
    """
    quantity, axis = quantity_of(subject), axis_of(subject, factor)
    panels = _panels(subject, drawn or {factor})
    vertical = vertical_of(([quantity.value(row) for row in rows if row.time_us] for rows in subject.groups), quantity)
    abreast = min(_ABREAST, len(panels))
    lines = -(-len(panels) // abreast)
    height = _ALONE if lines == 1 else _HEIGHT
    above = _HEADING if any(panels) else 0.1
    looks = _looks(subject, _depths(subject, panels.values(), axis, vertical, height))
    page = Page(
        title=winners(subject),
        subtitle=(
            f"{quantity.words.capitalize()}{subject.shared_setting}; {_better(quantity)} is better.",
            "Library calls show what they compile to and do not compete." if _has_library(subject.timed) else "",
        ),
        caption=subject.caption,
        scope=subject.group_names,
        notes=uncounted(subject) + blocks_along(subject.rows, factor, drawn) + untimed_notes(subject.rows),
        legend=[Line2D([], [], **looks[variant]) for variant in subject.variants if variant in looks],
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
        for variant, look in looks.items():
            _curve(axes, [row for row in rows if row.variant == variant], axis, quantity, look, broken=broken)
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


def _depths(
    subject: ChartSubject, panels: Iterable[Sequence[Row]], axis: Axis, vertical: Vertical, height: float
) -> dict[str, int]:
    """Return how deep each variant's curve lies under others: unsafe curves lie on top, libraries' at the bottom."""
    curves: list[dict[str, dict[float, float]]] = []
    for rows in panels:
        curves.append({})
        for row in rows:
            if (place := axis.place(row)) is not None:
                points = vertical.points(vertical.quantity.value(row), height)
                curves[-1].setdefault(row.variant, {})[place] = points
    rows_by_variant = {row.variant: row for row in subject.timed}
    order = sorted(rows_by_variant.values(), key=lambda row: (row.mechanism == Mechanism.LIBRARY, row.safe))
    return depths(curves, [row.variant for row in order])


def _looks(subject: ChartSubject, depth: Mapping[str, int]) -> dict[str, Look]:
    """Return how the curve and the legend entry of each timed variant are drawn."""
    looks: dict[str, Look] = {}
    ranks: Counter[str] = Counter()
    for row in {row.variant: row for row in subject.timed}.values():
        full, styles = color_of(row), _SAFE_LOOKS if row.safe else _UNSAFE_LOOKS
        line, marker = styles[ranks[full] % len(styles)]
        ranks[full] += 1
        level = depth[row.variant]
        shown = tint(full, _PALE) if level else full
        looks[row.variant] = {
            "label": row.variant if row.safe else f"{row.variant} (UNSAFE)",
            "color": shown,
            "linestyle": line if level == 0 else "-",  # dashes would vanish under the curves on top
            "solid_capstyle": "butt",
            "linewidth": 1.6 + _WIDER[0] * level,
            "marker": marker,
            "markersize": 4.5 + _WIDER[1] * level,
            "markerfacecolor": shown if row.safe else "white",
            "zorder": (1.9 if row.mechanism == Mechanism.LIBRARY else 2.0) - _LOWER * level,
        }
    return looks


def _curve(  # noqa: PLR0913  (axes, what is drawn, and how)
    axes: Axes, rows: Sequence[Row], axis: Axis, quantity: Quantity, look: Look, *, broken: bool
) -> None:
    placed = {place: row for row in rows if (place := axis.place(row)) is not None}
    ordered = sorted(placed)
    values = [quantity.value(placed[place]) for place in ordered]
    if broken and len(ordered) > 1 and ordered[0] <= 0:  # no line across the break of the axis
        axes.plot([*ordered[:1], nan, *ordered[1:]], [*values[:1], nan, *values[1:]], **look)
    else:
        axes.plot(ordered, values, **look)
    ends = [quantity.interval(placed[place]) or (value, value) for place, value in zip(ordered, values, strict=True)]
    axes.vlines(ordered, [low for low, _ in ends], [high for _, high in ends], color=look["color"], linewidth=1.2)
