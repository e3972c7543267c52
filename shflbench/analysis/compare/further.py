"""Estimate how many more processes would settle a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Outcome, Reason

if TYPE_CHECKING:
    from shflbench.analysis.compare.comparison import ChangeVerdict
    from shflbench.analysis.compare.sides import Side


def is_undecided(verdict: ChangeVerdict) -> bool:
    """Return whether a case is undecided although it was timed on both sides."""
    return verdict.outcome in {Outcome.SUSPECTED, Outcome.INCONCLUSIVE}


def process_count(side: Side, case_id: str) -> int:
    """Return the number of processes in which a side measured a case."""
    counts = side.kernels[case_id].counts if case_id in side.kernels else {}
    return len(counts[max(counts)]) if counts else 0


def further_processes(verdict: ChangeVerdict, measured: int) -> int | None:
    """Return how many more processes of the new side should settle a case; None if more would not.

    `measured` is the number of processes in which the new side measured the case. The base is not measured again, so
    that the case may need more. With three processes per side, twelve further ones settled three in five cases that
    were estimated to need 4 to 6, one in four that need 7 to 11, one in twenty that need more than 15 (54 cases on an
    H200, 500 draws).
    """
    if verdict.outcome is Outcome.SUSPECTED:
        return 1 if verdict.reason is Reason.FEW_PROCESSES else None
    if verdict.reason is not Reason.INTERVAL_TOO_WIDE or verdict.needs_processes is None:
        return None
    return max(1, verdict.needs_processes - measured)
