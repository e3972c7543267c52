"""Changes of several cases as events."""

from dataclasses import replace

import pytest

from shflbench.analysis.history.blame import Blame, CauseLabel, ChangeCause, RecordedChange
from shflbench.analysis.history.events import events_of
from shflbench.analysis.history.findings import HistoryChange, RunMoment
from shflbench.store.history.marks import Mark, MarkKind


def moment(day: int) -> RunMoment:
    return RunMoment(f"2026-01-{day:02d}T03:00:00Z")


def change(case: str, old: int = 9, first: int = 10, label: CauseLabel = CauseLabel.CODE) -> HistoryChange:
    return HistoryChange(
        case=case,
        before_us=10.0,
        after_us=11.0,
        low=1.09,
        high=1.11,
        per_month=None,
        old=moment(old),
        first=moment(first),
        seen=moment(first + 2),
        named=None,
        blame=Blame(old, first, (ChangeCause(label, (RecordedChange("registers", "32", f"4{old % 10}"),)),)),
        mark=None,
    )


def together(*changes: HistoryChange) -> list[str]:
    return ["".join(sorted(item.case for item in event.changes)) for event in events_of(changes)]


def test_changes_between_the_same_runs_are_one_event() -> None:
    assert together(change("a"), change("b")) == ["ab"]


def test_changes_that_may_have_come_between_the_same_runs_are_one_event() -> None:
    (event,) = events_of([change("a", 8, 10), change("b", 9, 11), change("c", 7, 12)])
    assert (event.old, event.first) == (moment(9), moment(10))


def test_one_run_later_is_another_event_and_the_newest_comes_first() -> None:
    assert together(change("a"), change("b", 10, 11)) == ["b", "a"]


@pytest.mark.parametrize(
    "other",
    [
        change("b", label=CauseLabel.DRIVER),
        replace(change("b"), after_us=9.0),
        replace(change("b"), per_month=1.02, named=moment(28)),
        replace(change("b"), mark=Mark(case="b", since="", kind=MarkKind.KNOWN, reason="r")),
    ],
    ids=["cause", "direction", "drift", "mark"],
)
def test_what_differs_is_another_event(other: HistoryChange) -> None:
    assert len(together(change("a"), other)) == 2


def test_drifts_of_the_same_weeks_are_one_event() -> None:
    drifts = [replace(change(case, day, day), per_month=1.02, named=moment(28)) for case, day in (("a", 1), ("b", 4))]
    assert together(*drifts) == ["ab"]


def test_a_drift_that_becomes_faster_is_no_slower_case() -> None:
    assert not replace(change("a"), per_month=0.98, named=moment(28)).is_slower
