"""The share of the limit that each variant reaches, a panel per pattern: one chart of the whole run."""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from shflbench.analysis.ranking import time_us
from shflbench.analysis.settings import ITERATIONS
from shflbench.core.grouping import group_by
from shflbench.output.plot.chart import Chart
from shflbench.output.plot.limit_findings import beyond, ceiling_share, find_beaten, limited_variants, omissions, share
from shflbench.output.plot.limit_panel import CEILING, DOT, LimitPanel, other_settings
from shflbench.output.plot.limiters import limiter_legend
from shflbench.output.plot.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.artist import Artist

    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

_USUAL = "f32"  # the preferred element type
_AXIS = 0.5  # inches below the last panel
_BETWEEN = 0.3  # inches between the columns


def charts(subject: ChartSubject) -> Iterator[Chart]:
    """Yield one chart of the whole run, if a case that is drawn has a limit."""
    if any(share(subject, row) is not None for row in representatives(subject).timed):
        yield Chart("limits", subject, partial(draw, subject), of_run=True)


def representatives(subject: ChartSubject) -> ChartSubject:
    """Return the part of a run that is drawn: one setting of each pattern, see `_rank`."""
    timed = [group for group in subject.groups if any(row.time_us for row in group)]
    by_pattern = group_by(timed, lambda group: group[0].pattern)
    return subject.part(row for groups in by_pattern.values() for row in max(groups, key=_rank))


def _rank(group: Sequence[Row]) -> tuple[bool, int, int]:
    """Rank the settings of a pattern: f32, then the most timed variants, then the most threads."""
    timed = sum(row.time_us is not None for row in group)
    return group[0].dtype == _USUAL, timed, (group[0].grid or 0) * group[0].block


def draw(subject: ChartSubject) -> Page:
    """Draw a panel for each pattern, its fastest variant first; a dot below a bar is another setting of the variant."""
    shown = representatives(subject)
    panels = _panels(subject, shown)
    columns = _columns(panels)
    page = Page(
        title=limited_variants(shown),
        subtitle=_subtitle(subject, shown),
        caption=subject.caption,
        scope=shown.group_names,
        notes=[*_choice(subject, shown), *find_beaten(subject), *beyond(shown), *omissions(shown)],
        legend=_legend(subject, shown),
        body=max(sum(panel.height for panel in column) for column in columns) + _AXIS,
    )
    width = (page.width - (len(columns) - 1) * _BETWEEN) / len(columns)
    widths = max(panel.label_width for panel in panels), max(panel.words_width for panel in panels)
    for number, column in enumerate(columns):
        top = 0.0
        for panel in column:
            axes = panel.draw(page, number * (width + _BETWEEN), top, width, widths)
            axes.tick_params(axis="x", labelbottom=panel is column[-1])
            top += panel.height
        axes.set_xlabel("limit ÷ measured time", labelpad=2)
    return page


def _panels(subject: ChartSubject, shown: ChartSubject) -> list[LimitPanel]:
    has_dots = any(other_settings(subject, row) for row in shown.rows)
    return [
        LimitPanel(subject, shown.distinct_setting(group[0], {ITERATIONS}), sorted(group, key=time_us), has_dots)
        for group in shown.groups
    ]


def _columns(panels: Sequence[LimitPanel]) -> list[Sequence[LimitPanel]]:
    """Return the panels in two columns of about the same height; in one if there is one panel."""
    if len(panels) == 1:
        return [panels]
    ends = list(accumulate(panel.height for panel in panels))
    first = min(range(1, len(panels)), key=lambda count: max(ends[count - 1], ends[-1] - ends[count - 1]))
    return [panels[:first], panels[first:]]


def _subtitle(subject: ChartSubject, shown: ChartSubject) -> tuple[str, ...]:
    about = "The share of a launch's measured time that the hardware needs at least; 100% cannot be beaten."
    if len(shown.groups) == len(subject.groups):
        return about, f"All cases{shown.shared_setting}." if shown.shared_setting else ""
    return about, f"One setting per pattern{shown.shared_setting}: {len(shown.rows)} of {len(subject.rows)} cases."


def _choice(subject: ChartSubject, shown: ChartSubject) -> list[str]:
    """Return a note that says which setting of a pattern is drawn."""
    if len(shown.groups) == len(subject.groups):
        return []
    return [f"Setting of a pattern: {_USUAL} if it was timed, then the most variants, then the most threads."]


def _legend(subject: ChartSubject, shown: ChartSubject) -> list[Artist]:
    """Return what sets the limits, and what a dot and a line mean where there are some."""
    limited = [row for row in shown.timed if share(subject, row) is not None]
    others = [other for row in limited for other in other_settings(subject, row)]
    legend: list[Artist] = [*limiter_legend(subject.limits[row.case_id].limit_by for row in (*limited, *others))]
    if others:
        legend.append(Line2D([], [], markerfacecolor="white", label="another setting of the variant", **DOT))
    if any(ceiling_share(subject, row) is not None for row in limited):
        legend.append(Line2D([], [], label="share at the rates that `calibrate` measured", **CEILING))
    return legend
