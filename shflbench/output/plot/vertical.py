"""The vertical axis of curves: by factors or from zero, and which curves hide one another on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, log10
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from shflbench.output.plot.quantity import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from shflbench.output.plot.quantity import Quantity

_LOST = 20  # of a bandwidth this many times as large as another of its group, the other looks like zero
_FEW_DECADES = 2.5  # up to which there is room for ticks at 1, 2 and 5
_ABOVE = {True: 1.25, False: 1.06}  # of a logarithmic and of a linear axis: its end over the largest value
_NEAR, _TOUCHING = 2.0, 4.5  # points; markers are 4.5 points wide
_SAME = 1.03  # values that differ by at most this factor are drawn as one if their markers would touch


@dataclass(frozen=True, slots=True)
class Vertical:
    """One axis for all panels of a chart."""

    quantity: Quantity
    low: float
    high: float
    logarithmic: bool

    def scale(self, axes: Axes, *, leftmost: bool) -> None:
        """Scale and label y."""
        if self.logarithmic:
            axes.set_yscale("log")
            few = log10(self.high / self.low) <= _FEW_DECADES
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
            axes.yaxis.set_minor_locator(NullLocator())
            axes.yaxis.set_minor_formatter(NullFormatter())
        else:
            axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.set_ylim(self.low, self.high)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.tick_params(axis="y", labelleft=leftmost)
        axes.grid(visible=True)
        if leftmost:
            axes.set_ylabel(self.quantity.label)

    def points(self, value: float, height: float) -> float:
        """Return how high a value lies above the axis, in points, on a panel of `height` inches."""
        if self.logarithmic:
            return 72 * height * log(value / self.low) / log(self.high / self.low)
        return 72 * height * (value - self.low) / (self.high - self.low)


def vertical_of(groups: Iterable[Sequence[float]], quantity: Quantity) -> Vertical:
    """Return the axis for the values of each group: times by factors; bandwidths from zero unless some look like it."""
    ranges = [(min(values), max(values)) for values in groups if values]
    low, high = min(least for least, _ in ranges), max(most for _, most in ranges)
    logarithmic = quantity is TIME or any(most > _LOST * least for least, most in ranges)
    room = _ABOVE[logarithmic]
    return Vertical(quantity, low / room if logarithmic else 0.0, high * room, logarithmic)


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve: its value, and how high it lies, in points."""

    value: float
    height: float

    def hides(self, other: Point) -> bool:
        """Return whether two points are best drawn as one."""
        apart = abs(self.height - other.height)
        return apart < _NEAR or (apart < _TOUCHING and self.times(other) <= _SAME)

    def times(self, other: Point) -> float:
        """Return the larger of two values relative to the smaller."""
        low, high = sorted((self.value, other.value))
        return high / low if low > 0 else 1.0


Curves = Mapping[str, Mapping[tuple[float, int], Point]]  # of a panel: variant → place on x → point


def bundles(panels: Sequence[Curves], order: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the variants in groups that are drawn as one curve, whose points are those of the first in each group.

    All points of a group coincide with those of its first variant, which has the most. Groups and their variants are
    in the order of `order`, apart from the first of a group.
    """
    sizes = {variant: sum(len(panel.get(variant, ())) for panel in panels) for variant in order}
    groups: list[list[str]] = []
    for variant in sorted(order, key=lambda variant: -sizes[variant]):
        group = next((group for group in groups if _lies_on(panels, variant, group[0])), None)
        if group is None:
            groups.append([variant])
        else:
            group.append(variant)
    ordered = [(group[0], *sorted(group[1:], key=order.index)) for group in groups]
    return sorted(ordered, key=lambda group: min(map(order.index, group)))


def spread_of(panels: Sequence[Curves], group: Sequence[str]) -> float:
    """Return the largest ratio of a value of a group to that of its first variant."""
    pairs = [
        (panel[group[0]][place], point)
        for panel in panels
        for variant in group[1:]
        for place, point in panel.get(variant, {}).items()
    ]
    return max((one.times(other) for one, other in pairs), default=1.0)


def _lies_on(panels: Sequence[Curves], variant: str, other: str) -> bool:
    """Return whether the other curve has a point that hides each of the variant's, which is in all of its panels."""
    if any(other in panel and variant not in panel for panel in panels):
        return False
    return all(
        (below := panel.get(other, {}).get(place)) is not None and below.hides(point)
        for panel in panels
        for place, point in panel.get(variant, {}).items()
    )


def depths(panels: Iterable[Curves], order: Sequence[str]) -> dict[str, int]:
    """Return for each variant how many curves lie on top of its own, so that it is drawn that much wider.

    Of curves that coincide, those earlier in `order` lie on top.
    """
    curves = list(panels)
    depth: dict[str, int] = {}
    for variant in order:
        above = {depth[other] for other in depth if any(_coincide(panel, variant, other) for panel in curves)}
        depth[variant] = next(level for level in range(len(order)) if level not in above)
    return depth


def _coincide(panel: Curves, one: str, other: str) -> bool:
    """Return whether at least half of the points that two curves share lie so near that one hides the other."""
    first, second = panel.get(one, {}), panel.get(other, {})
    shared = first.keys() & second.keys()
    near = sum(abs(first[place].height - second[place].height) < _NEAR for place in shared)
    return bool(shared) and 2 * near >= len(shared)
