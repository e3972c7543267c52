"""Draw the charts of a run: those that answer the questions of its suite, or all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shflbench.core.model import Mechanism
from shflbench.errors import ResultsError
from shflbench.output.plot import bars, curves, distribution, heatmap, limit_chart, overview, predictions
from shflbench.output.plot.save import SVG, save
from shflbench.output.plot.style import house_style
from shflbench.output.plot.subject import subjects, whole_run
from shflbench.suite import find_shipped
from shflbench.suite.chart_names import MAX_CHARTS
from shflbench.suite.revision import charts_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.output.plot.chart import Chart
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Run, RunInfo

_FIRST_OF_RUN = "limits"  # the chart of the whole run that is drawn where there is room

Charts = Callable[["ChartSubject"], "Iterator[Chart]"]

OF_A_PATTERN: tuple[Charts, ...] = (bars.charts, overview.charts, curves.charts, heatmap.charts)
OF_A_RUN: tuple[Charts, ...] = (distribution.charts, limit_chart.charts, predictions.charts)


def draw(run: Run, folder: Path, kinds: Sequence[str] = (SVG,), charts: Iterable[Chart] | None = None) -> list[Path]:
    """Draw `charts` of a run, by default `default_charts`, as `<pattern>-<chart>.svg` in `folder`.

    Return the paths. A file whose content would not change is not touched. ResultsError if nothing was timed or the
    folder cannot be written.
    """
    some = default_charts(run) if charts is None else charts
    with house_style():
        return [
            save(page, folder / f"{chart.file_name}.{kind}", "name another with --output")
            for chart in some
            for page in (chart.draw(),)
            for kind in kinds
        ]


def default_charts(run: Run, every: Sequence[Chart] | None = None) -> list[Chart]:
    """Return the charts that answer the questions of the run's suite, of `every` chart of the run.

    ResultsError if nothing was timed.
    """
    return choose_charts(all_charts(run) if every is None else every, charts_of_run(run.info))


def all_charts(run: Run) -> list[Chart]:
    """Return every chart that applies to the run and its patterns. ResultsError if nothing was timed."""
    whole = whole_run(run)
    patterns = subjects(whole)
    if not patterns:
        raise _nothing_to_draw(run)
    for row in run.rows:
        if row.mechanism and row.mechanism not in list(Mechanism):
            message = f"{run.folder} cannot be drawn: this shflbench knows no mechanism `{row.mechanism}`"
            raise ResultsError(message, "draw it with a newer version of shflbench")
    return [
        *(chart for subject in patterns for charts in OF_A_PATTERN for chart in charts(subject)),
        *(chart for charts in OF_A_RUN for chart in charts(whole)),
    ]


def _nothing_to_draw(run: Run) -> ResultsError:
    reason = {
        "none": "it was compiled without a GPU",
        "emulator": "the emulator verifies kernels and has no time",
    }.get(run.info.backend, "no case was timed" if run.rows else "it has no rows yet")
    message = f"{run.folder} holds nothing to draw: {reason}"
    return ResultsError(message, "run the suite on a machine with a GPU: shflbench run " + run.info.suite.name)


def charts_of_run(info: RunInfo) -> tuple[str, ...]:
    """Return the names of charts that the run's suite declares; no path of the run is opened.

    A text without `charts` may be older than the key: then those of the shipped suite of the same name are taken.
    """
    names = charts_in(info.suite.text)
    if not names and (path := find_shipped().get(info.suite.name)):
        names = charts_in(path.read_text(encoding="utf-8"))
    return names


def choose_charts(charts: Sequence[Chart], names: Sequence[str]) -> list[Chart]:
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
