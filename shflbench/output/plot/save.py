"""Write a figure to disk so that the same data gives the same bytes, and an unchanged file is not touched."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from matplotlib.text import Text

from shflbench.printable import escape, escape_lines
from shflbench.store import run_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

    from shflbench.output.plot.page import Page

# SVG is the default: sharp at every size, a third of the bytes, and its text can be searched, read aloud and compared
# line by line.
SVG, PNG, PDF = "svg", "png", "pdf"
PNG_DPI = 150  # 1350 pixels: sharp at README width, also on screens of one and a half pixels a point
# Without dates and versions, which would make each redrawing differ.
METADATA: Mapping[str, Mapping[str, str | list[str] | None]] = {
    PNG: {"Software": None},
    SVG: {"Date": None, "Creator": None, "Format": None, "Type": None},
    PDF: {"CreationDate": None, "Creator": None, "Producer": None},
}


def save(page: Page, path: Path, remedy: str) -> Path:
    """Save a page in the format that the suffix of `path` names, and return the path. Call inside `house_style()`.

    Its metadata hold the title, for screen readers, and as keywords its scope, by which a search for a case finds its
    charts. ResultsError with the `remedy` where it cannot be written.
    """
    kind = path.suffix[1:].lower()
    buffer = BytesIO()
    metadata = {**METADATA[kind], "Title": escape(page.title)}
    if kind == SVG and page.scope:
        metadata["Keywords"] = [escape(name) for name in page.scope]
    _escape_texts(page.figure)
    page.figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata=metadata)
    content = buffer.getvalue()
    with run_files.writing(path, remedy):
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            run_files.replace(path, content)
    return path


def _escape_texts(figure: Figure) -> None:
    """Escape control characters in all texts of a figure: XML cannot represent them, and no font has them."""
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        labels = [label.get_text() for label in axis.get_ticklabels()]
        escaped = list(map(escape_lines, labels))
        if labels != escaped:  # each drawing writes them again, so that the axis must have them
            axis.set_ticks(axis.get_majorticklocs(), escaped)
    for text in figure.findobj(Text):
        text.set_text(escape_lines(text.get_text()))
