"""Which charts a run gets, and the names of their files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.model import Mechanism
from shflbench.plot import bars, curves, distribution, heatmap, limits, overview, predictions
from shflbench.plot.save import SVG, save
from shflbench.plot.style import house_style
from shflbench.plot.subject import subjects, whole_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shflbench.plot.page import Page
    from shflbench.plot.subject import ChartSubject
    from shflbench.store import Run


Pages = Callable[["ChartSubject"], "Iterator[tuple[str, Page]]"]  # the end of each file's name, and its page

OF_A_PATTERN: tuple[Pages, ...] = (bars.pages, overview.pages, curves.pages, heatmap.pages)
OF_A_RUN: tuple[Pages, ...] = (distribution.pages, limits.pages, predictions.pages)


def draw(run: Run, folder: Path, kinds: Sequence[str] = (SVG,)) -> list[Path]:
    """Draw every chart that applies to the run and its patterns as `<pattern>-<chart>.svg` in `folder`.

    Return the paths. A file whose content would not change is not touched. ResultsError if nothing was timed or the
    folder cannot be written.
    """
    patterns = subjects(run)
    if not patterns:
        raise _nothing_to_draw(run)
    for row in run.rows:
        if row.mechanism and row.mechanism not in list(Mechanism):
            message = f"{run.folder} cannot be drawn: this shflbench knows no mechanism `{row.mechanism}`"
            raise ResultsError(message, "draw it with a newer version of shflbench")
    with house_style():
        return [
            save(page, folder / f"{name}.{kind}", "name another with --output")
            for name, page in _charts(patterns, whole_run(run))
            for kind in kinds
        ]


def _charts(patterns: Sequence[ChartSubject], whole: ChartSubject) -> Iterator[tuple[str, Page]]:
    """Yield each chart with the name of its file."""
    for subject in patterns:
        for pages in OF_A_PATTERN:
            for ending, page in pages(subject):
                yield re.sub(r"[^\w.-]", "_", f"{subject.pattern}-{ending}"), page
    for pages in OF_A_RUN:
        yield from pages(whole)


def _nothing_to_draw(run: Run) -> ResultsError:
    reason = {
        "none": "it was compiled without a GPU",
        "emulator": "the emulator verifies kernels and has no time",
    }.get(run.info.backend, "no case was timed" if run.rows else "it has no rows yet")
    message = f"{run.folder} holds nothing to draw: {reason}"
    return ResultsError(message, "run the suite on a machine with a GPU: shflbench run " + run.info.suite.name)
