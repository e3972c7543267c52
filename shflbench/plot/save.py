"""Write a figure to disk so that the same data gives the same bytes, and an unchanged file is not touched."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from shflbench.store import files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.plot.page import Page

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
    metadata = {**METADATA[kind], "Title": page.title}
    if kind == SVG and page.scope:
        metadata["Keywords"] = list(page.scope)
    page.figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata=metadata)
    content = buffer.getvalue()
    with files.writing(path, remedy):
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            files.replace(path, content)
    return path
