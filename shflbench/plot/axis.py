"""The axis of a sweep: where its values lie, how they are written, and what it is called."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib.ticker import NullLocator

from shflbench.analysis.settings import BLOCK, GRID
from shflbench.plot.quantity import BANDWIDTH, bytes_moved, quantity_of
from shflbench.plot.style import SMALL_PT, width_of
from shflbench.plot.sweeps import position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes as Plot

    from shflbench.plot.subject import ChartSubject
    from shflbench.store import Row

_DIGITS = 5  # of the bytes that a time and a bandwidth give, so that the variants of a group agree
_UNITS = ("B", "KiB", "MiB", "GiB")
_BETWEEN = 0.1  # inches between the labels of two ticks
_MARGIN = 0.05  # of the axis, on either side of the outermost values
_WIDE_RANGE = 8  # the largest value over the smallest from which on equal factors get equal distances
_TITLES = {
    GRID: "blocks",
    BLOCK: "threads a block",
    "extra_shared": "extra_shared: unused shared memory, bytes a block",
    "carveout": "carveout: shared memory's part, %",
    "l2": "L2 cache before each launch",
}


@dataclass(frozen=True, slots=True)
class Axis:
    """What lies along x."""

    factor: str
    name: str  # in the names of files
    title: str
    place: Callable[[Row], float | None]
    label: Callable[[float], str]


def axis_of(subject: ChartSubject, factor: str) -> Axis:
    """Return the axis of a factor; of the blocks of a pass over the data it is the size of the data."""
    if factor == GRID and quantity_of(subject) is BANDWIDTH:
        title = "bytes read and written by one launch"
        return Axis(factor, "size", title, lambda row: float(f"{bytes_moved(row):.{_DIGITS}g}") or None, size_words)
    return Axis(factor, factor, _TITLES.get(factor, factor), lambda row: position(row, factor), lambda x: f"{x:g}")


def size_words(count: float) -> str:
    """Return bytes as read on an axis: `64 KiB`."""
    unit = 0
    while round(count) >= 1024 and unit < len(_UNITS) - 1:  # noqa: PLR2004  (1024 bytes are a KiB)
        count, unit = count / 1024, unit + 1
    return f"{count:.3g} {_UNITS[unit]}"


def scale(plot: Plot, axis: Axis, rows: Sequence[Row], width: float) -> None:
    """Scale and label x for the rows of all panels, on a plot of `width` inches."""
    values = sorted({place for row in rows if (place := axis.place(row)) is not None})
    spread(plot, values)
    plot.xaxis.set_minor_locator(NullLocator())
    labels = [axis.label(value) for value in values]
    step = _every(plot, values, labels, width)
    chosen = range((len(values) - 1) % step, len(values), step)  # the last one is always labelled
    plot.set_xticks([values[i] for i in chosen], [labels[i] for i in chosen])
    plot.set_xlabel(axis.title, labelpad=2)


def spread(plot: Plot, values: Sequence[float]) -> None:
    """Scale x so that the values keep apart: by factors where they span a wide range, else evenly."""
    positive = [value for value in values if value > 0]
    steps = {round(b - a, 6) for a, b in pairwise(values)}
    if len(steps) > 1 and positive[-1] / positive[0] >= _WIDE_RANGE:
        if values[0] > 0:
            plot.set_xscale("log", base=2)
        else:  # 0 as far from the first value as that from its double
            plot.set_xscale("symlog", base=2, linthresh=positive[0], linscale=1)
    transform = plot.xaxis.get_transform()
    low, high = transform.transform([values[0], values[-1]])
    margin = _MARGIN * (high - low)
    plot.set_xlim(*map(float, transform.inverted().transform([low - margin, high + margin])))


def _every(plot: Plot, values: Sequence[float], labels: Sequence[str], width: float) -> int:
    """Return the least step in which labelled ticks keep clear of one another."""
    transform = plot.xaxis.get_transform()
    low, high = transform.transform(plot.get_xlim())
    places = (transform.transform(values) - low) / (high - low) * width
    for step in range(1, len(values)):
        chosen = list(range((len(values) - 1) % step, len(values), step))
        if all(
            places[b] - places[a] > (width_of(labels[a], SMALL_PT) + width_of(labels[b], SMALL_PT)) / 2 + _BETWEEN
            for a, b in pairwise(chosen)
        ):
            return step
    return max(1, len(values) - 1)
