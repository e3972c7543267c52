"""Make text from runs fit to be shown: nothing that hides, reorders or floods the text around it."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONGEST = 600  # characters of one text in the page: a reason may contain the whole output of a compiler
LONGEST_CELL = 160  # of a cell of a large table
_UNKNOWN = "–"

# Control characters but tab and line break, characters that change the direction of text, code points without a
# character, and those that end a line: a browser may show none of them, or let them reorder what stands around them.
_HIDDEN = re.compile(
    r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return the text with a replacement character for each that a browser would hide or obey."""
    return _HIDDEN.sub("\ufffd", text)


def short(text: str, most: int = LONGEST) -> str:
    """Return the text, or its beginning and an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def sentence(text: str) -> str:
    """Return a text that starts with a capital letter and ends with a period; nothing for nothing."""
    end = "" if text.endswith(("…", ".")) else "."
    return f"{text[:1].upper()}{text[1:]}{end}" if text else ""


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with so many significant digits, thousands apart; a dash where it is unknown."""
    if value is None or not math.isfinite(value):
        return _UNKNOWN
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if not -5 < magnitude < 9:  # noqa: PLR2004  (beyond, a column of decimals is unreadable)
        return f"{value:.{digits - 1}e}"
    return f"{value:,.{max(0, digits - 1 - magnitude)}f}"


def whole_percent(part: float | None) -> str:
    """Return a fraction as a percentage; a dash where it is unknown."""
    if part is None or not math.isfinite(part):
        return _UNKNOWN
    return f"{100 * part:.0f}%" if part < 10 else "over 999%"  # noqa: PLR2004  (a limit that is no limit)


def percent_range(parts: Sequence[float]) -> str:
    """Return the least and the largest of some fractions: `68 to 97%`, or the one that they are."""
    low, high = whole_percent(min(parts)), whole_percent(max(parts))
    return low if low == high else f"{low.removesuffix('%')} to {high}"


def without_folders(text: str, folders: Iterable[Path]) -> str:
    """Return the text with the names of folders instead of their paths: who gets a report has other folders."""
    for folder in sorted(map(str, folders), key=len, reverse=True):
        text = text.replace(folder, Path(folder).name)
    return text
