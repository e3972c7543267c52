"""Time or bandwidth of each variant as a bar, fastest first, a panel per group: the chart of cases on no sweep."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import time_us
from shflbench.output.plot.chart import Chart
from shflbench.output.plot.findings import best_variants, next_mechanism, note_uncounted
from shflbench.output.plot.page import Page
from shflbench.output.plot.quantity import TIME, quantity_of
from shflbench.output.plot.style import (
    BODY_PT,
    INK,
    MUTED,
    SMALL_PT,
    bar_look,
    color_of,
    mechanism_legend,
    shorten,
    width_of,
)
from shflbench.output.plot.subject import why_untimed
from shflbench.output.plot.sweeps import beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from shflbench.output.plot.quantity import Quantity
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

MOST_ROWS = 30  # in one figure, which is then about 12 inches high
_ROW = 0.27  # inches from bar to bar
_BAR = 0.72  # the filled part of that distance
_HEADING = 0.33  # above a panel
_AXIS = 0.5  # below the last panel
_ROUNDING = 1e-6  # of the last digit: what binary fractions may add to a half-width that is a whole number of digits
_GAP = 0.07  # inches between the end of a bar and its text, and between the parts of that text
_CLEAR = 0.03  # inches between that text and an interval that reaches beyond the bar, at least
_USUAL = "f32"  # the preferred element type where only one group is drawn


def charts(subject: ChartSubject) -> Iterator[Chart]:
    """Yield one chart of the cases on no sweep: all groups if one figure holds them, else one."""
    about = subject.part(beside(subject))
    if about.timed:
        shown = about.part(row for group in drawn_groups(about) for row in group)
        hidden = len(about.groups) - len(shown.groups)
        yield Chart(quantity_of(shown).name, shown, partial(draw, shown, hidden=hidden))


def drawn_groups(subject: ChartSubject) -> tuple[tuple[Row, ...], ...]:
    """Return all groups if one figure holds them, else one: the first of f32, or else the first."""
    if len(subject.rows) <= MOST_ROWS:
        return subject.groups
    timed = [rows for rows in subject.groups if any(row.time_us for row in rows)]
    return (next((rows for rows in timed if rows[0].dtype == _USUAL), timed[0]),)


def draw(subject: ChartSubject, *, hidden: int = 0) -> Page:
    """Draw a bar for each timed row, with interval, value and speed-up, and a line of text for each other row.

    `hidden` is the number of groups that another chart shows.
    """
    quantity = quantity_of(subject)
    panels = [sorted(rows, key=time_us) for rows in subject.groups]
    heading = _HEADING if len(panels) > 1 else 0.0
    better = "longer" if quantity.more_is_better else "shorter"
    page = Page(
        title=best_variants(subject),
        subtitle=(
            f"{quantity.words.capitalize()}{subject.shared_setting}; {better} is better.",
            next_mechanism(subject),
        ),
        caption=subject.caption,
        notes=[*_elsewhere(subject, hidden), *note_uncounted(subject)],
        scope=subject.group_names,
        legend=mechanism_legend(subject.timed),
        body=sum(heading + len(rows) * _ROW for rows in panels) + _AXIS,
    )
    decimals = _decimals(subject.timed, quantity)
    label_width = max(width_of(row.variant) for row in subject.rows) + 0.15
    width = page.width - label_width
    limit = _limit(subject.timed, width, quantity, decimals)
    top = 0.0
    for rows in panels:
        if heading:
            page.text(0, top + 0.12, subject.distinct_setting(rows[0]))
        axes = page.axes(label_width, top + heading, width, len(rows) * _ROW)
        _panel(axes, rows, limit, width, quantity, decimals)
        top += heading + len(rows) * _ROW
        axes.tick_params(axis="x", labelbottom=rows is panels[-1], length=3 if rows is panels[-1] else 0)
    axes.set_xlabel(f"{quantity.label} (line at the end of a bar: 95% interval of the median)")
    return page


def _elsewhere(subject: ChartSubject, hidden: int) -> list[str]:
    """Return a note that says where the hidden groups are."""
    if not hidden:
        return []
    has_table = any(row.speedup for row in subject.timed)
    where = f"the chart {subject.pattern}-speedup (plot --all) shows all" if has_table else "see results.csv"
    return [f"1 of {hidden + 1} settings; {where}."]


def _limit(rows: Sequence[Row], width: float, quantity: Quantity, decimals: int) -> float:
    """Return the end of the axis at which every bar has room for its text."""

    def needed(row: Row) -> float:
        room = width - _words_width(row, quantity, decimals) - 0.1
        interval = quantity.interval(row)
        behind = interval[1] * width / (room + _GAP - _CLEAR) if interval else 0.0
        return max(quantity.value(row) * width / room, behind)

    return max(map(needed, rows))


def _panel(  # noqa: PLR0913, PLR0917  (axes, what is drawn, and the scale shared by all panels)
    axes: Axes, rows: Sequence[Row], limit: float, width: float, quantity: Quantity, decimals: int
) -> None:
    axes.set_xlim(0, limit)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [row.variant for row in rows], size=BODY_PT)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for y, row in enumerate(rows):
        if row.time_us is None:
            words = shorten(why_untimed(row), width - _GAP, SMALL_PT)
            axes.text(_GAP * limit / width, y, words, va="center", size=SMALL_PT, color=MUTED, style="italic")
            continue
        value = quantity.value(row)
        axes.barh(y, value, height=_BAR, **bar_look(row))
        if row.variant == row.baseline:
            axes.axvline(value, color=MUTED, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
        _interval(axes, y, quantity.interval(row))
        _write(axes, y, row, limit / width, quantity, decimals)


def _interval(axes: Axes, y: float, interval: tuple[float, float] | None) -> None:
    if interval is None:
        return
    axes.plot(interval, [y, y], color=INK, lw=1.4, solid_capstyle="butt")
    for end in interval:
        axes.plot([end, end], [y - 0.2, y + 0.2], color=INK, lw=0.9)


def _write(  # noqa: PLR0913, PLR0917  (a place, a row, and the scale shared by all rows)
    axes: Axes, y: float, row: Row, per_inch: float, quantity: Quantity, decimals: int
) -> None:
    interval = quantity.interval(row)
    x = max(quantity.value(row) + _GAP * per_inch, interval[1] + _CLEAR * per_inch if interval else 0.0)
    for words, weight, tone in _words(row, quantity, decimals):
        label = axes.text(x, y, words, va="center_baseline", size=SMALL_PT, weight=weight, color=tone)
        label.set_bbox(
            {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        )  # over the grid and the line of the baseline
        x += (width_of(words, SMALL_PT, weight) + 1.6 * _GAP) * per_inch


def _words_width(row: Row, quantity: Quantity, decimals: int) -> float:
    return sum(width_of(words, SMALL_PT, weight) + 1.6 * _GAP for words, weight, _ in _words(row, quantity, decimals))


def _words(row: Row, quantity: Quantity, decimals: int) -> list[tuple[str, str, str]]:
    """Return the text at the end of the row's bar: words, weight and color of each part."""
    parts = [(value_text(row, decimals, quantity), "normal", INK)]
    if row.variant == row.baseline:
        parts.append(("baseline", "normal", MUTED))
    elif row.speedup is not None:
        parts.append((f"{row.speedup:.2f}×", "bold", INK))
    if not row.safe:
        proof = "" if row.matched is None else f", matched {row.matched} of {row.inputs}"
        parts.append((f"UNSAFE{proof}", "normal", color_of(row)))
    return parts


def _decimals(rows: Sequence[Row], quantity: Quantity) -> int:
    """Return how many decimals the intervals justify: one number for the chart, so that figures line up."""
    halves = sorted(half for row in rows if (half := _half(row, quantity)) is not None)
    typical = halves[len(halves) // 2] if halves else 0.0
    return next((digits for digits in range(4) if round(typical, digits) > 0), 1)


def value_text(row: Row, decimals: int, quantity: Quantity = TIME) -> str:
    """Return the value and half its interval, which is never rounded down: `328.0 ± 0.2 µs`."""
    half, value = _half(row, quantity), quantity.value(row)
    if half is None:
        return f"{value:.{decimals}f} {quantity.unit}"
    step = 10.0**-decimals
    up = max(1, ceil(half / step - _ROUNDING)) * step
    return f"{value:.{decimals}f} ± {up:.{decimals}f} {quantity.unit}"


def _half(row: Row, quantity: Quantity) -> float | None:
    """Return half the width of the row's interval."""
    interval = quantity.interval(row)
    return None if interval is None else (interval[1] - interval[0]) / 2
