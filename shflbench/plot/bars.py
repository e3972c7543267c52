"""Time per variant as bars, one panel for each group: the chart of a run with one launch or two."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from shflbench.plot.findings import best_variants, next_mechanism, time_us
from shflbench.plot.page import Page
from shflbench.plot.style import (
    BODY_PT,
    INK,
    MUTED,
    SMALL_PT,
    bar_look,
    colour,
    mechanism_legend,
    shortened,
    width_of,
)
from shflbench.plot.subject import why_untimed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from shflbench.plot.subject import Subject
    from shflbench.store import Row

MOST_LAUNCHES = 2  # more are drawn as curves
_ROW = 0.27  # inches from bar to bar
_BAR = 0.72  # of it filled
_HEADING = 0.33  # above a panel
_AXIS = 0.5  # below the last panel
_ROUNDING = 1e-6  # of the last digit: what binary fractions may add to a half-width that is a whole number of them
_GAP = 0.07  # between the end of a bar and its words, and between those


def applies(subject: Subject) -> bool:
    """Whether the launches are few enough for bars."""
    return bool(subject.timed) and len(subject.launches) <= MOST_LAUNCHES


def draw(subject: Subject) -> Page:
    """Draw a bar for each timed row, with interval, value and speed-up, and a line of text for each other row."""
    order = _order(subject)
    panels = [sorted(rows, key=lambda row: order.index(row.variant)) for rows in subject.groups]
    heading = _HEADING if len(panels) > 1 else 0.0
    page = Page(
        title=best_variants(subject),
        subtitle=(f"Time of one launch at {subject.shared_setting}; shorter is better.", next_mechanism(subject)),
        caption=subject.caption,
        legend=mechanism_legend(subject.timed),
        body=sum(heading + len(rows) * _ROW for rows in panels) + _AXIS,
    )
    decimals = _decimals(subject.timed)
    left = max(width_of(row.variant) for row in subject.rows) + 0.15
    width = page.width - left
    limit = _limit(subject.timed, width, decimals)
    top = 0.0
    for rows in panels:
        if heading:
            page.text(0, top + 0.12, subject.own_setting(rows[0]))
        axes = page.axes(left, top + heading, width, len(rows) * _ROW)
        _panel(axes, rows, limit, width, decimals)
        top += heading + len(rows) * _ROW
        axes.tick_params(axis="x", labelbottom=rows is panels[-1], length=3 if rows is panels[-1] else 0)
    axes.set_xlabel("time of one launch, µs (line at the end of a bar: 95 % interval of the median)")
    return page


def _order(subject: Subject) -> list[str]:
    """Return the variants as every panel lists them: the baseline, then from slow to fast by their first time."""
    first: dict[str, Row] = {}
    for row in sorted(subject.rows, key=lambda row: row.time_us is None):
        first.setdefault(row.variant, row)

    def rank(variant: str) -> tuple[bool, bool, float]:
        return variant != subject.baseline, first[variant].time_us is None, -time_us(first[variant])

    return sorted(first, key=rank)


def _limit(rows: Sequence[Row], width: float, decimals: int) -> float:
    """Return the axis limit, in µs, at which every bar has room for its words on an axis of `width` inches."""
    return max(time_us(row) * width / (width - _words_width(row, decimals) - 0.1) for row in rows)


def _panel(axes: Axes, rows: Sequence[Row], limit: float, width: float, decimals: int) -> None:
    axes.set_xlim(0, limit)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [row.variant for row in rows], size=BODY_PT)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for y, row in enumerate(rows):
        if row.time_us is None:
            words = shortened(why_untimed(row), width - _GAP, SMALL_PT)
            axes.text(_GAP * limit / width, y, words, va="center", size=SMALL_PT, color=MUTED, style="italic")
            continue
        axes.barh(y, row.time_us, height=_BAR, **bar_look(row))
        if row.variant == row.baseline:
            axes.plot([row.time_us] * 2, [y, len(rows) - 0.5], color=MUTED, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
        _interval(axes, y, row)
        _write(axes, y, row, limit / width, decimals)


def _interval(axes: Axes, y: float, row: Row) -> None:
    if row.time_low_us is None or row.time_high_us is None:
        return
    axes.plot([row.time_low_us, row.time_high_us], [y, y], color=INK, lw=1.4, solid_capstyle="butt")
    for end in (row.time_low_us, row.time_high_us):
        axes.plot([end, end], [y - 0.2, y + 0.2], color=INK, lw=0.9)


def _write(axes: Axes, y: float, row: Row, us_per_inch: float, decimals: int) -> None:
    x = time_us(row) + _GAP * us_per_inch
    for words, weight, tone in _words(row, decimals):
        label = axes.text(x, y, words, va="center_baseline", size=SMALL_PT, weight=weight, color=tone)
        label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # over the grid and the baseline's line
        x += (width_of(words, SMALL_PT, weight) + 1.6 * _GAP) * us_per_inch


def _words_width(row: Row, decimals: int) -> float:
    return sum(width_of(words, SMALL_PT, weight) + 1.6 * _GAP for words, weight, _ in _words(row, decimals))


def _words(row: Row, decimals: int) -> list[tuple[str, str, str]]:
    """Return what stands behind the row's bar: words, weight and colour of each part."""
    parts = [(time_text(row, decimals), "normal", INK)]
    if row.variant == row.baseline:
        parts.append(("baseline", "normal", MUTED))
    elif row.speedup is not None:
        parts.append((f"{row.speedup:.2f}×", "bold", INK))
    if not row.safe:
        proof = "" if row.matched is None else f", matched {row.matched} of {row.inputs}"
        parts.append((f"UNSAFE{proof}", "normal", colour(row)))
    return parts


def _decimals(rows: Sequence[Row]) -> int:
    """Return how many decimals of a µs the intervals leave: one number for the chart, so that figures line up."""
    halves = sorted(half for row in rows if (half := _half_us(row)) is not None)
    typical = halves[len(halves) // 2] if halves else 0.0
    return next((digits for digits in range(4) if round(typical, digits) > 0), 1)


def time_text(row: Row, decimals: int) -> str:
    """Return the time with half its interval, rounded up so as not to promise too much: `328.0 ± 0.2 µs`."""
    half = _half_us(row)
    if half is None:
        return f"{time_us(row):.{decimals}f} µs"
    step = 10.0**-decimals
    up = max(1, ceil(half / step - _ROUNDING)) * step
    return f"{time_us(row):.{decimals}f} ± {up:.{decimals}f} µs"


def _half_us(row: Row) -> float | None:
    """Return half the width of the row's interval, in µs."""
    if row.time_low_us is None or row.time_high_us is None:
        return None
    return (row.time_high_us - row.time_low_us) / 2
