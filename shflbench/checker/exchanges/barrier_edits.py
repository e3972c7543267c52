"""A text with weaker barriers: what advice says of each line, as an edit of the source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.barrier_advice import BarrierNeed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BARRIER = re.compile(r"\b__syncthreads\s*\(\s*\)")
_ALONE = re.compile(r"\s*__syncthreads\s*\(\s*\)\s*;\s*(?://.*)?")
_STATEMENT = re.compile(r"\s*\b__syncthreads\s*\(\s*\)\s*;")
_COMMENT = re.compile(r"//.*")


def lines_of(text: str) -> list[str]:
    """Return the lines as compilers count them: form feeds and other separators of `str.splitlines` end none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def edit_barriers(text: str, needs: Mapping[int, BarrierNeed]) -> str:
    """Return a text whose barriers, by the numbers of their lines, are weakened or removed.

    A barrier is removed with its line if that has nothing else, and not where it is all that a condition or a loop
    executes.
    """
    lines = lines_of(text)
    kept = []
    for number, line in enumerate(lines, 1):
        need = needs.get(number)
        if need is BarrierNeed.WARP and len(_BARRIER.findall(line)) == 1:
            kept.append(_BARRIER.sub("__syncwarp()", line))
        elif need is not BarrierNeed.NOTHING or not _is_statement(line, lines[: number - 1]):
            kept.append(line)
        elif not _ALONE.fullmatch(line.rstrip("\r\n")):
            kept.append(_without_statement(line))
    return "".join(kept)


def _is_statement(line: str, before: Sequence[str]) -> bool:
    """Whether a line has one barrier, which is a statement behind a whole statement."""
    match = _STATEMENT.search(line)
    if match is None or len(_BARRIER.findall(line)) != 1 or "//" in line[: match.start()]:
        return False
    code = [text for item in (*before, line[: match.start()]) if (text := _COMMENT.sub("", item).strip())]
    return bool(code and code[-1].endswith((";", "{", "}")))


def _without_statement(line: str) -> str:
    """Return a line without its barrier, with the indentation that it has."""
    indentation = line[: len(line) - len(line.lstrip())]
    return indentation + _STATEMENT.sub("", line, count=1).lstrip(" \t")
