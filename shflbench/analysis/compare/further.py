"""Say whether more processes would settle a case, and how many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Outcome, Reason

if TYPE_CHECKING:
    from shflbench.analysis.compare.comparison import Verdict
    from shflbench.analysis.compare.sides import Side


def is_undecided(verdict: Verdict) -> bool:
    """Whether a case has no verdict yet although it was timed on both sides."""
    return verdict.outcome in {Outcome.SUSPECTED, Outcome.INCONCLUSIVE}


def process_count(side: Side, case_id: str) -> int:
    """Return the number of processes in which a side measured a case."""
    counts = side.kernels[case_id].counts if case_id in side.kernels else {}
    return len(counts[max(counts)]) if counts else 0


def further_processes(verdict: Verdict, measured: int) -> int | None:
    """Return how many more processes of the new side should settle a case; None if more would not.

    `measured` is in how many processes the new side measured the case. The base cannot be measured further, and so the
    case may take more. Of cases with three processes per side that were estimated to need four to six, twelve further
    ones settled three in five, of those that need 7 to 11 one in four, of those that need more than 15 one in twenty
    (54 cases on an H200, 500 draws).
    """
    if verdict.outcome is Outcome.SUSPECTED:
        return 1 if verdict.reason is Reason.FEW_PROCESSES else None
    if verdict.reason is not Reason.INTERVAL_TOO_WIDE or verdict.needs_processes is None:
        return None
    return max(1, verdict.needs_processes - measured)
