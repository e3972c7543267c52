"""Tell code from comments, strings and directives in C++ text, and match its braces.

Works on bytes, so that positions are those of the grammar and of the compiler, whatever the encoding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

TOKEN = re.compile(
    rb"(?P<comment>//(?:\\\r?\n|[^\n])*|/\*(?:.*?\*/|.*\Z))"
    rb'|(?P<raw>\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\((?:.*?\)(?P=mark)"|.*\Z))'
    rb"""|(?P<string>"(?:\\.|[^"\\\n])*"?)"""
    rb"|(?P<number>\b[0-9](?:[\w.]|'(?=\w))*)"
    rb"""|(?P<char>'(?:\\.|[^'\\\n])*'?)"""
    rb"|(?P<directive>^[ \t]*(?:/\*[^\n]*?\*/[ \t]*)?\#(?://(?:\\\r?\n|[^\n])*|/\*.*?\*/|\\\r?\n|"
    rb"""(?:"(?:\\.|[^"\\\n])*"|[^\n\\/"]|\\(?!\r?\n)|/(?![*/])|"))*)"""
    rb"|(?P<brace>[{}])",
    re.MULTILINE | re.DOTALL,
)
# Finds the same directives and braces as `TOKEN`, in a fifth of its time: a set of first characters lets the search
# pass over all others. A line end precedes each directive, and the start of the text.
_STRUCTURE = re.compile(
    rb"""[\n"'/{}RuUL0-9](?:"""
    rb"(?P<brace>(?<=[{}]))"
    rb'|(?<=")(?:[^"\\\n]+|\\.)*"?'
    rb"|(?<=/)(?:/(?:\\\r?\n|[^\n])*|\*(?:.*?\*/|.*\Z))"
    rb"|(?P<directive>(?<=\n)(?:[ \t]+/\*[^\n]*?\*/[ \t]*|[ \t]*)\#(?://(?:\\\r?\n|[^\n])*|/\*.*?\*/|\\\r?\n|"
    rb"""(?:"(?:\\.|[^"\\\n])*"|[^\n\\/"]+|\\(?!\r?\n)|/(?![*/])|"))*)"""
    rb'|(?:(?<=\bR)|(?<=\b[uUL])R|(?<=\bu)8R)"(?P<mark>[^()\\\s"]{0,16})\((?:.*?\)(?P=mark)"|.*\Z)'
    rb"|(?<=\b[0-9])[\w.]*'(?=\w)(?:[\w.]|'(?=\w))*"  # a number with separators
    rb"|(?<=')(?:[^'\\\n]+|\\.)*'?"
    rb")",
    re.DOTALL,
)
_CONDITION = re.compile(rb"\s*(?:/\*.*?\*/\s*)?#\s*(if|ifdef|ifndef|else|elif|elifdef|elifndef|endif)\b", re.DOTALL)
_NAMESPACE = re.compile(rb"""(?:\bnamespace\b[^;{}()]*|\bextern\s*"[^"\n]*"\s*)\Z""")
_HEAD = 300  # bytes before the brace of a namespace, with its name and comments


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A range of bytes."""

    start: int
    end: int


class Lexed:
    """The tokens of one text that decide about braces and directives."""

    def __init__(self, text: bytes) -> None:
        """Keep the text; it is read when a property needs it."""
        self.text = text

    @cached_property
    def _tokens(self) -> list[tuple[str, int, int]]:
        kinds = (match for match in _STRUCTURE.finditer(b"\n" + self.text) if match.lastgroup in {"directive", "brace"})
        return [(str(match.lastgroup), *_place(match)) for match in kinds]

    @cached_property
    def directives(self) -> tuple[TextSpan, ...]:
        """The preprocessor's lines, with their continuations."""
        return tuple(TextSpan(start, end) for kind, start, end in self._tokens if kind == "directive")

    @cached_property
    def levels(self) -> int:
        """The most braces, or conditions of the preprocessor, that are open at a time."""
        depth = most = 0
        saved: list[tuple[int, int | None]] = []  # as in `partners`
        for kind, start, end in self._tokens:
            if kind == "brace":
                depth += 1 if self.text[start] == ord("{") else -1 if depth else 0
            elif (condition := _CONDITION.match(self.text, start, end)) is not None:
                if condition[1].startswith(b"if"):
                    saved.append((depth, None))
                elif condition[1].startswith(b"el") and saved:
                    before, after = saved[-1]
                    saved[-1] = before, depth if after is None else after
                    depth = before
                elif condition[1] == b"endif" and saved:
                    _, after = saved.pop()
                    depth = depth if after is None else after
            most = max(most, depth, len(saved))
        return most

    @cached_property
    def partners(self) -> dict[int, int]:
        """The position of the closing brace by that of the opening one; the first branch of each `#if` counts."""
        pairs: dict[int, int] = {}
        stack: list[int] = []
        saved: list[tuple[list[int], list[int] | None]] = []  # open braces before each `#if`, after its first branch
        for kind, start, end in self._tokens:
            if kind == "directive":
                condition = _CONDITION.match(self.text, start, end)
                word = condition[1] if condition else b""
                if word.startswith(b"if"):
                    saved.append(([*stack], None))
                elif word.startswith(b"el") and saved:
                    before, after = saved[-1]
                    saved[-1] = before, [*stack] if after is None else after
                    stack = [*before]
                elif word == b"endif" and saved:
                    _, after = saved.pop()
                    stack = stack if after is None else after
            elif kind == "brace":
                if self.text[start] == ord("{"):
                    stack.append(start)
                elif stack:
                    pairs[stack.pop()] = start
        return pairs

    @cached_property
    def bodies(self) -> list[TextSpan]:
        """The outermost braces but those of namespaces and of `extern "C"`, in order."""
        spans: list[TextSpan] = []
        for start in (start for kind, start, _ in self._tokens if kind == "brace" and start in self.partners):
            inside = bool(spans) and start < spans[-1].end
            if not inside and not _NAMESPACE.search(self.text, max(0, start - _HEAD), start):
                spans.append(TextSpan(start, self.partners[start] + 1))
        return spans


def without_comments(text: bytes) -> bytes:
    """Return a text with a space for each comment outside directives."""
    return TOKEN.sub(lambda match: b" " if match.lastgroup == "comment" else match[0], text)


def without_lines(text: bytes) -> bytes:
    """Return a text with a space for each comment and each directive, which need line ends."""
    return TOKEN.sub(lambda match: b" " if match.lastgroup in {"comment", "directive"} else match[0], text)


def code_only(text: bytes) -> bytes:
    """Return a text of the same length with spaces for comments, directives and what stands in quotes."""
    return TOKEN.sub(_spaces, text)


def _spaces(match: re.Match[bytes]) -> bytes:
    if match.lastgroup in {"brace", "number"}:
        return match[0]
    if match.lastgroup in {"string", "char"}:
        return match[0][:1] + b" " * (len(match[0]) - 2) + match[0][-1:]
    return re.sub(rb"[^\r\n]", b" ", match[0])


def _place(match: re.Match[bytes]) -> tuple[int, int]:
    """Return start and end of a directive or a brace in the text that follows a line end."""
    return match.start() - (match.lastgroup == "brace"), match.end() - 1
