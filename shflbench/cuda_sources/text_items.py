"""Find host functions and types of the global scope by braces and semicolons, where the grammar does not read a file.

They serve only to remove what the compiler has rejected: `host_code` finds the rest.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from shflbench.cuda_sources.lexer import TextSpan, code_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.macros import Macros

_TYPE = re.compile(rb"\s*(?:typedef\s+)?(?:struct|class|union|enum)\b")
_HEAD = 4096  # bytes of a declaration before its braces; of a longer one the last ones count
_OF_TYPE = re.compile(rb"\s*(?:template\b.*>\s*)?(?:typedef\s+)?(?:struct|class|union|enum)\b[^()]*$", re.DOTALL)
_SCOPE = re.compile(rb'\s*(?:inline\s+)?(?:namespace\b|extern\s*(?:"[^"]*")?\s*\{)')
_SPECIALIZES = re.compile(rb"\s*template\s*<\s*>|\s*(?:template\b[^{;]*>\s*)?(?:struct|class)\s+[\w:]+\s*<")
_FUNCTION = re.compile(rb"\)[^(){}=]*\{|\)\s*(?:try\b[^{]{0,4096}|:[^{;]{0,4096})\{")
# Of the device code's own words, host code uses none; `blockDim` is a usual name of a variable there.
_DEVICE = frozenset({"__global__", "__device__", "__constant__", "__shared__", "__managed__", "asm", "__asm__"}) | {
    "threadIdx", "blockIdx", "__syncthreads", "__syncwarp", "__restrict__"
}  # fmt: skip
_AT_COMPILE_TIME = frozenset({"constexpr", "consteval", "concept", "using", "typedef"})


def rejected_host_item(file: UserFile, line: int, macros: Macros) -> TextSpan | None:
    """Return the host function, host type or use of a macro in the global scope that has the line.

    None for what contains a word of device code, also in macros that it uses, and for specializations of templates.
    """
    first = next(islice(re.finditer(rb"^", file.text, re.MULTILINE), line - 1, None), None)
    start = first.start() if first is not None else len(file.text)
    end = file.text.find(b"\n", start) % (len(file.text) + 1)
    for span in _items(file.text):
        if span.start <= end and start < span.end and _is_host(file.text[span.start : span.end], macros):
            return span
    return None


def _is_host(text: bytes, macros: Macros) -> bool:
    code = code_only(text)
    head = code.partition(b"{")[0]
    if _SCOPE.match(text) or _SPECIALIZES.match(code):
        return False
    if macros.words(code.decode(errors="replace")) & _DEVICE:
        return False
    if macros.words(head.decode(errors="replace")) & _AT_COMPILE_TIME and not _TYPE.match(code):
        return False
    return _TYPE.match(code) is not None or _FUNCTION.search(code) is not None or _is_use_of_macro(head)


def _is_use_of_macro(head: bytes) -> bool:
    """Whether a text is a call without type and body, as of a macro that defines a function."""
    return re.fullmatch(rb"\s*[A-Z_][A-Z0-9_]*\s*\(.*\)\s*;?\s*", head, re.DOTALL) is not None


def _items(text: bytes) -> Iterator[TextSpan]:
    """Yield what lies between the ends of declarations in the global scope and in `extern "C" {`."""
    code = code_only(text)
    depth, start, continues = 0, 0, False
    for match in re.finditer(rb"[{};]", code):
        sign, end = match[0], match.end()
        if sign == b"{":
            if depth == 0 and not continues:
                head = code[max(start, match.start() - _HEAD) : match.start()]
                if re.fullmatch(rb'\s*extern\s*(?:"\s*")?\s*', head):
                    start = end
                    continue
                continues = _continues(head)
            depth += 1
        elif sign == b"}":
            depth = max(depth - 1, 0)
            if depth == 0 and not continues:
                yield TextSpan(_begin(code, start), end)
                start = end
        elif depth == 0:
            yield TextSpan(_begin(code, start), end)
            start, continues = end, False


def _continues(head: bytes) -> bool:
    """Whether a declaration goes on behind the braces that follow `head`: a value, or the body of a type."""
    return b"=" in re.split(rb"[()<>]", head)[-1] or _OF_TYPE.match(head) is not None


def _begin(code: bytes, start: int) -> int:
    """Return where an item begins after the spaces, which stand for comments and directives."""
    match = re.compile(rb"\S").search(code, start)
    return match.start() if match is not None else len(code)
