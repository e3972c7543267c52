"""Highlight CUDA C++: the text in pieces, each with the class of its token, which templates escape like any text."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_by_name
from pygments.token import Token

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# The style sheet gives each a color of sufficient contrast in light and dark; other tokens look like text.
CLASSES = (
    (Token.Comment.Preproc, "p"),
    (Token.Comment.PreprocFile, "p"),
    (Token.Comment, "c"),
    (Token.Keyword, "k"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "n"),
    (Token.Name.Builtin, "b"),
    (Token.Name.Function, "f"),
)


@cache
def _lexer() -> Lexer:
    return get_lexer_by_name("cuda", stripnl=False, ensurenl=False)


@cache
def _class_of(kind: object) -> str:
    return next((name for token, name in CLASSES if kind in token), "")


@lru_cache(maxsize=64)  # headers, which most patterns share
def pieces(code: str) -> tuple[tuple[str, str], ...]:
    """Return the text of a kernel as pieces of one class each; together they are the text."""
    merged: list[tuple[str, str]] = []
    for kind, text in _lexer().get_tokens(code):
        name = _class_of(kind)
        if merged and (merged[-1][0] == name or not text.strip()):
            merged[-1] = merged[-1][0], merged[-1][1] + text
        else:
            merged.append((name, text))
    return tuple(merged)
