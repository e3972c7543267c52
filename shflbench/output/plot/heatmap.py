"""Speed-up over the baseline as heat maps over grid and block size, a panel per variant, fastest first."""

from __future__ import annotations

from functools import partial
from math import ceil, log2, nan
from typing import TYPE_CHECKING

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from shflbench.analysis.settings import BLOCK, GRID, one_pass
from shflbench.core.grouping import group_by
from shflbench.output.plot.answers import answer
from shflbench.output.plot.chart import Chart
from shflbench.output.plot.page import Page
from shflbench.output.plot.shapes import block_of, blocks_of, grid_of, grid_words, grids_of
from shflbench.output.plot.style import BODY_PT, MUTED, RULE, SMALL_PT, bar_look, fit_size, ink_on, width_of
from shflbench.output.plot.subject import parts, untimed_notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

MOST_PANELS = 12  # in one figure
FEWEST_LAUNCHES = 4  # two blocks by two grids
_ABREAST = 3  # panels side by side
_GAP = 0.25  # inches between panels
_HEADING, _CELL, _AXIS = 0.34, 0.32, 0.5  # inches: above a panel, a cell's height, below a panel
_SWATCH = 0.3  # inches from the patch of a mechanism to the panel's heading
_BAR = 0.7  # inches for the color bar
_LEAST_SCALE = log2(1.5)  # the colors reach at least to 1.5×, so that 1% does not look like a finding
_TWO_DIGITS = 10  # from here on one decimal is enough
# Blue is faster and red is slower; the two ends differ for every kind of color blindness (ColorBrewer).
COLORS = colormaps["RdBu"]


