"""The joint intervals of a run's times, which decide which variants tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from shflbench.analysis.claims.times import RunTimes
    from shflbench.cli.console import Console
    from shflbench.store import Run


def joint_times(run: Run, console: Console) -> RunTimes | None:
    """Return the times of a run; None, with a warning, where its samples are damaged, and None without a time."""
    if not any(row.time_us for row in run.rows):
        return None
    from shflbench.analysis.claims.times import RunTimes

    times = RunTimes(run)
    try:
        times.side  # noqa: B018  (reads the samples)
    except ResultsError as error:
        console.warn(f"{error}; ties are decided by the intervals of the rows alone")
        return None
    return times
