"""The fastest variants of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.contest import competes, contest_of
from shflbench.cli.show.tables import by_group

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.analysis.contest import JointTimes
    from shflbench.store import Row


def best_rows(rows: Iterable[Row], times: JointTimes | None) -> list[Row]:
    """Return for each group the fastest candidate, what ties with it, and library calls that tie with it or beat it.

    Groups keep the order of the results; of a group with fewer than two candidates, the candidate. None without a time.
    """
    return [row for group in by_group(rows) for row in _best(group, times)]


def _best(group: list[Row], times: JointTimes | None) -> Iterable[Row]:
    contest = contest_of(group, times)
    return contest.shown_best if contest else filter(competes, group)
