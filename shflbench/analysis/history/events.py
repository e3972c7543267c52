"""Changes that came together: cases that changed between the same runs, by the same causes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.store.history.marks import MarkKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.history.findings import HistoryChange, RunMoment, SuiteHistory


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """Changes by the same causes, in one direction and with the same mark, whose runs before and after overlap."""

    changes: tuple[HistoryChange, ...]  # the largest first

    @property
    def head(self) -> HistoryChange:
        """The largest change."""
        return self.changes[0]

    @property
    def old(self) -> RunMoment:
        """The last run before all of them."""
        return max((change.old for change in self.changes), key=lambda moment: moment.started)

    @property
    def first(self) -> RunMoment:
        """The first run that shows one of them."""
        return min((change.first for change in self.changes), key=lambda moment: moment.started)


def events_of(changes: Iterable[HistoryChange]) -> list[HistoryEvent]:
    """Return the events, newest first, and slower cases before faster ones."""
    alike = group_by(
        changes, lambda change: (change.blame.causes_alike, change.is_slower, change.is_drift, change.mark)
    ).values()
    events = [event for group in alike for event in _overlapping(group)]
    events.sort(key=lambda event: (event.head.is_slower, len(event.changes)), reverse=True)
    return sorted(events, key=lambda event: event.first.started, reverse=True)


def _overlapping(changes: Sequence[HistoryChange]) -> Iterator[HistoryEvent]:
    """Yield the changes together that may have come between the same two runs."""
    together: list[HistoryChange] = []
    for change in sorted(changes, key=lambda change: (change.old.started, change.last.started)):
        if together and change.old.started >= min(other.last.started for other in together):
            yield _event(together)
            together = []
        together.append(change)
    if together:
        yield _event(together)


def _event(changes: Iterable[HistoryChange]) -> HistoryEvent:
    return HistoryEvent(tuple(sorted(changes, key=_size, reverse=True)))


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
