"""The factors that set the cases of a pattern apart: element type, launch, iterations, options (pure functions)."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.launch import grid_and_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shflbench.store.columns import Row

DTYPE, GRID, BLOCK, ITERATIONS = "dtype", "grid", "block", "iterations"
BUILT_IN = frozenset({DTYPE, GRID, BLOCK, ITERATIONS})  # every other factor is an option


def one_pass(row: Row) -> bool:
    """Return whether the case has no timed loop, so that its one iteration means nothing."""
    return row.iterations == 1 and row.ns_per_iteration is None and not row.sass_per_iteration


def by_group(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each group, groups in order of their first row."""
    return list(group_by(rows, attrgetter("pattern", "dtype", "launch", "iterations", "options")).values())


def factors(row: Row) -> dict[str, str]:
    """Return everything but the variant that a suite can vary, by name, in the order of `words`."""
    grid, block = grid_and_block(row.launch, row.block)
    settings = {DTYPE: row.dtype, GRID: grid, BLOCK: block} if row.launch else {}  # of other tools: unknown
    if not one_pass(row):
        settings[ITERATIONS] = str(row.iterations)
    return settings | dict(row.options)


def common_factors(settings: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return what all settings have in common."""
    first, *others = settings
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def words(part: Mapping[str, str]) -> str:
    """Return a part of a setting for a reader: `f32, 26x1024, 4096 iterations, mode=xor`."""
    grid, block = part.get(GRID), part.get(BLOCK)
    launch = _launch(grid, block)
    iterations = f"{part[ITERATIONS]} iterations" if ITERATIONS in part else ""
    options = (f"{name}={value}" for name, value in part.items() if name not in BUILT_IN)
    return ", ".join(filter(None, (part.get(DTYPE, ""), launch, iterations, *options)))


def _launch(grid: str | None, block: str | None) -> str:
    match grid, block:
        case str(), str():
            if "x" in grid or "x" in block:
                return f"{grid}:{block}"
            return f"{grid}x{block}" if grid.isdigit() else f"{grid} x {block}"
        case str(), None:
            return "1 block" if grid == "1" else f"{grid} blocks"
        case None, str():
            return f"{block} threads per block"
    return ""
