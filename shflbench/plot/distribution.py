"""Every sample of every case, in the order in which it was taken: shows outliers, two modes and drift."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from shflbench.plot.page import Page
from shflbench.plot.style import (
    BODY_PT,
    MUTED,
    SMALL_PT,
    UNSAFE_HATCH,
    colour,
    mechanism_legend,
    tint,
    width_of,
)
from shflbench.plot.subject import untimed_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from shflbench.plot.style import Look
    from shflbench.plot.subject import Subject
    from shflbench.store import Row

MOST_CASES = 30  # in one figure; of more, only those with the widest bands are drawn
RANKED = 15  # how many are then drawn
_BAND = (0.025, 0.975)  # the central 95 % of the samples
_REACH = 1.4  # the axis goes to this multiple of the furthest band; samples beyond become triangles at its edge
_ABREAST = 3  # panels side by side
_GAP, _FIGURES = 0.2, 0.62  # inches: between panels, and for the spread written on the right of each
_ROW, _HEADING, _AXIS = 0.42, 0.34, 0.5  # inches: a case, above a panel, below it
_HALF = 0.38  # of a row, up and down from its middle: where its dots are


Reach = tuple[float, float]  # the ends of the axis, in per cent


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """The samples of one case, in per cent from their median, in the order in which they were taken."""

    row: Row
    percent: NDArray[np.float64]

    @property
    def band(self) -> tuple[float, float]:
        """The ends of the central 95 % of the samples, in per cent from their median."""
        low, high = np.quantile(self.percent, _BAND)
        return float(low), float(high)

    @property
    def spread(self) -> float:
        """How wide that band is, in per cent of the median."""
        return self.band[1] - self.band[0]


def applies(subject: Subject) -> bool:
    """Whether there are samples at the cases' own iterations."""
    return not subject.samples.empty


def draw(subject: Subject) -> Page:
    """Draw a strip of dots for each case, its first sample at the top and its last at the bottom."""
    found = strips(subject)
    panels = _panels(subject, found)
    labels = list(dict.fromkeys(label for panel in panels.values() for label in panel))
    shown = [strip for panel in panels.values() for strip in panel.values()]
    abreast = min(_ABREAST, len(panels))
    lines, heading = ceil(len(panels) / abreast), _HEADING if len(panels) > 1 else 0.05
    height = len(labels) * _ROW
    reach = _reach(shown)
    page = Page(
        title=_title(subject, found, len(shown)),
        subtitle=(
            "A dot is a timed launch; in each row the first is at the top, the last at the bottom.",
            "Band and figure: where the central 95 % lie, and how wide that is.",
        ),
        caption=subject.caption,
        notes=_notes(subject, shown, reach),
        legend=mechanism_legend(strip.row for strip in shown),
        body=lines * (heading + height + _AXIS),
    )
    left = max(map(width_of, labels)) + 0.15
    width = (page.width - left - (abreast - 1) * _GAP) / abreast - _FIGURES
    for number, (words, panel) in enumerate(panels.items()):
        line, place = divmod(number, abreast)
        x, top = left + place * (width + _FIGURES + _GAP), line * (heading + height + _AXIS)
        page.text(x, top + 0.11, words)
        axes = page.axes(x, top + heading, width, height)
        _scale(axes, labels, reach, leftmost=place == 0)
        for y, label in enumerate(labels):
            if label in panel:
                _strip(axes, y, panel[label], reach)
            else:
                axes.text(reach[1] / 2, y, "no samples", ha="center", va="center", size=SMALL_PT, color=MUTED)
    return page


def strips(subject: Subject) -> list[Strip]:
    """Return a strip for each timed case that has samples, in the order of the suite."""
    times = {str(case): group.to_numpy(float) for case, group in subject.samples.groupby("case_id")["time_us"]}
    return [
        Strip(row, 100 * (times[row.case_id] / np.median(times[row.case_id]) - 1))
        for row in subject.timed
        if row.case_id in times
    ]


