"""Choose the factors of a pattern's cases that make an axis for curves, and the cases that are left for bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.settings import BLOCK, DTYPE, GRID, ITERATIONS, factors, one_pass
from shflbench.core.grouping import group_by
from shflbench.output.plot.shapes import grid_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

FEWEST = 3  # values of an axis; two values are compared by bars


@dataclass(frozen=True, slots=True)
class Sweep:
    """Cases over the values of one factor."""

    factor: str
    drawn: frozenset[str]  # what lies along the axis: the factor, and the blocks if they depend on it
    rows: tuple[Row, ...]  # in the order of the suite
    settings: int  # of all other factors: the panels of a chart

    @property
    def cases(self) -> set[str]:
        """The ids of its cases."""
        return {row.case_id for row in self.rows}


def sweeps(subject: ChartSubject) -> list[Sweep]:
    """Return the fewest sweeps that show every case that lies on one, the largest first."""
    names = dict.fromkeys(name for row in subject.rows for name in factors(row))
    axes = [name for name in names if name not in {DTYPE, ITERATIONS} and name not in subject.common_factors]
    if not all(map(one_pass, subject.rows)):  # the blocks of a pass over data are its size; else they come last
        axes.sort(key=lambda name: name == GRID)
    remaining, chosen = {row.case_id for row in subject.rows}, []
    while axes:
        choices = [sweep for name in axes if (sweep := _sweep(name, subject.rows, remaining)) is not None]
        if not choices:
            break
        best = max(choices, key=lambda sweep: (len(remaining & sweep.cases), -sweep.settings))
        chosen.append(best)
        axes.remove(best.factor)
        remaining -= best.cases
    return chosen


def beside(subject: ChartSubject) -> list[Row]:
    """Return the rows that lie on no sweep."""
    on_one = {case for sweep in sweeps(subject) for case in sweep.cases}
    return [row for row in subject.rows if row.case_id not in on_one]


def blocks_along(rows: Sequence[Row], factor: str, drawn: Collection[str]) -> list[str]:
    """Return a note on the blocks at each value of the factor, where these are drawn along its axis and differ."""
    grids = group_by(rows, grid_of)
    if factor == GRID or GRID not in drawn or len(grids) == 1:
        return []
    values = {grid: list(dict.fromkeys(factors(row)[factor] for row in of_grid)) for grid, of_grid in grids.items()}
    places = [f"{grid} at {factor}={', '.join(of_grid)}" for grid, of_grid in values.items()]
    return [f"Blocks: {'; '.join(places)}."]


def position(row: Row, factor: str) -> float | None:
    """Return the row's place on the axis of a factor; None if its value is not a number."""
    if factor == GRID:
        return row.grid
    value = factors(row).get(factor, "")
    return float(value) if value.isdecimal() else None


def _sweep(factor: str, rows: Sequence[Row], remaining: set[str]) -> Sweep | None:
    """Return the sweep over a factor, of the settings that have enough of its values and a remaining row.

    A suite may choose other blocks for each value of an option, so that the bytes stay the same: a pass over data is
    then swept over both together.
    """
    drawn = frozenset({factor, GRID})
    settings = _by_setting(rows, drawn)
    if factor in {GRID, BLOCK} or not all(map(one_pass, rows)) or any(map(_is_ambiguous(factor), settings)):
        drawn = frozenset({factor})
        settings = _by_setting(rows, drawn)
    cases = [{row.case_id for row in setting} for setting in settings if _is_enough(setting, factor)]
    chosen = [setting for setting in cases if not setting.isdisjoint(remaining)]
    if not chosen:
        return None
    kept = set.union(*chosen)
    return Sweep(factor, drawn, tuple(row for row in rows if row.case_id in kept), len(chosen))


def _by_setting(rows: Iterable[Row], drawn: frozenset[str]) -> list[list[Row]]:
    """Return the rows in lists that agree in every factor that is not drawn."""

    def others(row: Row) -> tuple[tuple[str, str], ...]:
        return tuple((name, value) for name, value in factors(row).items() if name not in drawn)

    return list(group_by(rows, others).values())


def _is_ambiguous(factor: str) -> Callable[[Sequence[Row]], bool]:
    """Return a predicate: whether a variant would have two points at one value of the factor."""
    return lambda rows: len({(row.variant, position(row, factor)) for row in rows}) < len(rows)


def _is_enough(rows: Sequence[Row], factor: str) -> bool:
    positions = {position(row, factor) for row in rows if row.time_us is not None}
    return len(positions) >= FEWEST and None not in positions
