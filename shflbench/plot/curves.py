"""Time per variant as curves over the block size, one panel a grid: the chart of a sweep over launch shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from shflbench.model import Mechanism
from shflbench.plot import bars
from shflbench.plot.findings import time_us, winners_by_launch
from shflbench.plot.page import Page
from shflbench.plot.shapes import blocks_of, grid_of, grid_words, grids_of
from shflbench.plot.style import colour
from shflbench.plot.subject import untimed_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from shflbench.plot.style import Look
    from shflbench.plot.subject import Subject
    from shflbench.store import Row

_ABREAST = 3  # panels side by side
_LEFT, _GAP = 0.6, 0.35  # inches: room for the time axis, and between panels
_HEADING, _HEIGHT, _AXIS = 0.34, 1.75, 0.5  # inches above, of and below a panel
# Variants of one mechanism share its colour; line and marker tell them apart.
_SAFE_LOOKS = (("-", "o"), ("--", "s"), ("-.", "^"), ((0, (6, 1.5)), "D"), ((0, (1, 1)), "v"))
_UNSAFE_LOOKS = ((":", "o"), (":", "s"), (":", "^"))  # dotted with hollow markers: what the hatch is to a bar


def applies(subject: Subject) -> bool:
    """Whether there are more launches than bars can show."""
    return bool(subject.timed) and not bars.applies(subject)


def draw(subject: Subject) -> Page:
    """Draw a curve for each variant over the block size, with its intervals, on one time axis for all panels."""
    panels = _panels(subject)
    looks = _looks(subject)
    lines = -(-len(panels) // _ABREAST)
    page = Page(
        title=winners_by_launch(subject),
        subtitle=(
            f"Time of one launch at {subject.shared_setting}; lower is better. Both axes are logarithmic.",
            "Library calls show what they compile to and do not compete." if _has_library(subject.timed) else "",
        ),
        caption=subject.caption,
        notes=untimed_notes(subject.rows),
        legend=[Line2D([], [], **look) for look in looks.values()],
        body=lines * (_HEADING + _HEIGHT + _AXIS),
    )
    width = (page.width - _LEFT - (_ABREAST - 1) * _GAP - 0.1) / _ABREAST
    for number, (heading, rows) in enumerate(panels.items()):
        line, place = divmod(number, _ABREAST)
        left, top = _LEFT + place * (width + _GAP), line * (_HEADING + _HEIGHT + _AXIS)
        page.text(left, top + 0.11, heading)
        axes = page.axes(left, top + _HEADING, width, _HEIGHT)
        _scale(axes, subject.timed, leftmost=place == 0)
        for variant, look in looks.items():
            _curve(axes, [row for row in rows if row.variant == variant], look)
    return page


def _has_library(rows: Sequence[Row]) -> bool:
    return any(row.mechanism == Mechanism.LIBRARY for row in rows)


def _panels(subject: Subject) -> dict[str, list[Row]]:
    """Return the timed rows by heading: grid, and whatever else varies; grids from small to large."""
    grids = grids_of(subject.timed)
    others = list(dict.fromkeys(subject.own_setting(row, launch=False) for row in subject.timed))
    panels: dict[tuple[int, int], list[Row]] = {}
    for row in subject.timed:
        place = others.index(subject.own_setting(row, launch=False)), grids.index(grid_of(row))
        panels.setdefault(place, []).append(row)
    return {
        ", ".join(filter(None, (others[other], grid_words(rows)))): rows for (other, _), rows in sorted(panels.items())
    }


def _looks(subject: Subject) -> dict[str, Look]:
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


def _scale(axes: Axes, rows: Sequence[Row], *, leftmost: bool) -> None:
    blocks, times = blocks_of(rows), [time_us(row) for row in rows]
    axes.set_xscale("log", base=2)
    axes.set_xlim(blocks[0] / 1.2, blocks[-1] * 1.2)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(blocks, [str(block) for block in blocks])
    axes.set_xlabel("threads a block", labelpad=2)
    axes.set_yscale("log")
    axes.set_ylim(min(times) / 1.25, max(times) * 1.25)
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.tick_params(axis="y", labelleft=leftmost)
    axes.grid(visible=True)
    if leftmost:
        axes.set_ylabel("time of one launch, µs")


def _curve(axes: Axes, rows: Sequence[Row], look: Look) -> None:
    rows = sorted(rows, key=lambda row: row.block)
    blocks = [row.block for row in rows]
    axes.plot(blocks, [time_us(row) for row in rows], **look)
    low, high = ([getattr(row, end) or time_us(row) for row in rows] for end in ("time_low_us", "time_high_us"))
    axes.vlines(blocks, low, high, color=look["color"], linewidth=1.2)
