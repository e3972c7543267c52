"""Results as HTML, as a notebook shows them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; None is an empty cell."""
    body = (_row("td", ["" if value is None else str(value) for value in row]) for row in rows)
    return f"<table><thead>{_row('th', columns)}</thead><tbody>{''.join(body)}</tbody></table>"


def shown_number(value: object) -> object:
    """Return a number with 4 significant digits, and anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else value


def paragraphs(*texts: str) -> str:
    """Return each text as a paragraph."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
