"""Print what changed in a history, and the level of each case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table, align_right
from shflbench.core.words import count_noun
from shflbench.output.export.history import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.history.events import HistoryEvent
    from shflbench.analysis.history.findings import SuiteHistory
    from shflbench.cli.console import Console

MOST_CASES = 8  # lines of an event, unless all are wanted


@dataclass(frozen=True, slots=True)
class ShownHistory:
    """How much of a history is printed."""

    days: int | None  # before the newest run; None: all
    is_complete: bool  # all cases, and those that are ignored


def print_history(console: Console, histories: Sequence[SuiteHistory], shown: ShownHistory) -> None:
    """Print each suite: what changed, what may have changed, and the level of each case if all are wanted."""
    for number, history in enumerate(histories):
        if number:
            console.data("")
        _print_suite(console, history, shown)


def _print_suite(console: Console, history: SuiteHistory, shown: ShownHistory) -> None:
    from shflbench.analysis.history.events import events_of, recent

    console.data(words.headline(history))
    for bridge in history.bridges:
        console.data(words.bridge_in_words(bridge))
    changes = recent(history, shown.days, with_ignored=shown.is_complete)
    console.data(words.too_few(history) or _summary(history, len(changes), shown))
    for text in filter(None, (words.offset(history), words.not_timed(history))):
        console.lines([(text, "doubt")])
    for event in events_of(changes):
        console.data("")
        console.lines(_event(event))
        console.table(_cases(event, shown), data=True)
    if history.likely:
        console.data("")
        console.table(_likely(history), data=True)
    if shown.is_complete:
        console.data("")
        console.table(_levels(history), data=True)


def _summary(history: SuiteHistory, count: int, shown: ShownHistory) -> str:
    period = "in all runs" if shown.days is None else f"in the {count_noun(shown.days, 'day')} before the newest run"
    changed = f"{count_noun(count, 'change')} {period}" if count else f"no change {period}"
    hidden = len(history.changes) - count
    earlier = f"; --all shows {hidden} earlier or ignored" if hidden and shown.days is not None else ""
    return f"{changed}, of {count_noun(len(history.series.cases), 'case')}{earlier}"


def _event(event: HistoryEvent) -> Iterator[tuple[str, str]]:
    style = "bad" if event.head.is_slower else "good"
    yield f"{words.when(event)}: {words.what_changed(event)}", style
    for cause in words.causes(event):
        yield f"  {cause}", ""
    if mark := event.head.mark:
        yield f"  marked as {mark.kind}: {mark.reason}", ""


def _cases(event: HistoryEvent, shown: ShownHistory) -> Table:
    """Return the table of an event's cases, the largest changes first."""
    changes = event.changes if shown.is_complete else event.changes[:MOST_CASES]
    more = len(event.changes) - len(changes)
    kernels = [words.kernel_in_words(change) for change in changes]
    with_kernels = any(kernels)
    return Table(
        title="",
        columns=("case", "change", "before", "after", "alarm", *(("kernel",) if with_kernels else ())),
        body=tuple(
            Line(
                (
                    change.case,
                    words.direction(change),
                    words.time_us(change.before_us),
                    words.time_us(change.after_us),
                    (change.named or change.seen).day,
                    *((kernel,) if with_kernels else ()),
                )
            )
            for change, kernel in zip(changes, kernels, strict=True)
        ),
        notes=(f"and {count_noun(more, 'more case')}: --all shows them",) if more else (),
    )


def _likely(history: SuiteHistory) -> Table:
    return Table(
        title="perhaps changed:",
        columns=("case", "change"),
        body=tuple(Line((change.case, words.likely_in_words(change)), "doubt") for change in history.likely),
    )


def _levels(history: SuiteHistory) -> Table:
    levels = history.levels
    times = align_right([words.level_in_words(level) for level in levels])
    return Table(
        title="",
        columns=("case", "level", "runs", "since", "last run", "status"),
        body=tuple(
            Line(
                (
                    level.case,
                    time,
                    str(level.runs),
                    level.since.day if level.since else "",
                    level.last.day,
                    level.status,
                )
            )
            for level, time in zip(levels, times, strict=True)
        ),
    )
