"""Subjects with limits for the tests of charts, and the texts of a page that overlap."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, cycle

from matplotlib.axes import Axes
from matplotlib.text import Text

from shflbench.output.plot.page import Page
from shflbench.output.plot.subject import ChartSubject
from shflbench.store import Row
from shflbench.store.limits_file import CaseLimit
from tests.output.plot.subjects import subject

LIMITERS = ("exchange", "barrier", "issue", "latency", "dram", "fp64", "redux", "load/store", "integer")
SHARES = (0.98, 0.71, 0.43, 0.992, 0.05, 0.86, 0.004)
ERRORS = (0.012, -0.034, 0.0, 0.081, -0.23, 0.004, -0.11)


def limits_for(rows: Iterable[Row], by: Iterable[str] = LIMITERS) -> dict[str, CaseLimit]:
    """Return a limit and a prediction for each row; the shares and errors repeat themselves."""
    facts = zip(cycle(by), cycle(SHARES), cycle(ERRORS), strict=False)
    return {
        row.case_id: CaseLimit(
            case_id=row.case_id,
            limit_us=row.time_us * share,
            limit_by=limiter,
            limit_fraction=share,
            model_us=row.time_us * (1 + error),
        )
        for row, (limiter, share, error) in zip(rows, facts, strict=False)
        if row.time_us
    }


def limited(rows: Iterable[Row], limits: Mapping[str, CaseLimit] | None = None) -> ChartSubject:
    """Return the subject of a whole run with limits, by default those of `limits_for`."""
    about = subject(rows)
    return replace(about, pattern="quick", limits=limits_for(about.rows) if limits is None else limits)


def misplaced(page: Page) -> list[str]:
    """Return the texts that leave the page, and those that overlap another one. Call inside `house_style()`."""
    page.figure.draw_without_rendering()
    width, height = page.figure.get_size_inches() * page.figure.dpi
    hidden = {label for axes in page.figure.axes for label in _hidden_labels(axes)}
    shown = [item for item in page.figure.findobj(Text) if item.get_text().strip() and item not in hidden]
    boxes = [(item.get_text(), Text.get_window_extent(item)) for item in shown]
    outside = [text for text, box in boxes if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height]
    return outside + [f"{one} | {two}" for (one, a), (two, b) in combinations(boxes, 2) if a.overlaps(b)]


def _hidden_labels(axes: Axes) -> Iterator[Text]:
    """Yield the labels of ticks that are switched off or lie outside the axis."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            yield tick.label2
            if not tick.label1.get_visible() or not low <= tick.get_loc() <= high:
                yield tick.label1
