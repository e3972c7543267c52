"""Launch shapes as rows and columns: the grid expressions and the block sizes of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.launch import grid_and_block
from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.store import Row

UNKNOWN = float("inf")  # the size of a grid whose device is unknown: sorts last


def grid_of(row: Row) -> str:
    """Return the grid as written in the suite: `2*sms` of `2*sms x 256`."""
    return grid_and_block(row.launch, row.block)[0]


def grids_of(rows: Iterable[Row]) -> list[str]:
    """Return the grids as written, each once, from small to large."""
    sizes: dict[str, float] = {}
    for row in rows:
        sizes[grid_of(row)] = min(size_of(row), sizes.get(grid_of(row), UNKNOWN))
    return sorted(sizes, key=lambda grid: sizes[grid])


def size_of(row: Row) -> float:
    """Return the number of blocks."""
    return UNKNOWN if row.grid is None else row.grid


def block_of(row: Row) -> str:
    """Return the threads per block as written in the suite: `256`, or `16x16`."""
    return grid_and_block(row.launch, row.block)[1]


def blocks_of(rows: Iterable[Row]) -> list[str]:
    """Return the block sizes as written, each once, from small to large."""
    sizes = {block_of(row): row.block for row in rows}
    return sorted(sizes, key=lambda block: (sizes[block], block))


def grid_words(rows: Sequence[Row]) -> str:
    """Return the grid that the rows share, for a reader: `2*sms = 264 blocks`, `1 block`.

    A grid that depends on the block size (`fill`) has several numbers of blocks.
    """
    expression, sizes = grid_of(rows[0]), {row.grid for row in rows}
    size = sizes.pop() if len(sizes) == 1 else None
    if size is None:
        return expression
    count = count_noun(size, "block")
    return count if expression == str(size) else f"{expression} = {count}"
