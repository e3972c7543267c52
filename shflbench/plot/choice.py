"""Choose the charts that are drawn by default: those that the suite declares, or those with the most settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.suite import find_shipped
from shflbench.suite.chart_names import MAX_CHARTS
from shflbench.suite.revision import charts_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.plot.chart import Chart
    from shflbench.store import RunInfo

_FIRST_OF_RUN = "limits"  # the chart of the whole run that is drawn where there is room


def charts_of_run(info: RunInfo) -> tuple[str, ...]:
    """Return the names of charts that the run's suite declares; no path of the run is opened.

    A text without `charts` may be older than the key: then those of the shipped suite of the same name are taken.
    """
    names = charts_in(info.suite.text)
    if not names and (path := find_shipped().get(info.suite.name)):
        names = charts_in(path.read_text(encoding="utf-8"))
    return names


def chosen(charts: Sequence[Chart], names: Sequence[str]) -> list[Chart]:
    """Return the charts with these names, with all parts of each.

    If none of them is of a pattern, because the suite declares none or the run has other patterns, choose at most six
    by settings: each next chart is the one that shows the most settings that no chart before it shows, until all are
    shown; `limits` comes last, if there is room.
    """
    declared = [chart for chart in charts if chart.name in names]
    if any(not chart.of_run for chart in declared):
        return declared
    remaining = [chart for chart in charts if not chart.of_run]
    picked: list[Chart] = []
    shown: set[str] = set()
    while len(picked) < MAX_CHARTS and remaining:
        best = max(remaining, key=lambda chart: len(set(chart.subject.group_names) - shown))
        if not set(best.subject.group_names) - shown:
            break
        picked.append(best)
        shown.update(best.subject.group_names)
        remaining.remove(best)
    of_run = [chart for chart in charts if chart.of_run and chart.name == _FIRST_OF_RUN]
    picked += of_run[: MAX_CHARTS - len(picked)]
    return sorted(picked, key=charts.index)
