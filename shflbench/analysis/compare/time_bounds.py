"""Check the times of the new side against absolute limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import LimitCheck, LimitState, Metric
from shflbench.analysis.compare.machine_evidence import CRUDE
from shflbench.analysis.compare.metrics import measured_values
from shflbench.core.grouping import group_by
from shflbench.core.model import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.analysis.compare.comparison import ChangeVerdict
    from shflbench.analysis.compare.sides import Side
    from shflbench.core.time_limits import TimeLimits
    from shflbench.store import Row


def with_limits(verdicts: Iterable[ChangeVerdict], new: Side, limits: TimeLimits) -> tuple[ChangeVerdict, ...]:
    """Return the verdicts with the check of each case that has a limit and that all runs of the new side timed.

    The time is that of `results.csv`, of several runs the median, without the correction by sentinels: a limit is of
    what the machine needs. Its interval is the 95% interval of the table, of several runs from the lowest to the
    highest end.
    """
    times = measured_values(new, Metric.TIME)
    rows = group_by((row for run in new.runs for row in run.rows), lambda row: row.case_id)
    bounded = []
    for verdict in verdicts:
        limit_us = limits.of(verdict.case_id)
        row = new.rows.get(verdict.case_id)
        if limit_us is not None and row and row.status is Status.TIMED and verdict.case_id in times:
            check = _check(times[verdict.case_id], rows[verdict.case_id], limit_us)
            bounded.append(replace(verdict, limit=check))
        else:
            bounded.append(verdict)
    return tuple(bounded)


def _check(time_us: float, rows: Sequence[Row], limit_us: float) -> LimitCheck:
    """Return over if the whole interval is above the limit, within if none of it is.

    Without an interval, the time must be as far from the limit as a change that needs no evidence.
    """
    lows, highs = [row.time_low_us for row in rows], [row.time_high_us for row in rows]
    if None in lows or None in highs:
        low, high = time_us / (1 + CRUDE), time_us * (1 + CRUDE)
        return LimitCheck(_state(low, high, limit_us), limit_us, time_us)
    low, high = min(filter(None, lows)), max(filter(None, highs))
    return LimitCheck(_state(low, high, limit_us), limit_us, time_us, low, high)


def _state(low: float, high: float, limit_us: float) -> LimitState:
    return LimitState.OVER if low > limit_us else LimitState.WITHIN if high <= limit_us else LimitState.UNCERTAIN
