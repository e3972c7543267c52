"""Speed-up over the baseline as one table of colors: a line per setting, a column per variant, fastest first."""

from __future__ import annotations

from functools import partial
from math import log2, log10, nan
from typing import TYPE_CHECKING

from matplotlib.patches import Rectangle

from shflbench.output.plot.answers import answer
from shflbench.output.plot.bars import drawn_groups
from shflbench.output.plot.chart import Chart
from shflbench.output.plot.findings import note_uncounted
from shflbench.output.plot.heatmap import COLORS, cell_text, color_bar, scale_of
from shflbench.output.plot.page import MARGIN, WIDTH, Page
from shflbench.output.plot.style import MUTED, RULE, SMALL_PT, bar_look, fit_size, ink_on, mechanism_legend, width_of
from shflbench.output.plot.subject import parts, untimed_notes
from shflbench.output.plot.sweeps import beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

MOST_LINES = 48  # in one figure, which is then 12 inches high
_DIGITS = 3  # of the shortest time
_CELL = 0.21  # inches: the height of a line
_COLUMN = 1.05  # inches, at most: the width of a column
_HEAD = 0.62  # inches above the cells: swatch and name of each variant, unless names are written upwards
_SWATCH = 0.18  # inches: the height of a swatch and what is below it
_NAME_PT = SMALL_PT - 0.5
_LEAST_PT = SMALL_PT - 2  # smaller names are not readable: they are written upwards
_NAME_LINE = 0.14  # inches per line of a name
_BAR = 0.75  # inches for the color bar


def charts(subject: ChartSubject) -> Iterator[Chart]:
    """Yield the charts of the cases on no sweep, if their groups are too many for bars."""
    about = subject.part(beside(subject))
    if len(drawn_groups(about)) == len(about.groups) or not any(row.speedup for row in about.timed):
        return
    for ending, part in parts(about, MOST_LINES, ()):
        yield Chart("speedup", part, partial(draw, part), ending)


def draw(subject: ChartSubject) -> Page:
    """Draw a line for each group, with the time of the baseline first, and a column for each other variant."""
    rows = {row.variant: row for row in subject.rows}
    variants = {variant: rows[variant] for variant in subject.variants if variant != subject.baseline}
    lines = [group[0] for group in subject.groups]
    settings = [subject.distinct_setting(row) for row in lines]
    label_width = max(map(width_of, settings)) + 0.12
    column = min(_COLUMN, (WIDTH - 2 * MARGIN - label_width) / (len(variants) + 1))
    height, head = len(lines) * _CELL, _head_height(list(variants.values()), column)
    page = Page(
        title=answer(subject),
        subtitle=(f"Time of {subject.baseline} ÷ time of the variant, both{subject.shared_setting}.",),
        caption=subject.caption,
        scope=subject.group_names,
        notes=note_uncounted(subject) + untimed_notes(subject.rows),
        legend=mechanism_legend(variants.values()),
        body=head + height + _BAR,
    )
    for number, row in enumerate(variants.values(), start=1):
        if head > _HEAD:
            _upright_head(page, row, label_width + (number + 0.5) * column, head)
        else:
            _head(page, row, label_width + number * column, column)
    page.text(label_width, head - 2 * _NAME_LINE - 0.04, f"{subject.baseline}", size=SMALL_PT)
    unit = "time, µs" if head == _HEAD else "µs"
    page.text(label_width, head - _NAME_LINE - 0.04, unit, size=SMALL_PT, weight="normal")
    axes = page.axes(label_width, head, column * (len(variants) + 1), height)
    scale = scale_of(subject.timed)
    _cells(axes, subject, list(variants), scale)
    axes.set_yticks([y + 0.5 for y in range(len(lines))], settings)
    bar = page.axes(label_width, head + height + 0.12, page.width - label_width, 0.13)
    color_bar(page, bar, scale, subject.baseline or "the baseline")
    return page


def _head_height(rows: Sequence[Row], width: float) -> float:
    """Return the inches above the cells: more than `_HEAD` where a column is too narrow for a name."""
    lines = [line for row in rows for line in _name_lines(row, width)]
    if min(fit_size(line, width - 0.06, _NAME_PT, "bold") for line in lines) >= _LEAST_PT:
        return _HEAD
    return max(_HEAD, *(width_of(_upright_name(row), _NAME_PT, "bold") for row in rows)) + _SWATCH + 0.1


def _upright_head(page: Page, row: Row, x: float, head: float) -> None:
    """Write the variant's name upwards, over the middle of its column."""
    page.upright(x, head - _SWATCH - 0.04, _upright_name(row), size=_NAME_PT)
    page.swatch(x - 0.12, head - _SWATCH, bar_look(row))


def _upright_name(row: Row) -> str:
    return row.variant if row.safe else f"{row.variant} UNSAFE"


def _head(page: Page, row: Row, x: float, width: float) -> None:
    """Write the variant's name above its column, in one line or two, and mark an unsafe one."""
    lines = _name_lines(row, width)
    top = _HEAD - len(lines) * _NAME_LINE - 0.04
    page.swatch(x + 0.04, top - 0.14, bar_look(row))
    for number, line in enumerate(lines):
        size = fit_size(line, width - 0.06, _NAME_PT, "bold")
        page.text(x + 0.04, top + number * _NAME_LINE, line, size=size)


def _name_lines(row: Row, width: float) -> list[str]:
    return _broken(row.variant, width - 0.08) + ([] if row.safe else ["UNSAFE"])


def _broken(name: str, width: float) -> list[str]:
    """Return the name on one line if it is at most `width` inches wide, else broken after its first hyphen."""
    if width_of(name, _NAME_PT, "bold") <= width or "-" not in name:
        return [name]
    first, _, rest = name.partition("-")
    return [f"{first}-", rest]


def _cells(axes: Axes, subject: ChartSubject, variants: Sequence[str], scale: Normalize) -> None:
    values = [[nan] * (len(variants) + 1) for _ in subject.groups]
    decimals = max(0, _DIGITS - 1 - int(log10(min(row.time_us or 1.0 for row in subject.timed))))
    for y, group in enumerate(subject.groups):
        for row in group:
            if row.variant == subject.baseline:
                words = f"{row.time_us:.{decimals}f}" if row.time_us else str(row.status)
                axes.text(0.04, y + 0.5, words, va="center_baseline", size=SMALL_PT)
                continue
            x = variants.index(row.variant) + 1
            if row.speedup is None:
                axes.add_patch(Rectangle((x + 0.02, y + 0.05), 0.96, 0.9, facecolor=RULE))
                words, tone = ("no ratio" if row.time_us else str(row.status)), MUTED
            else:
                values[y][x] = log2(row.speedup)
                words, tone = cell_text(row.speedup), ink_on(COLORS(scale(log2(row.speedup))))
            axes.text(x + 0.5, y + 0.5, words, ha="center", va="center_baseline", color=tone, size=SMALL_PT)
    axes.pcolormesh(values, cmap=COLORS, norm=scale, edgecolors="white", linewidth=1.5)
    axes.set_ylim(len(values), 0)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
