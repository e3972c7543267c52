"""The outcome of a comparison of kernels: whether one was refused, and the pair to look into."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.measure.verify import UNWRITTEN
from shflbench.measure.verify_again import STALE
from shflbench.session.write_bound import TOO_FAST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.store import Row


def is_refused(rows: Iterable[Row]) -> bool:
    """Whether a kernel left its work out, which makes it fast and is no result."""
    return any(cheat in (row.reason or "") for row in rows for cheat in (UNWRITTEN, STALE, TOO_FAST))


def timed_pair(rows: Iterable[Row]) -> tuple[str, str] | None:
    """Return the baseline and the fastest other kernel of the first group that has both times; None if none has."""
    groups = group_by(rows, attrgetter("pattern", "dtype", "launch", "iterations", "options"))
    for group in groups.values():
        times = {row.variant: row.time_us for row in group if row.time_us is not None}
        baseline = next((row.baseline for row in group if row.baseline), None)
        others = [name for name in times if name != baseline]
        if baseline in times and others:
            return baseline, min(others, key=lambda name: times[name])
    return None
