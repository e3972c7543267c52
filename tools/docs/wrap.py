"""Wrap the text of generated pages: paragraphs and items whose lines are long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH = 120  # characters of a wrapped line, as in the code
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_APART = re.compile(r"\s*(?:\||<|!\[|#|>|---|===)")  # rows, comments, images, headings, quotes: lines of their own
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_MARK = re.compile(r"[-*+#>=|]|\d+[.)]")  # words that would begin another block at the start of a line
_WORD = re.compile(r"(?:(`+).+?\1|[^\s`]|`+)+")  # code is one word


def wrap_page(text: str) -> str:
    """Return Markdown in which paragraphs and items with a line above `WIDTH` have lines of at most `WIDTH` characters.

    Tables, code, headings, comments, images and paragraphs with hard line breaks stay as they are.
    """
    end = "\n" if text.endswith("\n") else ""
    lines = text.splitlines()
    of_text = text_lines(lines)
    wrapped: list[str] = []
    block: list[str] = []
    for number, line in enumerate(lines):
        if block and (number not in of_text or _ITEM.match(line)):
            wrapped += _fill(block)
            block = []
        if number in of_text:
            block.append(line)
        else:
            wrapped.append(line)
    return "\n".join([*wrapped, *_fill(block)]) + end


def text_lines(lines: Sequence[str]) -> set[int]:
    """Return the indices of the lines that belong to paragraphs and items."""
    return set(_text_lines(lines))


def _text_lines(lines: Sequence[str]) -> Iterator[int]:
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif mark:
            fence = mark[1]
        elif line.strip() and not _APART.match(line):
            yield number


def _fill(block: list[str]) -> list[str]:
    """Return the lines of a paragraph or an item, filled if one of them is long."""
    hard = any(line.endswith(("  ", "\\")) for line in block)
    if hard or max(map(len, block), default=0) <= WIDTH:
        return block
    item = _ITEM.match(block[0])
    first = item[0] if item else block[0][: len(block[0]) - len(block[0].lstrip())]
    words = _words(" ".join(line.strip() for line in block)[len(first.lstrip()) :])
    lines = [first + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(" " * len(first) + word)
        else:
            lines[-1] += f" {word}"
    return lines


def _words(text: str) -> list[str]:
    words: list[str] = []
    for match in _WORD.finditer(text):
        if words and _MARK.fullmatch(match[0]):
            words[-1] += f" {match[0]}"
        else:
            words.append(match[0])
    return words
