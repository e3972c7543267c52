"""Add a mark to a history, and say which changes it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store.history.marks import Mark


def mark_changes(console: Console, folder: Path, mark: Mark) -> None:
    """Append the mark, and print how many changes it is of; UsageError for one that is of no case."""
    from shflbench.analysis.history.findings import is_of
    from shflbench.cli.history.read import read_histories
    from shflbench.store.history.marks import add_mark, require_valid

    require_valid(mark)
    histories = read_histories(console, folder, cases=[mark.case])
    add_mark(folder, mark)
    marked = [
        change
        for history in histories
        for change in history.changes
        if is_of(mark, change.case, change.old, change.seen)
    ]
    if not marked and mark.since:
        console.warn(f"the mark is of no change so far: none of `{mark.case}` is of {mark.since}")
    cases = sum(len(history.levels) for history in histories)
    console.data(f"marked {count_noun(len(marked), 'change')} of {count_noun(cases, 'case')} as {mark.kind}")
