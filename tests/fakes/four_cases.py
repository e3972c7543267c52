"""Sides of four cases from 40 µs on, and what a comparison of them says of a single one."""

from dataclasses import replace
from functools import cache
from typing import Any

from shflbench.analysis.compare import ChangeVerdict, Comparison, Outcome, Settings, Side, compare
from shflbench.store import Row
from tests.fakes.sides import side
from tests.fakes.simulated import Simulated, spread

FEW = spread(4, 40.0)
FIRST, SECOND, THIRD, FOURTH = (case.id for case in FEW)


@cache
def made(seed: int = 1, **changes: Any) -> Side:
    """Return a side of three processes, unless `changes` say otherwise."""
    return side(Simulated(cases=FEW, seed=seed, **changes))


def with_row(known: Side, row: Row | None, case_id: str = FIRST) -> Side:
    """Return the side with another row for a case, or without it."""
    rows = {name: row if name == case_id else own for name, own in known.rows.items()}
    return replace(known, rows={name: own for name, own in rows.items() if own is not None})


def verdict(base: Side, new: Side, settings: Settings | None = None, case_id: str = FIRST) -> ChangeVerdict:
    """Return what is said of one case."""
    (found,) = (each for each in compare(base, new, settings).verdicts if each.case_id == case_id)
    return found


def outcomes(comparison: Comparison) -> dict[str, Outcome]:
    """Return the outcome of each case."""
    return {each.case_id: each.outcome for each in comparison.verdicts}
