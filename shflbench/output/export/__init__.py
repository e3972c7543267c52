"""Export a comparison: one file per format, each with one pure `render(comparison) -> str`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.compare.comparison import Comparison

FORMATS: Mapping[str, str] = {  # name → module that defines `render`, imported only for that format
    "json": "shflbench.output.export.json_",
    "markdown": "shflbench.output.export.markdown",
    "junit": "shflbench.output.export.junit",
    "github": "shflbench.output.export.github",
}


def render(name: str, comparison: Comparison) -> str:
    """Return the comparison in one of the `FORMATS`, with a newline at its end.

    Bytes of a folder's name that are not UTF-8 become question marks.
    """
    text: str = import_module(FORMATS[name]).render(comparison)
    return text.encode("utf-8", "replace").decode("utf-8")
