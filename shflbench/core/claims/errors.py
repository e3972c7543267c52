"""The error of an expression, and how its parts are quoted."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from shflbench.printable import escape

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_SHOWN = 40  # characters of one word


class ExpressionError(ValueError):
    """An expression that cannot be read: what is wrong, what should stand there, and where."""

    def __init__(self, position: int, fault: str, remedy: str) -> None:
        """Keep the position, counted from 0, the fault, and the remedy: `allowed: …` or `needed: …`."""
        super().__init__(f"{fault}; {remedy}")
        self.position = position
        self.fault = fault
        self.remedy = remedy


def quote(word: str) -> str:
    """Return a word in backquotes: cut if it is long, with escapes for what is not printable."""
    shown = word if len(word) <= _MAX_SHOWN else f"{word[:_MAX_SHOWN]}…"
    return f"`{escape(shown)}`"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?`, or nothing where no known word is near."""
    near = get_close_matches(word, list(known), n=1) if len(word) <= _MAX_SHOWN else []
    return f"; did you mean `{near[0]}`?" if near else ""
