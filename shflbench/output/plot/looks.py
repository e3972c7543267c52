"""How the curves of variants look: one curve for those that coincide everywhere, and a look of its own for each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from shflbench.core.model import Mechanism
from shflbench.output.plot.chart_words import join
from shflbench.output.plot.style import color_of, tint
from shflbench.output.plot.vertical import Point, bundles, depths, spread_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.typing import ColorType

    from shflbench.output.plot.axis import Axis
    from shflbench.output.plot.style import Look
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.output.plot.vertical import Curves, Vertical
    from shflbench.store import Row

_WIDER = 1.5, 2.0  # points per curve on top: width of the line, size of the marker
_PALE = 0.45  # strength of the color of a curve under another
_LOWER = 0.01  # in the order of drawing, per curve on top
_STRIPE = 2.5  # widths of the line: the length of a stripe where one curve has several colors
_STRIPED = 0.8, 1.5  # points: how much wider its line is, and how much larger its markers
# Variants of one mechanism share its color and differ in line and marker.
_SAFE_LOOKS = (("-", "o"), ("--", "s"), ("-.", "^"), ((0, (6, 1.5)), "D"), ((0, (1, 1)), "v"), ((0, (3, 1, 1, 1)), "P"))
_UNSAFE_LOOKS = ((":", "o"), (":", "s"), (":", "^"))  # dotted, with hollow markers, as a bar is hatched


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve of a chart: that of a variant, on which those of others may lie."""

    variants: tuple[str, ...]
    label: str
    looks: tuple[Look, ...]  # drawn on one another: a line with markers; or a line, stripes of other colors, markers

    @property
    def handle(self) -> tuple[Line2D, ...]:
        """The entry of the legend."""
        return tuple(Line2D([], [], **{**look, "label": self.label}) for look in self.looks)


def points_of(panels: Iterable[Sequence[Row]], axis: Axis, vertical: Vertical, height: float) -> list[Curves]:
    """Return the points of each variant, panel by panel, on panels of `height` inches."""
    curves: list[Curves] = []
    for rows in panels:
        of_panel: dict[str, dict[tuple[float, int], Point]] = {}
        for row in rows:
            if (place := axis.place(row)) is not None:
                points = of_panel.setdefault(row.variant, {})
                value = vertical.quantity.value(row)
                number = sum(known == place for known, _ in points)  # a place may have several points
                points[place, number] = Point(value, vertical.points(value, height))
        curves.append(of_panel)
    return curves


def curves_of(subject: ChartSubject, points: Sequence[Curves], axis: Axis) -> list[Curve]:
    """Return the curves of a chart, fastest variant first; unsafe ones lie on top, those of libraries at the bottom."""
    rows = {row.variant: row for row in subject.timed}
    on_top = sorted(rows, key=lambda variant: (rows[variant].mechanism == Mechanism.LIBRARY, rows[variant].safe))
    groups = [
        group
        for safe in (True, False)  # unsafe variants keep curves of their own
        for group in bundles(points, [variant for variant in on_top if rows[variant].safe is safe])
    ]
    depth = depths(points, sorted((group[0] for group in groups), key=on_top.index))
    ranks: Counter[str] = Counter()
    curves = {}
    for group in sorted(groups, key=lambda group: min(map(on_top.index, group))):
        members = [rows[variant] for variant in sorted(group, key=on_top.index)]
        full = color_of(members[0])
        curves[group] = Curve(
            group, _label(group, members, points, axis), _looks(members, ranks[full], depth[group[0]])
        )
        ranks[full] += 1
    return [curves[group] for group in sorted(groups, key=lambda group: min(map(subject.variants.index, group)))]


def joined_note(curves: Sequence[Curve], points: Sequence[Curves]) -> list[str]:
    """Return a note on how far variants differ that are drawn as one curve."""
    spreads = [spread_of(points, curve.variants) for curve in curves if len(curve.variants) > 1]
    return [f"Variants of one curve differ by at most {100 * (max(spreads) - 1):.1f}%."] if spreads else []


def _looks(rows: Sequence[Row], rank: int, depth: int) -> tuple[Look, ...]:
    """Return the line and markers of variants that are drawn as one; `rank` is that within the first one's color."""
    first, styles = rows[0], _SAFE_LOOKS if rows[0].safe else _UNSAFE_LOOKS
    line, marker = styles[rank % len(styles)]
    colors = [tint(full, _PALE) if depth else full for full in dict.fromkeys(map(color_of, rows))]
    zorder = (1.9 if first.mechanism == Mechanism.LIBRARY else 2.0) - _LOWER * depth
    of_line: Look = {
        "color": colors[0],
        "linestyle": line if depth == 0 else "-",  # dashes would vanish under the curves on top
        "solid_capstyle": "butt",
        "linewidth": 1.6 + _WIDER[0] * depth,
        "zorder": zorder,
    }
    of_marker: Look = {
        "marker": marker,
        "markersize": 4.5 + _WIDER[1] * depth,
        "markerfacecolor": colors[0] if first.safe else "white",
    }
    if len(colors) == 1:
        return ({**of_line, **of_marker},)
    return _striped(of_line, of_marker, colors)


def _striped(of_line: Look, of_marker: Look, colors: Sequence[ColorType]) -> tuple[Look, ...]:
    """Return a wider line with stripes of all colors, and larger markers of the first two."""
    wide: Look = {**of_line, "linestyle": "-", "linewidth": of_line["linewidth"] + _STRIPED[0]}
    stripes: list[Look] = [
        {
            **wide,
            "color": color,
            "linestyle": (-number * _STRIPE, (_STRIPE, (len(colors) - 1) * _STRIPE)),
            "dash_capstyle": "butt",
        }
        for number, color in enumerate(colors[1:], start=1)
    ]
    size = of_marker["markersize"] + _STRIPED[1]
    halves: Look = {"fillstyle": "left", "markerfacecoloralt": colors[1], "markeredgewidth": 0.0, "markersize": size}
    return (wide, *stripes, {**of_line, **of_marker, **halves, "linestyle": "none"})


def _label(group: Sequence[str], members: Sequence[Row], points: Sequence[Curves], axis: Axis) -> str:
    """Return the names of the variants of a group, with the places of those that lie on a part of its curve only."""
    every = _places(group[0], points)
    names = []
    for row in members:
        places = _places(row.variant, points)
        where = "" if places == every else f" (at {join([axis.label(place) for place in places])})"
        names.append(f"{row.variant}{where}")
    return ", ".join(names) + ("" if members[0].safe else " (UNSAFE)")


def _places(variant: str, points: Sequence[Curves]) -> list[float]:
    return sorted({place for panel in points for place, _ in panel.get(variant, {})})
