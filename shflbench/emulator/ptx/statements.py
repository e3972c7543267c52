"""Cut a PTX text into statements: they end at semicolons, not at line ends, and scopes nest."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from shflbench.emulator.ptx.operands import NAME
from shflbench.errors import EmulatorError


class StatementKind(Enum):
    """What a statement is."""

    LINE = auto()  # a directive that ends with its line: .version, .loc, …
    HEADER = auto()  # .entry or .func, without its body
    OPEN = auto()
    CLOSE = auto()
    LABEL = auto()
    PLAIN = auto()  # an instruction or a declaration


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, without its end mark, and the line that it starts on."""

    kind: StatementKind
    text: str
    line: int


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NEWLINE = re.compile(r"\n")
_SPACE = re.compile(r"\s+")
_LINE = re.compile(r"\.(?:loc|file|version|target|address_size)\b[^\n]*")
_SECTION = re.compile(r"\.section\s+[\w.]+\s*\{[^}]*\}")
HEADER = re.compile(r"(?:\.(?:weak|visible|extern)\s+)*\.(?:entry|func)\b[^{;]*")
_LABEL = re.compile(rf"({NAME})\s*:(?!:)")
_TABLE = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")
_DIRECTIVES = ((_LINE, StatementKind.LINE), (_SECTION, None), (HEADER, StatementKind.HEADER))
_LABELS = ((_LABEL, StatementKind.LABEL),)
_PLAIN = re.compile(r"[^;]*;")
_SHOWN = 60  # characters of a statement in a message


def without_comments(text: str) -> str:
    """Return a PTX text with spaces in place of comments, of the same length and lines."""
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a PTX text; EmulatorError where it is truncated."""
    text = without_comments(text)
    newlines = [match.start() for match in _NEWLINE.finditer(text)]
    position = 0
    while True:
        space = _SPACE.match(text, position)
        position = space.end() if space else position
        if position >= len(text):
            return
        statement, position = _next(text, position, bisect_right(newlines, position) + 1)
        if statement is not None:
            yield statement


def _next(text: str, start: int, line: int) -> tuple[Statement | None, int]:
    """Return the statement at `start`, None for debugging information, and where it ends."""
    if text[start] in "{}":
        brace = StatementKind.OPEN if text[start] == "{" else StatementKind.CLOSE
        return Statement(brace, text[start], line), start + 1
    for pattern, kind in _DIRECTIVES if text[start] == "." else _LABELS:
        match = pattern.match(text, start)
        if match and not (kind is StatementKind.LABEL and _TABLE.match(text, match.end())):
            end = match.end() + (kind is StatementKind.HEADER and text.startswith(";", match.end()))  # only declared
            return (Statement(kind, match[0].rstrip(": \t\n"), line) if kind else None), end
    return _plain(text, start, line)


def _plain(text: str, start: int, line: int) -> tuple[Statement, int]:
    match = _PLAIN.match(text, start)
    if not match:
        shown = " ".join(text[start : start + _SHOWN].split())
        raise EmulatorError(
            f"the PTX ends in line {line}: `{shown}` has no semicolon",
            "Compile the kernel anew; the text is damaged.",
        )
    return Statement(StatementKind.PLAIN, " ".join(match[0][:-1].split()), line), match.end()
