"""Host functions that device code names without calling them: in `decltype`, `noexcept`, `sizeof` and `requires`.

Their declarations decide which template device code uses; without one, another may fit in silence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host_code import blank
from shflbench.cuda_sources.lexer import TextSpan, code_only

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.cuda_sources.host_code import UserFile

_OPERAND = re.compile(rb"\b(?:decltype|noexcept|sizeof|requires)\b\s*(?:\([^(){};]*\)\s*)?([({])")
_CALL = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_BODY = re.compile(rb"[{;]")
MOST_OPERAND_BYTES = 1000  # of an operand


def with_declarations(
    file: UserFile, spans: Sequence[TextSpan], named: Iterable[bytes]
) -> tuple[list[TextSpan], list[TextSpan]]:
    """Return the spans of host code without those that declare a function that is `named`, and the bodies of these."""
    names = b"|".join(map(re.escape, sorted(named)))
    if not names:
        return list(spans), []
    declares = re.compile(rb"\b(?:" + names + rb")\s*\(")
    kept, bodies = [], []
    for span in spans:
        code = code_only(file.text[span.start : span.end])
        end = _BODY.search(code)
        head = end.start() if end is not None else len(code)
        if declares.search(code, 0, head) is None:
            kept.append(span)
        elif end is not None and end[0] == b"{":
            bodies.append(TextSpan(span.start + head, span.end))
    return kept, bodies


def unevaluated_names(files: Iterable[tuple[UserFile, Sequence[TextSpan]]]) -> set[bytes]:
    """Return the functions that operands name which are not evaluated, in what is left of files without host code."""
    names: set[bytes] = set()
    for file, spans in files:
        if re.search(rb"\b(?:decltype|noexcept|sizeof|requires)\b", file.text) is None:
            continue
        code = code_only(blank(file.text, spans, file.lexed.directives))
        for match in _OPERAND.finditer(code):
            names.update(_CALL.findall(code, match.end(), _end(code, match.start(1))))
    return names


def _end(code: bytes, start: int) -> int:
    """Return where the bracket at `start` closes, or the end of what is read of a longer operand."""
    depth = 0
    for match in re.compile(rb"[(){}]").finditer(code, start, start + MOST_OPERAND_BYTES):
        depth += 1 if match[0] in b"({" else -1
        if depth == 0:
            return match.start()
    return min(start + MOST_OPERAND_BYTES, len(code))
