"""Markdown for the page of `compare_power`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, all columns but the first aligned to the right."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def named(cases: Sequence[tuple[str, int]], most: int = 5) -> str:
    """Return the first cases with their counts, and the number of the others."""
    rest = [f"{len(cases) - most} more"] if len(cases) > most else []
    return ", ".join([*(f"`{case}` {count}" for case, count in cases[:most]), *rest]) or "none"
