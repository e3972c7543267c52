"""Tell from the text of a file whether it may define a name, so that other files need not be parsed.

A file that defines the name is never missed as far as the grammar reads it right; one that does not may be kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.lexer import TextSpan

_SPACE = rb"(?:\s++|//[^\n]*|/\*.{0,8192}?\*/|\\\r?\n)*+"  # a limit, because many comments may not end
_NESTED = rb"\((?:[^()]++|\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))*+\)"
_ARGUMENTS = rb"(?:" + _SPACE + rb"<[^;{}]{0,300}?>)?"
_PARAMETERS = re.compile(_ARGUMENTS + _SPACE + rb"(?=\()", re.DOTALL)
# What follows the parameters of a function with a body: its body, its qualifiers, or the members that it initializes.
_BODY = re.compile(
    _NESTED + _SPACE + rb"(?:[{:\w#\[]|->|=\s*de|/[/*]|&&?\s*(?:\{|->|const|noexcept|requires))", re.DOTALL
)
_CLOSED = re.compile(_NESTED, re.DOTALL)
_CALL = re.compile(_SPACE + rb"[<(]", re.DOTALL)
_DECLARED = re.compile(_SPACE + rb"(?:=(?!=)|[;,\[{(]|:(?!:)|__)", re.DOTALL)
_NO_CODE = re.compile(rb"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\r?\n|[^\n])*", re.DOTALL | re.MULTILINE)
_BEFORE = 4096  # bytes of a statement before a name; a longer one may be anything
_WORD = re.compile(r"\w+", re.ASCII)
_WORD_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_REPLACED = "\ufffd"  # by which the decoder marks bytes that are no UTF-8


def mentions(file: UserFile, name: str) -> bool:
    """Whether a name stands in a file."""
    return next(_places_in(file, name), None) is not None


def may_define_function(file: UserFile, name: str) -> bool:
    """Whether a file may have a function of this name with a body."""
    return _REPLACED in name or any(_opens_body(file.text, end) for _, end in _places_in(file, name))


def may_define_type(file: UserFile, name: str) -> bool:
    """Whether a file may have a class, an enumeration or an alias of this name."""
    words = _WORD.findall(name.partition("<")[0])
    return _REPLACED in name or (bool(words) and words[-1].encode() in file.type_words)


def may_enumerate(file: UserFile, name: str) -> bool:
    """Whether an enumeration of a file may have a value of this name."""
    return b"enum" in file.text and mentions(file, name)


def may_call(file: UserFile, name: str) -> bool:
    """Whether a file may call a function of this name, which can have a scope and blanks."""
    words = _WORD.findall(name)
    return (not words or words[-1].encode() in file.words) and calls(file.text, name)


def calls(text: bytes, name: str) -> bool:
    """Whether a text may call a function of this name."""
    words = _WORD.findall(name)
    return not words or any(_CALL.match(text, end) for _, end in _places(text, words[-1]))


def may_declare_global(file: UserFile, name: str) -> bool:
    """Whether a file may declare a variable of this name outside of functions and classes."""
    places = [place for place in _places_in(file, name) if _DECLARED.match(file.text, place[1])]
    inner: Sequence[TextSpan] = file.lexed.bodies if places else ()
    return any(not _is_inside(start, inner) and _ends_declarator(file.text, start) for start, _ in places)


def _places_in(file: UserFile, name: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of a name in a file; a word that the file does not have is not searched for."""
    if _WORD.fullmatch(name) is None or name.encode() in file.words:
        yield from _places(file.text, name)


def _places(text: bytes, name: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of a name in a text, as a whole word."""
    wanted = name.encode(errors="replace")
    first, last = wanted[:1] and wanted[0] in _WORD_BYTES, wanted[-1:] and wanted[-1] in _WORD_BYTES
    start = text.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        inside = (first and start and text[start - 1] in _WORD_BYTES) or (
            last and end < len(text) and text[end] in _WORD_BYTES
        )
        if not inside:
            yield start, end
        start = text.find(wanted, start + 1)


def _opens_body(text: bytes, end: int) -> bool:
    listed = _PARAMETERS.match(text, end)
    if listed is None:
        return False
    return _BODY.match(text, listed.end()) is not None or _CLOSED.match(text, listed.end()) is None


def _statement(text: bytes, start: int) -> int:
    """Return where the statement around a position begins."""
    return max(text.rfind(mark, max(0, start - _BEFORE), start) for mark in (b";", b"{", b"}")) + 1


def _ends_declarator(text: bytes, start: int) -> bool:
    """Whether the statement before a name has no open bracket, so that the name is no parameter or argument."""
    before = _NO_CODE.sub(b" ", text[_statement(text, start) : start])
    declared = before.partition(b"=")[0]  # behind it, `<` compares or shifts
    return before.count(b"(") <= before.count(b")") and declared.count(b"<") <= declared.count(b">")


def _is_inside(position: int, spans: Sequence[TextSpan]) -> bool:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if spans[middle].end <= position else (low, middle)
    return low < len(spans) and spans[low].start <= position
