from __future__ import annotations

import pytest

from shflbench.measure.messages import (
    Doing,
    Ended,
    JobDone,
    Message,
    Placed,
    Remark,
    Round,
    Settled,
    Unwatched,
    Verified,
    Warm,
)
from shflbench.measure.stopping import FEWEST_ROUNDS
from shflbench.model import Conditions, Proof, Status
from shflbench.session import Note, WarmedUp, Working
from shflbench.session.progress import Progress

PROOF = Proof(8, 8, (1,), "2x64")


def taken(number: int) -> Round:
    return Round(0, number, (), Conditions())


def shares(progress: Progress, *messages: Message) -> list[float]:
    events = [event for message in messages for event in progress.events(message)]
    return [event.done for event in events if isinstance(event, Working)]


@pytest.mark.parametrize(
    ("message", "event"),
    [
        (Warm(steady=True, clock_mhz=1980.0), WarmedUp(steady=True, clock_mhz=1980.0)),
        (Remark("there are no sentinels"), Note("there are no sentinels")),
        (
            Unwatched("sentinel/l2", "it crashed"),
            Note("sentinel/l2 failed, and watches the machine no more: it crashed"),
        ),
        (Doing("a", "verifying"), Working("verifying a", 0.0, 4.0)),
    ],
)
def test_message_is_told_to_whoever_watches(message: Message, event: object) -> None:
    assert list(Progress(2).events(message)) == [event]


@pytest.mark.parametrize("message", [Doing("a", "timing"), Placed("a", 2, 1), JobDone()])
def test_what_goes_without_saying_is_not_told(message: Message) -> None:
    assert list(Progress(2).events(message)) == []


def test_clock_that_does_not_settle_is_noted() -> None:
    note = Note("the SM clock was still moving after the warm-up, at 1980 MHz")
    assert list(Progress(1).events(Warm(steady=False, clock_mhz=1980.0)))[1:] == [note]
    assert not any(isinstance(event, Note) for event in Progress(1).events(Warm(steady=False, clock_mhz=None)))


def test_case_counts_half_when_it_is_verified_and_whole_when_it_is_settled() -> None:
    progress = Progress(2)
    assert shares(progress, Doing("a", "verifying"), Verified("a", PROOF), Doing("b", "verifying")) == [0.0, 1.0]
    assert shares(progress, Verified("b", PROOF), taken(0), taken(1)) == pytest.approx(
        [2 + 2 / FEWEST_ROUNDS, 2 + 4 / FEWEST_ROUNDS]
    )
    assert shares(progress, Settled("a", "precision"), Settled("b", "precision")) == pytest.approx(
        [2 + 1 + 2 / FEWEST_ROUNDS, 4.0]
    )


def test_rounds_beyond_the_usual_ones_bring_no_case_to_its_end() -> None:
    progress = Progress(1)
    found = shares(progress, Doing("a", "verifying"), Verified("a", PROOF), *map(taken, range(3 * FEWEST_ROUNDS)))
    assert found[-1] == 2.0
    assert found == sorted(found)


def test_rounds_of_an_earlier_window_do_not_count_for_the_next() -> None:
    progress = Progress(2)
    first: tuple[Message, ...] = (Doing("a", "verifying"), Verified("a", PROOF), *map(taken, range(9)))
    assert shares(progress, *first, Settled("a", "precision"))[-1] == 2.0
    assert shares(progress, Doing("b", "verifying"), Verified("b", PROOF), taken(9)) == pytest.approx([2, 3 + 1 / 9])


def test_case_that_ends_early_counts_as_done() -> None:
    assert shares(Progress(2), Doing("a", "verifying"), Ended("a", Status.FAILED, "it crashed")) == [0.0, 2.0]


def test_case_that_failed_is_not_waited_for_in_later_processes() -> None:
    progress = Progress(2 * 2)  # two cases in two processes
    assert shares(progress, Ended("a", Status.FAILED, "it crashed"), Settled("b", "precision"))[-1] == 4.0
    progress.expect(1)
    assert shares(progress, Doing("b", "verifying")) == [6.0]
    assert shares(progress, Settled("b", "precision")) == [8.0]
