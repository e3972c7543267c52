"""How the result of a case was verified, and what is wrong with its samples, in words (pure functions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import Disturbance, MeasureRules, Status

if TYPE_CHECKING:
    from shflbench.store.columns import Row

NOTABLE = MeasureRules().precision  # smaller disturbances, which four in ten of an H200's cases have, are not shown
# As words of a sentence; the others are words already.
_NOISE = {
    Disturbance.SLOW_EPISODES.value: "slow episodes",
    Disturbance.TWO_LEVELS.value: "two levels",
    Disturbance.PROCESSES.value: "processes differ",
}


def verification(row: Row) -> str:
    """Return how the result of a case was verified, and the disturbances of its samples, in a word each."""
    matched = f"{row.matched} of {row.inputs} inputs matched" if row.inputs is not None else ""
    match row.status:
        case Status.TIMED if not row.mechanism:  # of another tool
            known = "not verified"
        case Status.TIMED | Status.VERIFIED:
            known = _compared_with(row) if row.safe else f"UNSAFE, {matched}"
        case Status.INCORRECT:
            known = f"INCORRECT, {matched}" if matched else "INCORRECT"
        case Status.COMPILED:
            known = "compiled" if row.safe else "UNSAFE, compiled"
        case _:
            known = row.status.value
    if row.status is Status.TIMED:
        return "; ".join((known, *disturbances(row)))
    return f"{known}: {row.reason}" if row.reason else known


def disturbances(row: Row) -> list[str]:
    """Return the disturbances of a row's samples; the row's `reason` has the sentences."""
    if row.noise is None:  # an older run, which detected only throttling
        return [f"{row.dropped} throttled samples dropped"] if row.dropped else []
    kinds = [_NOISE.get(kind, kind) for kind, size in row.noise.items() if size >= NOTABLE]
    return [f"noise: {', '.join(kinds)}"] if kinds else []


def _compared_with(row: Row) -> str:
    """Return what a result was compared with: one that agrees with another variant is no more correct than that one."""
    if row.reference is None:
        return "verified"
    return "the reference" if row.reference == row.variant else f"same as {row.reference}"
