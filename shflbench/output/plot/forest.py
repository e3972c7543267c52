"""The forest plot of a comparison: a line per case, with its change, the interval, and the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import UsageError
from shflbench.output.plot.forest_lines import fold, scale_of
from shflbench.output.plot.forest_marks import Sheet, legend
from shflbench.output.plot.forest_words import caption, direction, figure_of, notes, plain, subtitle, title
from shflbench.output.plot.page import Page
from shflbench.output.plot.save import METADATA, save
from shflbench.output.plot.style import SMALL_PT, fit_size, house_style, shorten, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.analysis.compare.comparison import Comparison

_FEW = 12  # lines, up to which they are wider spaced
_AIRY, _DENSE, _STRIP = 0.28, 0.2, 0.5  # inches per line of few, per line of many, per strip of cases
_TALL = 6.0  # inches of lines, from which on the axis is also labeled above them
_ABOVE, _AXIS = 0.2, 0.5  # inches of an axis above the lines and below them
_LABELS = 0.5  # of the page's width, at most, for the cases' names
_LEAST_PT = 6.5  # the smallest type; a name that is still too long is cut
_GAP = 0.15  # inches, left and right of the axes


def draw_forest(comparison: Comparison, path: Path) -> None:
    """Draw the comparison in the file at `path`, in the format of its suffix; an unchanged file is not touched.

    UsageError if the suffix is none of svg, png and pdf; ResultsError if the file cannot be written.
    """
    kind_of(path)
    with house_style():
        page = draw(comparison)
        save(page, path, "name a file elsewhere with --plot")


def kind_of(path: Path) -> str:
    """Return the format that the file's suffix names; UsageError if it is none of svg, png and pdf."""
    kind = path.suffix[1:].lower()
    if kind not in METADATA:
        raise UsageError(f"{path} has no suffix that names a format", "give a file that ends in .svg, .png or .pdf")
    return kind


def draw(comparison: Comparison) -> Page:
    """Draw the most important case at the top; of too many cases, those with the same outcome share a strip."""
    listed, rests = fold(comparison)
    row = _AIRY if len(listed) + len(rests) <= _FEW else _DENSE
    height = len(listed) * row + len(rests) * _STRIP or row
    top = _ABOVE if height > _TALL else 0.0
    page = Page(
        title=title(comparison),
        subtitle=subtitle(comparison),
        caption=caption(comparison),
        notes=notes(comparison),
        legend=legend(comparison),
        body=top + height + _AXIS,
    )
    names, size = _fit_names([plain(verdict.case_id) for verdict in listed] + [rest.name for rest in rests], page.width)
    figures = [figure_of(verdict) for verdict in listed] + [rest.figure for rest in rests]
    name_width = _GAP + max((width_of(name, size) for name in names), default=0.0)
    width = page.width - name_width - _GAP - max((width_of(figure, SMALL_PT) for figure in figures), default=0.0)
    axes = page.axes(name_width, top, width, height)
    sheet = Sheet(axes, scale_of(comparison), width, judged=not comparison.across)
    sheet.frame(height, direction(comparison), above=top > 0)
    places = [(number + 0.5) * row for number in range(len(listed))]
    places += [len(listed) * row + (number + 0.5) * _STRIP for number in range(len(rests))]
    axes.set_yticks(places, names, size=size)
    for y, verdict in zip(places, listed, strict=False):
        sheet.line(y, row, verdict)
    for y, rest in zip(places[len(listed) :], rests, strict=True):
        sheet.strip(y, _STRIP, rest)
    for y, figure in zip(places, figures, strict=True):
        sheet.figure(y, figure)
    return page


def _fit_names(names: Sequence[str], width: float) -> tuple[list[str], float]:
    """Return the names as they fit beside the axes, and their common font size in points."""
    size = max(_LEAST_PT, min((fit_size(name, width * _LABELS, SMALL_PT) for name in names), default=SMALL_PT))
    return [shorten(name, width * _LABELS, size) for name in names], size
