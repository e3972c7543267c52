"""Find in a text which types it may define, without its syntax tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_CODE = rb"//[^\n]*|/\*.*?\*/"
# It is not consumed: another keyword may stand in it. One of more than 16 parts, of up to 256 bytes or a comment each,
# defines nothing: the time is linear in the length of any text.
_HEAD = rb"\b(?=((?:[^;{}/]{1,256}+|" + _NO_CODE + rb"|/){0,16}+)([;{}]))"
# Each begins with characters that stand for themselves, by which the search passes over most of a text.
_CLASSES = [
    re.compile(word + rb"(?<=\b" + word + rb")" + _HEAD, re.DOTALL) for word in (rb"struct", rb"class", rb"union")
]
_ENUM = re.compile(rb"enum(?<=\benum)" + _HEAD, re.DOTALL)
_TYPEDEF = re.compile(rb"typedef(?<=\btypedef)" + _HEAD, re.DOTALL)
_AFTER_BODY = re.compile(
    rb"\}(?:\s*__attribute__\s*\(\([^;{}]*?\)\))?((?:[^;{}()<>=/]++|" + _NO_CODE + rb"|/)*+);", re.DOTALL
)
_USING = re.compile(rb"using(?<=\busing)\s+(\w+)\s*(?:=|\[\[|__)")
_COMMENT = re.compile(_NO_CODE, re.DOTALL)
_ATTRIBUTE = re.compile(
    rb"\b(?:\w*align\w*|__attribute__|__declspec)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[\[.*?\]\]"
)
_ARGUMENTS = re.compile(rb"<[^<>]*>")
_NO_CLASS = re.compile(rb"[>(),=]")  # in what precedes the body: that of a function, or the keyword is of a parameter
_BASES = re.compile(rb"(?<!:):(?!:)")
_WORD = re.compile(rb"\w+")


def type_words(text: bytes) -> frozenset[bytes]:
    """Return the names of all classes, enumerations and aliases that a text defines, and some words more."""
    return frozenset(_words(text))


def _words(text: bytes) -> Iterator[bytes]:
    for pattern in _CLASSES:
        for match in pattern.finditer(text):
            head = _plain(_BASES.split(_COMMENT.sub(b" ", match[1]), maxsplit=1)[0])
            if match[2] == b"{" and not _NO_CLASS.search(head):
                yield from _WORD.findall(head)
    for match in _ENUM.finditer(text):
        yield from _WORD.findall(_plain(match[1]))[:3]
    for match in _USING.finditer(text):
        yield match[1]
    has_typedef = False
    for match in _TYPEDEF.finditer(text):
        has_typedef = True
        yield from (word for part in _plain(match[1]).split(b",") for word in _WORD.findall(part)[-1:])
    if has_typedef:
        for match in _AFTER_BODY.finditer(text):
            yield from _WORD.findall(match[1])


def _plain(head: bytes) -> bytes:
    """Return a declaration without comments, attributes and template arguments."""
    head = _ATTRIBUTE.sub(b" ", _COMMENT.sub(b" ", head))
    while (shorter := _ARGUMENTS.sub(b" ", head)) != head:
        head = shorter
    return head
