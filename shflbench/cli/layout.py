"""Plain tables: aligned text, which fits a terminal's width if one is given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, TypeAlias

from shflbench.printable import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

Styled: TypeAlias = tuple[str, str]  # a line of text and its style, as in `Line`

GAP = "  "
INDENT = "    "  # of what stands below a line's key
LEAST_TEXT = 16  # columns that a wrapped last cell needs
_FIGURE = re.compile(r"\([^()]{0,20}\)| ± |(?<=\d) of (?=\d)")  # no line ends in it
MOST_LINES = 6  # of a row whose cells are wrapped: a higher one is not read as a row
NO_BREAK = "\u00a0"  # in place of a blank at which no line ends


def align_right(cells: Sequence[str]) -> list[str]:
    """Return the cells of a column with the same width, aligned to the right."""
    width = max(map(len, cells), default=0)
    return [cell.rjust(width) for cell in cells]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table; `style` is its meaning: good, doubt, bad or nothing special."""

    cells: tuple[str, ...]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title (none if empty), column titles, lines, and notes below them."""

    title: str
    columns: tuple[str, ...]
    body: tuple[Line, ...]
    key: int = 1  # the leading columns that identify a line; in a narrow terminal the others stand below them
    notes: tuple[str, ...] = ()

    def lines(self, width: int | None = None) -> list[Styled]:
        """Return the table as aligned text within `width` columns; each line in one piece if `width` is None."""
        return [
            *((text, "") for text in wrap_text(escape(self.title), width)),
            *(line for block in self.blocks(width) for line in block),
            *((text, "") for note in self.notes for text in wrap_text(f"{self._indent}{escape(note)}", width)),
        ]

    def blocks(self, width: int | None = None) -> list[list[Styled]]:
        """Return the lines of text for the column titles, then for each line of the table."""
        # Before widths are known: an escape is longer than the character, and a line break would look like a line.
        rows = [[escape(cell) for cell in cells] for cells in (self.columns, *(line.cells for line in self.body))]
        blocks = _side_by_side(rows, self._indent, width) or _in_columns(rows, self._indent, width)
        blocks = blocks or self._stacked(rows, width)
        styles = ["", *(line.style for line in self.body)]
        return [[(text, style) for text in texts] for texts, style in zip(blocks, styles, strict=True)]

    def text(self, width: int | None = None) -> str:
        """Return the table as text without a newline at its end."""
        return "\n".join(text for text, _ in self.lines(width))

    @property
    def _indent(self) -> str:
        return GAP if self.title else ""

    def _stacked(self, rows: Sequence[Sequence[str]], width: int | None) -> list[list[str]]:
        """Return each row as its key, which is never cut, and its other cells below with the names of their columns."""
        keys = _side_by_side([row[: self.key] for row in rows], self._indent, None) or []
        names, below = rows[0], f"{self._indent}{INDENT}"
        blocks = [keys[0]]
        for key, row in zip(keys[1:], rows[1:], strict=True):
            named = zip(names[self.key :], row[self.key :], strict=False)
            cells = [f"{name} {cell.strip()}".strip() for name, cell in named if cell.strip()]
            blocks.append([*key, *wrap_text(f"{below}{', '.join(cells)}", width)] if cells else key)
        return blocks


def _in_columns(rows: Sequence[Sequence[str]], indent: str, width: int | None) -> list[list[str]] | None:
    """Return the lines of text of each row, cells wrapped in their columns; None if words or figures do not fit.

    Columns with little to wrap keep their width, so that text is wrapped, and not names.
    """
    if width is None:
        return None
    columns = [[_unbreakable(row[place]) if place < len(row) else "" for row in rows] for place in range(len(rows[0]))]
    widths = [max(len(word) for cell in column for word in cell.split(" ")) for column in columns]
    wanted = [max(map(len, column)) for column in columns]
    free = width - len(indent) - len(GAP) * (len(columns) - 1) - sum(widths)
    if free < 0:
        return None
    cells: dict[int, list[list[str]]] = {}  # by column: the lines of each cell
    by_need = sorted(range(len(columns)), key=lambda place: wanted[place] - widths[place])
    for done, place in enumerate(by_need):
        room = min(wanted[place], widths[place] + free // (len(columns) - done))
        cells[place] = [[cell] if len(cell) <= room else _pieces(cell, room) for cell in columns[place]]
        taken = max(widths[place], *(_widest(texts) for texts in cells[place]))
        free -= taken - widths[place]
        widths[place] = taken
    blocks = []
    for texts in zip(*(cells[place] for place in range(len(columns))), strict=True):
        lines = (GAP.join(map(str.ljust, parts, widths)) for parts in zip_longest(*texts, fillvalue=""))
        blocks.append([f"{indent}{line}".replace(NO_BREAK, " ").rstrip() for line in lines])
    if max(map(len, blocks)) > MOST_LINES:
        return None
    return blocks


def _pieces(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _unbreakable(cell: str) -> str:
    """Return a cell in which a figure stays on one line: `356.96 ± 0.07`, `(-0.3 to 0.4)`, `0 of 430`."""
    text = _FIGURE.sub(lambda match: match[0].replace(" ", NO_BREAK), cell)
    if text[:1] == " ":  # aligned to the right
        text = f"{NO_BREAK * (len(text) - len(text.lstrip()))}{text.lstrip()}"
    return text


def _side_by_side(rows: Sequence[Sequence[str]], indent: str, width: int | None) -> list[list[str]] | None:
    """Return the lines of text of each row, last cells wrapped; None if the columns are wider than `width`."""
    count = max(map(len, rows))
    widths = [max(len(row[column]) if column < len(row) else 0 for row in rows) for column in range(count - 1)]
    offset = len(indent) + sum(column + len(GAP) for column in widths)
    room = None if width is None else width - offset
    blocks = []
    for row in rows:
        last = wrap_text(row[count - 1], room) if len(row) == count else []
        fits = room is None or (room >= min(LEAST_TEXT, *map(len, row[count - 1 :] or [""])) and _widest(last) <= room)
        if not fits:
            return None
        padded = GAP.join(cell.ljust(column) for cell, column in zip(row, widths, strict=False))
        head = f"{indent}{padded}{GAP if widths else ''}{''.join(last[:1])}".rstrip()
        blocks.append([head, *(f"{' ' * offset}{text}" for text in last[1:])])
    return blocks


def _widest(texts: Sequence[str]) -> int:
    return max(map(len, texts), default=0)


def wrap_text(text: str, width: int | None) -> list[str]:
    """Return a text in lines of at most `width` columns, indented as its first line; a longer word is never cut."""
    if width is None or len(text) <= width or not text.strip():
        return [text] if text else []
    indent = " " * (len(text) - len(text.lstrip()))
    return wrap(
        text.lstrip(),
        max(width, len(indent) + 1),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
