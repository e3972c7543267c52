"""The fastest variants of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.contest import competes, contest_of
from shflbench.cli.show.tables import by_group

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.store import Row


def best_rows(rows: Iterable[Row]) -> list[Row]:
    """Return for each group the fastest safe variant and those tied with it; none for a group without a time."""
    return [row for group in by_group(rows) for row in _leaders(group)]


def _leaders(group: list[Row]) -> Iterable[Row]:
    contest = contest_of(group)
    return contest.leaders if contest else filter(competes, group)
