"""Changes that came together: cases that changed between the same runs, for the same causes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.store.history.marks import MarkKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.analysis.history.findings import HistoryChange, SuiteHistory


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """Changes between the same two runs, by the same causes and in one direction."""

    changes: tuple[HistoryChange, ...]  # the largest first

    @property
    def head(self) -> HistoryChange:
        """The largest change."""
        return self.changes[0]


def events_of(changes: Iterable[HistoryChange]) -> list[HistoryEvent]:
    """Return the events, newest first, and slower cases before faster ones."""
    groups = group_by(
        changes,
        lambda change: (
            change.first.started,
            change.old.started,
            change.blame.labels,
            change.is_slower,
            change.is_drift,
        ),
    ).values()
    events = [HistoryEvent(tuple(sorted(group, key=_size, reverse=True))) for group in groups]
    events.sort(key=lambda event: (event.head.is_slower, len(event.changes)), reverse=True)
    return sorted(events, key=lambda event: event.head.first.started, reverse=True)


def _size(change: HistoryChange) -> float:
    return max(change.ratio, 1 / change.ratio)


def recent(history: SuiteHistory, days: int | None, *, with_ignored: bool = False) -> list[HistoryChange]:
    """Return the changes that were seen in the last days before the newest run, all if None, without ignored ones."""
    shown = [
        change
        for change in history.changes
        if with_ignored or not change.mark or change.mark.kind is not MarkKind.IGNORE
    ]
    if days is None:
        return shown
    begin = datetime.fromisoformat(history.moments[-1].started) - timedelta(days=days)
    return [change for change in shown if datetime.fromisoformat((change.named or change.seen).started) >= begin]