def _reach(shown: Sequence[Strip]) -> Reach:
    """Return the ends of the axis, in per cent: a little beyond the widest bands, the median well inside."""
    low = _REACH * min(strip.band[0] for strip in shown)
    high = _REACH * max(strip.band[1] for strip in shown)
    if low == high:  # every band has no width
        return -1.0, 1.0
    return min(low, -high / 3), max(high, -low / 3)


def _panels(subject: Subject, found: Sequence[Strip]) -> dict[str, dict[str, Strip]]:
    """Return the strips by panel heading and row label: by group, or, of too many, the widest in one panel."""
    if len(found) > MOST_CASES:
        widest = sorted(found, key=lambda strip: -strip.spread)[:RANKED]
        return {"": {subject.name_of(strip.row): strip for strip in widest}}
    panels: dict[str, dict[str, Strip]] = {}
    for strip in found:
        panels.setdefault(subject.own_setting(strip.row), {})[strip.row.variant] = strip
    return panels


def _title(subject: Subject, found: Sequence[Strip], shown: int) -> str:
    widest = max(found, key=lambda strip: strip.spread)
    chosen = f"widest: {subject.name_of(widest.row)}"
    if shown < len(found):
        chosen = f"the {shown} widest of {len(found)} cases"
    return f"{subject.pattern}: 95 % of a case's samples span at most {widest.spread:.2f} % ({chosen})"


def _notes(subject: Subject, shown: Sequence[Strip], reach: Reach) -> list[str]:
    notes = []
    beyond = sum(int(((strip.percent < reach[0]) | (strip.percent > reach[1])).sum()) for strip in shown)
    if beyond:
        furthest = max(shown, key=lambda strip: float(np.abs(strip.percent).max()))
        far = furthest.percent[np.abs(furthest.percent).argmax()]
        name = subject.name_of(furthest.row)
        notes.append(f"Triangles: {_counted(beyond)} beyond the axis, the furthest at {far:+.1f} % ({name}).")
    if subject.dropped:
        notes.append(f"Not drawn, as not timed: {_counted(subject.dropped)} taken while the GPU was throttled.")
    return notes + untimed_notes(subject.rows)


def _counted(samples: int) -> str:
    return f"{samples} sample{'' if samples == 1 else 's'}"


def _scale(axes: Axes, labels: Sequence[str], reach: Reach, *, leftmost: bool) -> None:
    axes.set_xlim(*reach)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), labels if leftmost else [""] * len(labels), size=BODY_PT)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:+g}".replace("-", "\N{MINUS SIGN}") if value else "0")
    )
    axes.grid(axis="x")
    axes.axvline(0, color=MUTED, linewidth=0.8)
    axes.set_xlabel("distance from the case's median, %", labelpad=2)


def _strip(axes: Axes, y: int, strip: Strip, reach: Reach) -> None:
    full = colour(strip.row)
    band: Look = {"hatch": UNSAFE_HATCH, "facecolor": "none", "edgecolor": tint(full, 0.3)}
    if strip.row.safe:
        band = {"facecolor": tint(full, 0.2)}
    axes.add_patch(Rectangle((strip.band[0], y - 0.45), strip.spread, 0.9, linewidth=0, **band))
    heights = y + np.linspace(-_HALF, _HALF, len(strip.percent))
    below, above = strip.percent < reach[0], strip.percent > reach[1]
    inside = ~(below | above)
    # One image a strip: as paths, thousands of dots would make the SVG megabytes.
    dots: Look = {"linestyle": "none", "color": full, "markeredgewidth": 0, "rasterized": True}
    axes.plot(strip.percent[inside], heights[inside], marker="o", markersize=2.6, alpha=0.6, **dots)
    for marker, edge, out in (("<", reach[0], below), (">", reach[1], above)):
        if out.any():
            axes.plot([edge] * int(out.sum()), heights[out], marker=marker, markersize=4, clip_on=False, **dots)
    beside: Look = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center_baseline"}
    axes.annotate(f"{strip.spread:.2f} %", (1, y), (8, 0), size=SMALL_PT, **beside)
