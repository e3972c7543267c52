"""Read numbers from text as files and options have them.

`int` and `float` of Python also read `1_000` and digits of other scripts, which no program that writes a file means.
"""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[-+]?[0-9]+")
# The alternatives exclude each other, so that matching takes linear time.
_DECIMAL = re.compile(
    r"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf|infinity)", re.ASCII | re.IGNORECASE
)


def whole_number(text: str) -> int:
    """Return the integer that a text is in decimal digits; ValueError for other text."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"`{text}` is not an integer")
    return int(text)


def decimal_number(text: str) -> float:
    """Return the number that a text is, also nan and inf; ValueError for other text."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"`{text}` is not a number")
    return float(text)
