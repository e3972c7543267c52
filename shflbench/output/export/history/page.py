"""Render the report of a history: one HTML file, which looks as the report of runs does, and requests nothing."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench import __version__
from shflbench.analysis.history.events import recent
from shflbench.output.export.history.content import DAYS, HistoryReport, suite_section, summary
from shflbench.output.export.html.page import render_page
from shflbench.output.export.html.texts import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.history.findings import SuiteHistory

FOLDER = Path(__file__).parent
GENERATOR = "shflbench history report"  # by which the command recognizes a report that it may replace


def render(histories: Sequence[SuiteHistory], title: str = "") -> str:
    """Return the text of the HTML file."""
    report = HistoryReport(
        title=title or f"What changed: {', '.join(dict.fromkeys(short(history.suite) for history in histories))}",
        sentences=tuple(
            short(f"{history.suite} on {history.gpu_name or history.gpu or 'unknown GPU'}: ")
            + summary(history, recent(history, DAYS))
            for history in histories
        ),
        suites=tuple(suite_section(history, number) for number, history in enumerate(histories, 1)),
        version=__version__,
    )
    return render_page("history.html", GENERATOR, FOLDER, _style(), report=report, days=DAYS)


@cache
def _style() -> str:
    return (FOLDER / "assets" / "history.css").read_text(encoding="utf-8")
