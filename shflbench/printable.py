"""Escapes for what text from outside may contain and a terminal obeys or does not show.

Names of devices and variants, titles, paths and messages of compilers may hold anything: escape sequences that conceal
what follows, characters that change the direction of text, and characters without a width, which look like nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Without a shape, though Python counts them as printable: joiners, fillers, variation selectors, an empty Braille cell.
_BLANK = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def is_plain(text: str) -> bool:
    """Whether each character of the text takes room on a line, and does nothing else."""
    return text.isprintable() and not _BLANK.search(text)


def escape(text: str) -> str:
    r"""Return the text on one line, with an escape such as `\x1b` for each character that is not plain."""
    return _replaced(text, "", _escaped)


def escape_lines(text: str) -> str:
    """Return the text with escapes as `escape` has them; line breaks and tabs stay."""
    return _replaced(text, "\n\t", _escaped)


def escape_json(text: str) -> str:
    r"""Return JSON with the same values, and `\uXXXX` for each character that is not plain."""
    return _replaced(text, "\n\t", _escaped_in_json)


def _replaced(text: str, kept: str, replacement: Callable[[str], str]) -> str:
    # Each letter once: JSON of all runs has two million, of which a hundred differ.
    escapes = {ord(letter): replacement(letter) for letter in set(text) if letter not in kept and not is_plain(letter)}
    return text.translate(escapes) if escapes else text


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def _escaped_in_json(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
