"""Tell from a text of CUDA C++ whether it needs C++20."""

from __future__ import annotations

import re

# Each begins with characters that stand for themselves, by which the search passes over most of a text.
_NEWER = [
    re.compile(pattern)
    for pattern in (
        rb"concept(?<=\bconcept)\s+\w+\s*=",
        rb"requires(?<=\brequires)(?:\s*[({]|\s+[\w:]+\s*<)",
        rb"const(?<=\bconst)(?:eval|init)\s",
        rb"<=>",
        rb"\{\s*\.[A-Za-z_]\w*\s*=[^=]",
        rb"#\s*include\s*<(?:concepts|span|bit|ranges|numbers|compare)>",
        rb"\(\s*(?:const\s+)?auto\b[^()]*\)\s*\{",
    )
]
_CLOSED_LIST = re.compile(rb"\]\s*<\s*(?:typename|class|int|auto)\b")  # of captures, before template parameters


def needs_newer(text: bytes) -> bool:
    """Whether a text has a construct that C++17 does not know."""
    return any(pattern.search(text) for pattern in _NEWER) or any(
        _opens(text, match.start()) for match in _CLOSED_LIST.finditer(text)
    )


def _opens(text: bytes, closing: int) -> bool:
    """Whether the bracket that closes at a position opens without another in between."""
    return text.rfind(b"[", 0, closing) > text.rfind(b"]", 0, closing)
