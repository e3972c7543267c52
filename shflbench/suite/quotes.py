"""Quote words and values of a file in a sentence: short, and without control characters."""

from __future__ import annotations

import re

from shflbench.printable import escape
from shflbench.suite.positions import WrittenFloat, WrittenInt

MAX_SHOWN = 80  # characters of one word

_NUMBER = re.compile(r"[-+]?[0-9.]+")


def quote(word: str) -> str:
    """Return a word in backquotes, cut if it is long."""
    shown = word if len(word) <= MAX_SHOWN else f"{word[:MAX_SHOWN]}…"
    return f"`{escape(shown)}`"


def show(value: object) -> str:
    """Return a value of the file as a sentence shows it."""
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list" if value else "an empty list"
        case str():
            return _show_text(value)
        case WrittenInt() | WrittenFloat():
            return _show_number(value)
        case _:
            return quote(str(value).lower() if isinstance(value, bool) else str(value))


def _show_number(number: WrittenInt | WrittenFloat) -> str:
    """Return a number as it is written; a whole one in another base with what it means."""
    return f"{quote(number.word)}, which is the number {int(number)}" if isinstance(number, int) else quote(number.word)


def _show_text(text: str) -> str:
    if not text.strip(" "):
        return "empty text"
    # If a number is needed, "found `32`" would be confusing.
    kind = "the text " if _NUMBER.fullmatch(text) or not text.strip() else ""
    return f"{kind}{quote(text)}"
