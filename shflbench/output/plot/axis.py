"""The horizontal axis of a sweep: places, labels and title."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib.ticker import NullLocator

from shflbench.analysis.settings import BLOCK, GRID
from shflbench.output.plot.quantity import BANDWIDTH, bytes_moved, quantity_of
from shflbench.output.plot.style import MUTED, SMALL_PT, width_of
from shflbench.output.plot.sweeps import position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes as Plot

    from shflbench.output.plot.style import Look
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

_DIGITS = 5  # of the bytes that a time and a bandwidth give, so that the variants of a group agree
_UNITS = ("B", "KiB", "MiB", "GiB")
_BETWEEN = 0.1  # inches between the labels of two ticks
_MARGIN = 0.05  # of the axis, on either side of the outermost values
_WIDE_RANGE = 8  # from this ratio of the largest to the smallest value on, equal factors get equal distances
_BREAK = 0.006, 0.018  # half the width and half the height of a break, as parts of the axes
_SHARED = "extra_shared"
_TITLES = {
    GRID: "blocks",
    BLOCK: "threads per block",
    _SHARED: f"{_SHARED}: unused shared memory, bytes per block",
    "carveout": "carveout: shared memory's part, %",
    "l2": "L2 cache before each launch",
}


@dataclass(frozen=True, slots=True)
class Axis:
    """The quantity along x."""

    factor: str
    name: str  # in file names
    title: str
    place: Callable[[Row], float | None]
    label: Callable[[float], str]


def axis_of(subject: ChartSubject, factor: str) -> Axis:
    """Return the axis of a factor.

    For the blocks of a pass over data, it is the size of the data; for unused shared memory, it is what that memory
    changes: the blocks that are resident on an SM.
    """
    if factor == GRID and quantity_of(subject) is BANDWIDTH:
        title = "bytes read and written by one launch"
        return Axis(factor, "size", title, lambda row: float(f"{bytes_moved(row):.{_DIGITS}g}") or None, size_words)
    resident = {row.case_id: subject.resident_blocks(row) for row in subject.timed} if factor == _SHARED else {}
    if None not in resident.values() and len(set(resident.values())) > 1:
        title = f"resident blocks per SM, as unused shared memory ({_SHARED}) allows"
        return Axis(factor, factor, title, lambda row: resident.get(row.case_id), lambda x: f"{x:g}")
    return Axis(factor, factor, _TITLES.get(factor, factor), lambda row: position(row, factor), lambda x: f"{x:g}")


def size_words(count: float) -> str:
    """Return bytes for a reader: `64 KiB`."""
    unit = 0
    while round(count) >= 1024 and unit < len(_UNITS) - 1:  # noqa: PLR2004  (1024 bytes are a KiB)
        count, unit = count / 1024, unit + 1
    return f"{count:.3g} {_UNITS[unit]}"


def scale(plot: Plot, axis: Axis, rows: Sequence[Row], width: float) -> None:
    """Scale and label x for the rows of all panels, on a plot of `width` inches."""
    values = places(axis, rows)
    spread(plot, values)
    if is_broken(values):
        _mark_break(plot, values)
    plot.xaxis.set_minor_locator(NullLocator())
    labels = [axis.label(value) for value in values]
    step = _every(plot, values, labels, width)
    chosen = range((len(values) - 1) % step, len(values), step)  # the last one is always labeled
    plot.set_xticks([values[i] for i in chosen], [labels[i] for i in chosen])
    plot.set_xlabel(axis.title, labelpad=2)


def places(axis: Axis, rows: Sequence[Row]) -> list[float]:
    """Return the values on the axis, each once, from small to large."""
    return sorted({place for row in rows if (place := axis.place(row)) is not None})


def is_broken(values: Sequence[float]) -> bool:
    """Return whether the axis is logarithmic and has a zero, which lies beyond a break."""
    return values[0] <= 0 and _is_wide(values)


def spread(plot: Plot, values: Sequence[float]) -> None:
    """Scale x so that the values keep apart: by factors if their range is wide, else evenly."""
    if _is_wide(values):
        if is_broken(values):  # 0 is drawn as far from the first value as that from its double
            plot.set_xscale("symlog", base=2, linthresh=_positive(values)[0], linscale=1)
        else:
            plot.set_xscale("log", base=2)
    transform = plot.xaxis.get_transform()
    low, high = transform.transform([values[0], values[-1]])
    margin = _MARGIN * (high - low)
    plot.set_xlim(*map(float, transform.inverted().transform([low - margin, high + margin])))


def _is_wide(values: Sequence[float]) -> bool:
    steps = {round(b - a, 6) for a, b in pairwise(values)}
    positive = _positive(values)
    return len(steps) > 1 and positive[-1] / positive[0] >= _WIDE_RANGE


def _positive(values: Sequence[float]) -> list[float]:
    return [value for value in values if value > 0]


def _mark_break(plot: Plot, values: Sequence[float]) -> None:
    """Interrupt the axis between zero and the first value by two slashes."""
    zero, first = plot.transAxes.inverted().transform(plot.transData.transform([(value, 1) for value in values[:2]]))
    middle, (wide, high) = (zero[0] + first[0]) / 2, _BREAK
    look: Look = {"transform": plot.transAxes, "clip_on": False, "zorder": 3}
    plot.plot([middle - wide, middle + wide], [0, 0], color="white", linewidth=2.5, label="break", **look)
    for x in (middle - wide, middle + wide):
        plot.plot([x - wide / 2, x + wide / 2], [-high, high], color=MUTED, linewidth=0.9, label="break", **look)


def _every(plot: Plot, values: Sequence[float], labels: Sequence[str], width: float) -> int:
    """Return the least step at which the labels of ticks do not touch."""
    transform = plot.xaxis.get_transform()
    low, high = transform.transform(plot.get_xlim())
    ticks = (transform.transform(values) - low) / (high - low) * width
    for step in range(1, len(values)):
        chosen = list(range((len(values) - 1) % step, len(values), step))
        if all(
            ticks[b] - ticks[a] > (width_of(labels[a], SMALL_PT) + width_of(labels[b], SMALL_PT)) / 2 + _BETWEEN
            for a, b in pairwise(chosen)
        ):
            return step
    return max(1, len(values) - 1)
