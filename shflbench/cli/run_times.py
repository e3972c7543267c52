"""The joint intervals of a run's times, which decide which variants tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.analysis.claims.times import RunTimes
    from shflbench.cli.console import Console
    from shflbench.store import Run


def joint_times(run: Run, console: Console) -> RunTimes | None:
    """Return the times of a run; None, with a warning, where its samples are damaged, and None without a time."""
    if not any(row.time_us for row in run.rows):
        return None
    from shflbench.analysis.claims.times import known_times

    times, problem = known_times(run)
    if problem:
        console.warn(problem)
    return times
