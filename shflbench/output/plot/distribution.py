"""Every sample of the cases with the widest spread, in the order of measuring: shows outliers, two modes and drift."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from shflbench.core.words import count_noun
from shflbench.output.plot.chart import Chart
from shflbench.output.plot.page import Page
from shflbench.output.plot.style import (
    BODY_PT,
    MUTED,
    SMALL_PT,
    UNSAFE_HATCH,
    color_of,
    fit_size,
    mechanism_legend,
    tint,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from shflbench.output.plot.style import Look
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

MOST_CASES = 20  # of more, those with the widest bands are drawn
_BAND = (0.025, 0.975)  # the central 95% of the samples
_REACH = 1.4  # the axis goes to this multiple of the furthest band; samples beyond it become triangles at its edge
_FIGURES = 0.62  # inches for the spread written on the right
_ROW, _HEADING, _AXIS = 0.42, 0.05, 0.5  # inches: a case, above the cases, below them
_LABELS = 0.5  # of the page's width, at most, for the cases' names
_HALF = 0.38  # of a row's height: the dots lie within this distance from its middle


Reach = tuple[float, float]  # the ends of the axis, in percent


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """The samples of one case, in percent from their median, in the order of measuring."""

    row: Row
    percent: NDArray[np.float64]

    @property
    def band(self) -> tuple[float, float]:
        """The ends of the central 95% of the samples, in percent from their median."""
        low, high = np.quantile(self.percent, _BAND)
        return float(low), float(high)

    @property
    def spread(self) -> float:
        """The width of the band, in percent of the median."""
        return self.band[1] - self.band[0]


def charts(subject: ChartSubject) -> Iterator[Chart]:
    """Yield one chart of the whole run, if it has samples at the cases' own iterations."""
    if not subject.samples.empty:
        yield Chart("samples", subject, partial(draw, subject), of_run=True)


def draw(subject: ChartSubject) -> Page:
    """Draw a strip of dots for each of the widest cases, its first sample at the top and its last at the bottom."""
    cases = strips(subject)
    shown = sorted(cases, key=lambda strip: -strip.spread)[:MOST_CASES]
    labels = [subject.name_of(strip.row) for strip in shown]
    height = len(labels) * _ROW
    reach = _reach(shown)
    page = Page(
        title=_title(subject, cases, shown),
        subtitle=(
            "A dot is a sample; in each row the first is at the top, the last at the bottom.",
            "The band holds the central 95% of a case's samples; the number at the right is its width.",
        ),
        caption=subject.caption,
        notes=_notes(subject, cases, shown, reach),
        legend=mechanism_legend(strip.row for strip in shown),
        body=_HEADING + height + _AXIS,
    )
    size = min(BODY_PT, *(fit_size(label, page.width * _LABELS) for label in labels))
    label_width = max(width_of(label, size) for label in labels) + 0.15
    axes = page.axes(label_width, _HEADING, page.width - label_width - _FIGURES, height)
    _scale(axes, labels, size, reach)
    for y, strip in enumerate(shown):
        _strip(axes, y, strip, reach)
    return page


def strips(subject: ChartSubject) -> list[Strip]:
    """Return a strip for each timed case that has samples, in the order of the suite."""
    times = {str(case): group.to_numpy(float) for case, group in subject.samples.groupby("case_id")["time_us"]}
    return [
        Strip(row, 100 * (times[row.case_id] / np.median(times[row.case_id]) - 1))
        for row in subject.timed
        if row.case_id in times
    ]


def _reach(shown: Sequence[Strip]) -> Reach:
    """Return the ends of the axis, in percent: beyond the widest bands, with the median well inside."""
    low = _REACH * min(strip.band[0] for strip in shown)
    high = _REACH * max(strip.band[1] for strip in shown)
    if low == high:  # every band has no width
        return -1.0, 1.0
    return min(low, -high / 3), max(high, -low / 3)


def _title(subject: ChartSubject, cases: Sequence[Strip], shown: Sequence[Strip]) -> str:
    count = count_noun(len(cases), "case")
    chosen = f"widest {len(shown)} of {count}" if len(shown) < len(cases) else count
    return f"{subject.pattern}: the central 95% of a case's samples span at most {shown[0].spread:.2f}% ({chosen})"


def _notes(subject: ChartSubject, cases: Sequence[Strip], shown: Sequence[Strip], reach: Reach) -> list[str]:
    notes = []
    if len(shown) < len(cases):
        rest = len(cases) - len(shown)
        notes.append(f"Not drawn: {count_noun(rest, 'case')} with at most {shown[-1].spread:.2f}%.")
    beyond = sum(int(((strip.percent < reach[0]) | (strip.percent > reach[1])).sum()) for strip in shown)
    if beyond:
        furthest = max(shown, key=lambda strip: float(np.abs(strip.percent).max()))
        far = furthest.percent[np.abs(furthest.percent).argmax()]
        name = subject.name_of(furthest.row)
        notes.append(
            f"Triangles: {count_noun(beyond, 'sample')} beyond the axis, the furthest at {far:+.1f}% ({name})."
        )
    if subject.dropped:
        notes.append(
            f"Not drawn and not used: {count_noun(subject.dropped, 'sample')} taken while the GPU was throttled."
        )
    return notes


def _scale(axes: Axes, labels: Sequence[str], size: float, reach: Reach) -> None:
    axes.set_xlim(*reach)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), labels, size=size)
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
    full = color_of(strip.row)
    band: Look = {"hatch": UNSAFE_HATCH, "facecolor": "none", "edgecolor": tint(full, 0.3)}
    if strip.row.safe:
        band = {"facecolor": tint(full, 0.2)}
    axes.add_patch(Rectangle((strip.band[0], y - 0.45), strip.spread, 0.9, linewidth=0, **band))
    heights = y + np.linspace(-_HALF, _HALF, len(strip.percent))
    below, above = strip.percent < reach[0], strip.percent > reach[1]
    inside = ~(below | above)
    # One image per strip: as paths, thousands of dots would take megabytes of SVG.
    dots: Look = {"linestyle": "none", "color": full, "markeredgewidth": 0, "rasterized": True}
    axes.plot(strip.percent[inside], heights[inside], marker="o", markersize=2.6, alpha=0.6, **dots)
    for marker, edge, out in (("<", reach[0], below), (">", reach[1], above)):
        if out.any():
            axes.plot([edge] * int(out.sum()), heights[out], marker=marker, markersize=4, clip_on=False, **dots)
    beside: Look = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center_baseline"}
    axes.annotate(f"{strip.spread:.2f}%", (1, y), (8, 0), size=SMALL_PT, **beside)
