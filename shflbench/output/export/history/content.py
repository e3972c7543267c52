"""The content of the report of a history, suite by suite: events, likely changes and cases, as texts and charts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from shflbench.analysis.history.events import events_of, recent
from shflbench.analysis.history.segments import segments_of
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.output.export.history import words
from shflbench.output.export.history.charts import CaseCourse, StepMark, captions, chart, small_chart
from shflbench.output.export.html.texts import short
from shflbench.store.history.marks import MarkKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from shflbench.analysis.history.events import HistoryEvent
    from shflbench.analysis.history.findings import CaseLevel, HistoryChange, LikelyChange, SuiteHistory

DAYS = 30  # before the newest run: what the report begins with
HISTORY_FIELDS = {"driver": "driver", "compiler": "NVRTC", "cccl": "CCCL", "gpu": "GPU", "method": "method"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChart:
    """A large chart with the changes in it."""

    anchor: str
    case: str
    level: str
    changes: tuple[str, ...]  # numbered in the chart, with causes and marks
    captions: tuple[str, ...]
    image: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCase:
    """A line of an event."""

    case: str
    anchor: str  # of its chart
    change: str
    before: str
    after: str
    alarm: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSection:
    """Cases that changed together, for the same causes."""

    kind: str  # class: slower or faster
    when: str
    what: str
    causes: tuple[str, ...]
    cases: tuple[ChangedCase, ...]
    charts: tuple[CaseChart, ...]  # of the cases that have none further up

    @property
    def is_marked(self) -> bool:
        """Whether something is known about a change."""
        return any(case.mark for case in self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyLine:
    """A change that the last runs suggest."""

    case: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """A line of the table of all cases."""

    case: str
    anchor: str  # of its large chart; empty without one
    time_us: float | None
    level: str
    interval: str
    runs: int
    last: str
    status: str
    changes: int
    image: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSection:
    """A suite on a GPU."""

    anchor: str
    title: str
    runs: str
    summary: str
    bridges: tuple[str, ...]
    recent: tuple[EventSection, ...]
    likely: tuple[LikelyLine, ...]
    likely_charts: tuple[CaseChart, ...]
    earlier: tuple[EventSection, ...]
    ignored: tuple[EventSection, ...]
    rows: tuple[CaseRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryReport:
    """The whole report."""

    title: str
    sentences: tuple[str, ...]
    suites: tuple[SuiteSection, ...]
    version: str


def suite_section(history: SuiteHistory, number: int) -> SuiteSection:
    """Return the section of a suite, which is number so-and-so in the report."""
    return _SectionMaker(history, number).section()


class _SectionMaker:
    """Makes the sections of a suite, and each large chart once, where its case is first named."""

    def __init__(self, history: SuiteHistory, number: int) -> None:
        self.history = history
        self.number = number
        self.index = {case: place for place, case in enumerate(history.series.cases)}
        self.by_case = group_by(history.changes, lambda change: change.case)
        self.notes = tuple(_machine_notes(history))
        self.is_drawn: set[str] = set()
        self.of_case = {level.case: self._times(level.case) for level in history.levels}

    def section(self) -> SuiteSection:
        """Return the section; its parts are made in the order of the page."""
        history = self.history
        now = recent(history, DAYS)
        shown = recent(history, None)
        late = {id(change) for change in now}
        earlier = [change for change in shown if id(change) not in late]
        ignored = [change for change in history.changes if change.mark and change.mark.kind is MarkKind.IGNORE]
        events = [self._event(event) for event in events_of(now)]
        likely_charts = [self._chart(case) for case in self._undrawn(change.case for change in history.likely)]
        return SuiteSection(
            anchor=f"suite-{self.number}",
            title=short(f"{history.suite} on {history.gpu_name or 'unknown GPU'}"),
            runs=short(words.headline(history)),
            summary=summary(history, now),
            bridges=tuple(short(words.bridge_in_words(bridge)) for bridge in history.bridges),
            recent=tuple(events),
            likely=tuple(self._likely(change) for change in history.likely),
            likely_charts=tuple(likely_charts),
            earlier=tuple(self._event(event) for event in events_of(earlier)),
            ignored=tuple(self._event(event) for event in events_of(ignored)),
            rows=tuple(self._row(level) for level in history.levels),
        )

    def _times(self, case: str) -> CaseCourse:
        place, times = self.index[case], self.history.series.times
        changes = self.by_case.get(case, ())
        return CaseCourse(
            case=short(case),
            days=times.days,
            times=times.times[place],
            errors=times.errors[place],
            segments=tuple(segments_of(self.history, place, changes)),
            steps=tuple(self._step(change, number) for number, change in enumerate(changes, 1)),
            notes=self.notes,
        )

    def _step(self, change: HistoryChange, number: int) -> StepMark:
        """Return the mark of a change: between the runs of a step, at the beginning of a drift."""
        days = self.history.series.times.days
        old, new = float(days[change.blame.old]), float(days[change.blame.new])
        kind = "slower" if change.is_slower else "faster"
        return StepMark(old if change.is_drift else (old + new) / 2, number, change_in_words(change), kind)

    def _anchor(self, case: str) -> str:
        return f"chart-{self.number}-{self.index[case]}"

    def _undrawn(self, cases: Iterable[str]) -> list[str]:
        """Return the cases without a large chart so far; they have one from now on."""
        fresh = [case for case in dict.fromkeys(cases) if case not in self.is_drawn]
        self.is_drawn.update(fresh)
        return fresh

    def _chart(self, case: str) -> CaseChart:
        of = self.of_case[case]
        level = next(level for level in self.history.levels if level.case == case)
        return CaseChart(
            anchor=self._anchor(case),
            case=short(case),
            level=words.level_in_words(level),
            changes=tuple(step.text for step in of.steps),
            captions=tuple(captions(of)),
            image=chart(of),
        )

    def _event(self, event: HistoryEvent) -> EventSection:
        return EventSection(
            kind="slower" if event.head.is_slower else "faster",
            when=short(words.when(event)),
            what=words.what_changed(event),
            causes=tuple(short(cause) for cause in words.causes(event)),
            cases=tuple(
                ChangedCase(
                    case=short(change.case),
                    anchor=self._anchor(change.case),
                    change=", ".join(filter(None, (words.direction(change), words.kernel_in_words(change)))),
                    before=words.time_us(change.before_us),
                    after=words.time_us(change.after_us),
                    alarm=(change.named or change.seen).day,
                    mark=_mark(change),
                )
                for change in event.changes
            ),
            charts=tuple(self._chart(case) for case in self._undrawn(change.case for change in event.changes)),
        )

    def _likely(self, change: LikelyChange) -> LikelyLine:
        return LikelyLine(case=short(change.case), anchor=self._anchor(change.case), text=words.likely_in_words(change))

    def _row(self, level: CaseLevel) -> CaseRow:
        return CaseRow(
            case=short(level.case),
            anchor=self._anchor(level.case) if level.case in self.is_drawn else "",
            time_us=level.time_us,
            level=words.time_us(level.time_us),
            interval="" if level.error is None else f"±{100 * level.error:.2g}%",
            runs=level.runs,
            last=level.last.day,
            status=level.status,
            changes=len(self.by_case.get(level.case, ())),
            image=small_chart(self.of_case[level.case]),
        )


def summary(history: SuiteHistory, changes: Sequence[HistoryChange]) -> str:
    """Return how many cases changed in the last days, and how many perhaps did."""
    news = [change for change in changes if not change.mark]
    slower = len({change.case for change in news if change.is_slower})
    faster = len({change.case for change in news if not change.is_slower})
    marked = len(changes) - len(news)
    parts = [f"{number} {word}" for number, word in ((slower, "slower"), (faster, "faster")) if number]
    cases = count_noun(len(history.levels), "case")
    likely = f"; {count_noun(len(history.likely), 'case')} perhaps changed" if history.likely else ""
    parts += [count_noun(marked, "marked change")] if marked else []
    return f"{', '.join(parts) or 'no change'} of {cases} in the {DAYS} days before the newest run{likely}"


def change_in_words(change: HistoryChange) -> str:
    """Return a change with its days, causes and mark in one line."""
    between = change.first.day if change.old.day == change.first.day else f"{change.old.day} to {change.first.day}"
    days = f"from {change.old.day} on" if change.is_drift else between
    causes = "; ".join(words.cause_in_words(cause, is_drift=change.is_drift) for cause in change.blame.causes)
    mark = f" ({text})" if (text := _mark(change)) else ""
    times = f"{words.time_us(change.before_us)} → {words.time_us(change.after_us)}"
    return short(f"{days}: {words.direction(change)}, {times}: {causes}{mark}")


def _mark(change: HistoryChange) -> str:
    return short(f"{change.mark.kind}: {change.mark.reason}") if change.mark else ""


def _machine_notes(history: SuiteHistory) -> Iterator[tuple[float, str]]:
    """Yield the days on which driver, compiler, GPU or method differed from the run before."""
    runs, days = history.series.runs, history.series.times.days.tolist()
    for (before, after), day in zip(pairwise(runs), days[1:], strict=True):
        texts = [
            f"{name} {was} → {now}"
            for field, name in HISTORY_FIELDS.items()
            if (was := getattr(before.machine, field)) != (now := getattr(after.machine, field)) and was and now
        ]
        if texts:
            yield day, short(", ".join(texts))
