"""Sources in other encodings than UTF-8 as UTF-8: with equal values, on equal lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.lexer import TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FOREIGN = re.compile("[\udc80-\udcff]")  # what the decoder makes of a byte that is no UTF-8


def as_utf8(text: bytes) -> bytes:
    """Return C++ text in which each byte that is no UTF-8 is replaced.

    NVRTC 13.5 takes the byte 0xFF, which is a letter in CP1251, as the end of the file, and a folder of a pattern is
    UTF-8. In a string or a character, the byte becomes an escape of its value; in a comment and in code, which other
    compilers reject there, it becomes a sign of no meaning.
    """
    try:
        text.decode()
    except UnicodeDecodeError:
        return b"".join(_parts(text))
    return text


def _parts(text: bytes) -> Iterator[bytes]:
    end = 0
    for token in TOKEN.finditer(text):
        yield _replaced(text[end : token.start()], lambda _: "@")
        end = token.end()
        if token.lastgroup == "directive":
            sign = text.index(b"#", token.start()) + 1
            yield text[token.start() : sign]
            yield from _parts(text[sign:end])
        elif token.lastgroup in {"string", "char"}:
            yield _replaced(token[0], lambda byte: f"\\{ord(byte[0]) & 0xFF:03o}")
        else:
            yield _replaced(token[0], lambda _: "?")
    yield _replaced(text[end:], lambda _: "@")


def _replaced(part: bytes, sign: Callable[[re.Match[str]], str]) -> bytes:
    return _FOREIGN.sub(sign, part.decode(errors="surrogateescape")).encode()
