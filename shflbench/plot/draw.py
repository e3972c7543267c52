"""Which charts a run gets, and where they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.model import Mechanism
from shflbench.plot import bars, curves, distribution, heatmap
from shflbench.plot.save import save
from shflbench.plot.style import house_style
from shflbench.plot.subject import subjects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from shflbench.plot.page import Page
    from shflbench.plot.subject import Subject
    from shflbench.store import Run


@dataclass(frozen=True, slots=True)
class Chart:
    """One kind of chart: the end of its file name, the runs that it is for, and how it is drawn."""

    name: str
    applies: Callable[[Subject], bool]
    draw: Callable[[Subject], Page]


CHARTS: tuple[Chart, ...] = (
    Chart("time", bars.applies, bars.draw),
    Chart("time", curves.applies, curves.draw),  # instead of bars, where there are many launches
    Chart("speedup", heatmap.applies, heatmap.draw),
    Chart("samples", distribution.applies, distribution.draw),
)


def draw(run: Run, folder: Path) -> list[Path]:
    """Draw every chart that applies to each pattern of the run as `<pattern>-<chart>.png` and `.svg` in `folder`.

    Return the paths. A file whose content would not change is not touched. ResultsError where nothing was timed,
    or where the folder cannot be written.
    """
    found = subjects(run)
    if not found:
        raise _nothing_to_draw(run)
    for row in run.rows:
        if row.mechanism not in list(Mechanism):
            message = f"{run.folder} cannot be drawn: this shflbench knows no mechanism `{row.mechanism}`"
            raise ResultsError(message, "draw it with a newer one: pip install --upgrade shflbench")
    paths: list[Path] = []
    with house_style():
        for subject in found:
            for chart in CHARTS:
                if chart.applies(subject):
                    page = chart.draw(subject)
                    paths += save(page.figure, folder, f"{subject.pattern}-{chart.name}", page.title)
    return paths


def _nothing_to_draw(run: Run) -> ResultsError:
    reason = {
        "none": "it was compiled without a GPU",
        "emulator": "the emulator verifies kernels and has no time",
    }.get(run.info.backend, "no case was timed" if run.rows else "it has no rows yet")
    message = f"{run.folder} holds nothing to draw: {reason}"
    return ResultsError(message, "run the suite on a machine with a GPU: shflbench run " + run.info.suite.name)
