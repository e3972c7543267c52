"""Plain tables: aligned text that survives pipes, mails and narrow terminals, where nothing is cut or wrapped."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table; `style` is what it means: good, doubt, bad or nothing special."""

    cells: tuple[str, ...]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title line (none if empty), column titles and lines."""

    title: str
    columns: tuple[str, ...]
    body: tuple[Line, ...]

    def lines(self) -> list[tuple[str, str]]:
        """Return the table's lines as aligned text, each with its style."""
        indent = GAP if self.title else ""
        texts = [self.columns, *(line.cells for line in self.body)]
        widths = [max(map(len, column)) for column in zip_longest(*texts, fillvalue="")]
        styles = ["", *(line.style for line in self.body)]
        aligned = [(_row(indent, cells, widths), style) for cells, style in zip(texts, styles, strict=True)]
        return [(self.title, ""), *aligned] if self.title else aligned

    def text(self) -> str:
        """Return the table as text without a newline at its end."""
        return "\n".join(text for text, _ in self.lines())


def _row(indent: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=False))
    return (indent + GAP.join(padded)).rstrip()
