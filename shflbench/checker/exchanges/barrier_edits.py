"""A text with weaker barriers: what advice says of each line, as an edit of the source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.advice import BarrierNeed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BARRIER = re.compile(r"\b__syncthreads\s*\(\s*\)")
_ALONE = re.compile(r"\s*__syncthreads\s*\(\s*\)\s*;\s*(?://.*)?")
_COMMENT = re.compile(r"//.*")


def lines_of(text: str) -> list[str]:
    """Return the lines as compilers count them: form feeds and other separators of `str.splitlines` end none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def edit_barriers(text: str, needs: Mapping[int, BarrierNeed]) -> str:
    """Return a text whose barriers, by the numbers of their lines, are weakened or removed.

    A barrier is removed only with its whole line, and not where it is all that a condition or a loop executes.
    """
    lines = lines_of(text)
    kept = []
    for number, line in enumerate(lines, 1):
        need = needs.get(number)
        if need is BarrierNeed.WARP and len(_BARRIER.findall(line)) == 1:
            kept.append(_BARRIER.sub("__syncwarp()", line))
        elif need is not BarrierNeed.NOTHING or not _is_alone(line, lines[: number - 1]):
            kept.append(line)
    return "".join(kept)


def _is_alone(line: str, before: Sequence[str]) -> bool:
    """Whether a line is a barrier behind a whole statement."""
    code = [text for item in before if (text := _COMMENT.sub("", item).strip())]
    return bool(_ALONE.fullmatch(line.rstrip("\r\n")) and code and code[-1].endswith((";", "{", "}")))