def charts(subject: ChartSubject) -> Iterator[Chart]:
    """Yield the charts of the cases whose launches form a grid; not of passes over data, where the grid is the size."""
    settings = group_by(subject.rows, lambda row: subject.distinct_setting(row, {GRID, BLOCK}))
    about = subject.part(row for rows in settings.values() if _is_map(rows) for row in rows)
    if not any(_is_compared(row) for row in about.rows):
        return
    variants = {row.variant for row in about.rows if row.variant != about.baseline}
    for ending, part in parts(about, max(1, MOST_PANELS // len(variants)), {GRID, BLOCK}):
        yield Chart("speedup-by-launch", part, partial(draw, part), ending)


def _is_map(rows: Sequence[Row]) -> bool:
    """Return whether the launches vary in blocks and in threads per block."""
    launches = {row.launch for row in rows if _is_compared(row)}
    several = len(grids_of(rows)) > 1 and len(blocks_of(rows)) > 1
    return several and len(launches) >= FEWEST_LAUNCHES and not all(map(one_pass, rows))


def draw(subject: ChartSubject) -> Page:
    """Draw a panel for each variant other than the baseline; the numbers are the speed-ups of the rows."""
    panels = _panels(subject)
    grids, blocks = grids_of(subject.rows), blocks_of(subject.rows)
    labels = [grid_words([row for row in subject.rows if grid_of(row) == grid]) for grid in grids]
    lines = ceil(len(panels) / _ABREAST)
    height = len(grids) * _CELL
    page = Page(
        title=answer(subject),
        subtitle=(f"Time of {subject.baseline} ÷ time of the variant, both{subject.shared_setting}.",),
        caption=subject.caption,
        scope=subject.group_names,
        notes=untimed_notes(subject.rows),
        body=lines * (_HEADING + height + _AXIS) + _BAR,
    )
    scale = scale_of(subject.timed)
    label_width = max(map(width_of, labels)) + 0.12
    width = (page.width - label_width - (_ABREAST - 1) * _GAP) / _ABREAST
    for number, (heading, rows) in enumerate(panels.items()):
        line, place = divmod(number, _ABREAST)
        x, top = label_width + place * (width + _GAP), line * (_HEADING + height + _AXIS)
        page.swatch(x, top + 0.13, bar_look(rows[0]))
        page.text(x + _SWATCH, top + 0.11, heading, size=fit_size(heading, width - _SWATCH, BODY_PT, "bold"))
        axes = page.axes(x, top + _HEADING, width, height)
        _cells(axes, rows, grids, blocks, scale)
        axes.set_yticks([y + 0.5 for y in range(len(grids))], labels if place == 0 else [""] * len(grids))
    bar = page.axes(label_width, lines * (_HEADING + height + _AXIS) + 0.1, page.width - label_width, 0.13)
    color_bar(page, bar, scale, subject.baseline or "the baseline")
    return page


def _is_compared(row: Row) -> bool:
    return row.speedup is not None and row.variant != row.baseline


def _panels(subject: ChartSubject) -> dict[str, list[Row]]:
    """Return the rows by heading: the variant, whether it is unsafe, and what varies other than the launch."""

    def heading(row: Row) -> str:
        name = row.variant if row.safe else f"{row.variant} (UNSAFE)"
        return ", ".join(filter(None, (name, subject.distinct_setting(row, {GRID, BLOCK}))))

    compared = (row for row in subject.rows if row.variant != subject.baseline)
    return group_by(sorted(compared, key=lambda row: subject.variants.index(row.variant)), heading)


def scale_of(rows: Sequence[Row]) -> Normalize:
    """Return the color scale over log2 of the speed-up, symmetric about 1×."""
    reach = max((abs(log2(row.speedup)) for row in rows if row.speedup), default=0.0)
    return Normalize(-max(reach, _LEAST_SCALE), max(reach, _LEAST_SCALE))


def _cells(axes: Axes, rows: Sequence[Row], grids: Sequence[str], blocks: Sequence[str], scale: Normalize) -> None:
    cells = {(grids.index(grid_of(row)), blocks.index(block_of(row))): row for row in rows}
    values = [
        [log2(row.speedup) if (row := cells.get((y, x))) and row.speedup else nan for x in range(len(blocks))]
        for y in range(len(grids))
    ]
    axes.pcolormesh(values, cmap=COLORS, norm=scale, edgecolors="white", linewidth=1.5)
    axes.set_ylim(len(grids), 0)
    for (y, x), row in cells.items():
        if row.speedup is None:
            axes.add_patch(Rectangle((x + 0.04, y + 0.06), 0.92, 0.88, facecolor=RULE))
            words, tone, size = ("no ratio" if row.time_us else str(row.status)), MUTED, SMALL_PT - 2
        else:
            words, size = cell_text(row.speedup), SMALL_PT
            tone = ink_on(COLORS(scale(log2(row.speedup))))
        axes.text(x + 0.5, y + 0.5, words, ha="center", va="center_baseline", color=tone, size=size)
    axes.set_xticks([x + 0.5 for x in range(len(blocks))], list(blocks))
    axes.set_xlabel("threads per block", labelpad=2)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def cell_text(speedup: float) -> str:
    """Return the number in a cell, three digits: `4.69`, `10.7`."""
    return f"{speedup:.2f}" if speedup < _TWO_DIGITS else f"{speedup:.1f}"


def color_bar(page: Page, axes: Axes, scale: Normalize, baseline: str) -> None:
    """Draw the scale of the colors in factors of two; the middle is the speed of the baseline."""
    bar = page.figure.colorbar(ScalarMappable(scale, COLORS), cax=axes, orientation="horizontal")
    end = int(scale_end(scale))
    steps = range(-end, end + 1) if end else (-_LEAST_SCALE, 0, _LEAST_SCALE)
    bar.set_ticks(list(steps), labels=[f"{2**step:.3g}×" for step in steps])
    bar.set_label(f"speed-up over {baseline} (logarithmic): red is slower, blue is faster", labelpad=2)
    bar.outline.set_visible(False)


def scale_end(scale: Normalize) -> float:
    """Return log2 of the largest speed-up on the scale."""
    return scale.vmax or _LEAST_SCALE
