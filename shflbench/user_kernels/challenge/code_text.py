"""Read preprocessor lines in the text of a .cu file: headers that it includes, and macros that define kernels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Comments, and strings, in which nothing begins a comment.
_COMMENTS = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(((?:\\\n|[^\n])*)", re.MULTILINE)
_KERNEL = re.compile(r"\b__global__\b")


def without_comments(text: str) -> str:
    """Return a text with its lines and without comments."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]+", " ", match[0])

    return _COMMENTS.sub(blank, text)


def included_names(text: str) -> list[str]:
    """Return the names in the lines that include headers, in their order."""
    return [angle or quoted for angle, quoted in _INCLUDE.findall(without_comments(text))]


def kernels_by_macros(text: str) -> Iterator[tuple[str, int]]:
    """Yield the macros with arguments that define kernels, and the line of each use."""
    code = without_comments(text)
    names = [name for name, body in _DEFINE.findall(code) if _KERNEL.search(body)]
    outside = re.sub(
        r"^[ \t]*#(?:\\\n|[^\n])*", lambda match: re.sub(r"[^\n]+", "", match[0]), code, flags=re.MULTILINE
    )
    for name in names:
        for use in re.finditer(rf"\b{name}\s*\(", outside):
            yield name, outside.count("\n", 0, use.start()) + 1
