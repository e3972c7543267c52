"""Write a figure to disk so that the same data gives the same bytes, and an unchanged file is not touched."""

from __future__ import annotations

import os
from io import BytesIO
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

# A chart is an SVG unless a PNG is asked for: sharp at every size, a third of the bytes, and its text can be searched,
# read aloud and compared line by line.
SVG, PNG = "svg", "png"
PNG_DPI = 150  # 1350 pixels: sharp at README width, also on screens of one and a half pixels a point
# Without dates and versions, or each redrawing would differ.
_METADATA: Mapping[str, Mapping[str, str | None]] = {
    PNG: {"Software": None},
    SVG: {"Date": None, "Creator": None, "Format": None, "Type": None},
}


def save(figure: Figure, folder: Path, name: str, title: str, kinds: Sequence[str] = (SVG,)) -> list[Path]:
    """Save `name`.svg, or as the `kinds` say, in `folder`, titled for screen readers; return their paths.

    ResultsError where the folder cannot be written. Call inside `house_style()`.
    """
    paths = []
    for kind in kinds:
        buffer = BytesIO()
        figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata={**_METADATA[kind], "Title": title})
        path = folder / f"{name}.{kind}"
        _write(path, buffer.getvalue())
        paths.append(path)
    return paths


def _write(path: Path, content: bytes) -> None:
    """Write aside, then rename: a crash leaves the old file or the new one, never half of one."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            aside.write_bytes(content)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}"
        raise ResultsError(message, "make the folder writable, or name another with --output") from error
