"""Comparisons for the tests of the forest plot, and what is on a drawn page."""

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison
from shflbench.output.plot.page import Page
from tests.fakes.comparisons import quiet, timed
from tests.output.plot.subjects import points


def of(changes: Sequence[float], case_us: float = 300.0) -> Comparison:
    """Return a comparison of cases that changed by these fractions."""
    return of_verdicts([timed(f"reduce/shfl/f32/{n}x64/4096", case_us, change) for n, change in enumerate(changes)])


def of_verdicts(verdicts: Sequence[ChangeVerdict]) -> Comparison:
    return replace(quiet(), verdicts=tuple(verdicts))


def names(page: Page) -> list[str]:
    (axes,) = page.figure.axes
    return [label.get_text() for label in axes.get_yticklabels()]


def marks(page: Page) -> list[Line2D]:
    """Return the marks of the cases that have a line, from top to bottom."""
    (axes,) = page.figure.axes
    return [line for line in axes.lines if line.get_marker() != "None" and len(points(line)[0]) == 1]


def arrows(page: Page) -> list[tuple[float, float]]:
    """Return where each arrow ends: x and y."""
    (axes,) = page.figure.axes
    return [item.xy for item in axes.texts if isinstance(item, Annotation) and not item.get_text()]


def bands(page: Page) -> list[tuple[float, float]]:
    (axes,) = page.figure.axes
    return [
        (patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches if isinstance(patch, Rectangle)
    ]
