import pytest

from shflbench.core.model import Conditions, Proof, Status
from shflbench.measure.events import (
    CaseFailed,
    Converged,
    GridResolved,
    JobDone,
    JobEvent,
    Note,
    RoundDone,
    SentinelFailed,
    StepStarted,
    Verified,
    WarmedUp,
)
from shflbench.measure.stopping import FEWEST_ROUNDS
from shflbench.session.events import RunProgress, Working

PROOF = Proof(8, 8, (1,), "2x64")


def taken(number: int) -> RoundDone:
    return RoundDone(0, number, (), Conditions())


def shares(progress: RunProgress, *job_events: JobEvent) -> list[float]:
    events = [event for job_event in job_events for event in progress.report(job_event)]
    return [event.done for event in events if isinstance(event, Working)]


def texts(progress: RunProgress, *job_events: JobEvent) -> list[str]:
    events = [event for job_event in job_events for event in progress.report(job_event)]
    return [event.text for event in events if isinstance(event, Working)]


@pytest.mark.parametrize(
    ("job_event", "event"),
    [
        (WarmedUp(steady=True, clock_mhz=1980.0), WarmedUp(steady=True, clock_mhz=1980.0)),
        (Note("there are no sentinels"), Note("there are no sentinels")),
        (
            SentinelFailed("sentinel/l2", "it crashed"),
            Note("sentinel/l2 failed and is not timed any more: it crashed"),
        ),
        (StepStarted("a", "verifying"), Working("verifying, 0 of 2 cases", 0.0, 4.0, "a")),
        (CaseFailed("a", Status.FAILED, "it crashed"), Working("finished 1 of 2 cases", 2.0, 4.0, "a")),
    ],
)
def test_event_of_a_job_is_reported_to_the_terminal(job_event: JobEvent, event: object) -> None:
    assert list(RunProgress(2).report(job_event)) == [event]


@pytest.mark.parametrize("job_event", [StepStarted("a", "timing"), GridResolved("a", 2, 1), JobDone()])
def test_internal_event_is_not_reported(job_event: JobEvent) -> None:
    assert list(RunProgress(2).report(job_event)) == []


def test_clock_that_does_not_become_steady_is_reported() -> None:
    note = Note("the SM clock was still moving after the warm-up, at 1980 MHz")
    assert list(RunProgress(1).report(WarmedUp(steady=False, clock_mhz=1980.0)))[1:] == [note]
    assert not any(isinstance(event, Note) for event in RunProgress(1).report(WarmedUp(steady=False, clock_mhz=None)))


def test_texts_count_verified_cases_and_rounds() -> None:
    progress = RunProgress(3)
    job_events = (
        *(StepStarted("a", "verifying"), Verified("a", PROOF), StepStarted("b", "verifying")),
        *(CaseFailed("b", Status.FAILED, "it crashed"), StepStarted("c", "verifying"), taken(0)),
    )
    assert texts(progress, *job_events) == [
        "verifying, 0 of 3 cases",
        "verifying, 1 of 3 cases",
        "finished 1 of 3 cases",
        "verifying, 2 of 3 cases",
        "timing 1 case, round 1",
    ]


def test_one_case_is_one_case() -> None:
    (event,) = RunProgress(1).report(StepStarted("a", "verifying"))
    assert event == Working("verifying, 0 of 1 case", 0.0, 2.0, "a")


def test_texts_of_a_later_process_count_its_own_cases_and_rounds() -> None:
    progress = RunProgress(2 * 2)  # two cases in two processes
    progress.start_process(1, 2, cases=2, to_come=4)
    rounds = map(taken, range(9))
    first = texts(progress, StepStarted("a", "verifying"), Verified("a", PROOF), *rounds, Converged("a", "precision"))
    assert first[-2:] == [
        "process 1 of 2: timing 1 case, round 9",
        "process 1 of 2: finished 1 of 2 cases",
    ]
    progress.start_process(2, 2, cases=2, to_come=2)
    assert texts(progress, StepStarted("a", "verifying"), Verified("a", PROOF), taken(0)) == [
        "process 2 of 2: verifying, 0 of 2 cases",
        "process 2 of 2: timing 1 case, round 1",
    ]


def test_case_counts_half_when_it_is_verified_and_whole_when_it_has_converged() -> None:
    progress = RunProgress(2)
    assert shares(progress, StepStarted("a", "verifying"), Verified("a", PROOF), StepStarted("b", "verifying")) == [
        0.0,
        1.0,
    ]
    assert shares(progress, Verified("b", PROOF), taken(0), taken(1)) == pytest.approx(
        [2 + 2 / FEWEST_ROUNDS, 2 + 4 / FEWEST_ROUNDS]
    )
    assert shares(progress, Converged("a", "precision"), Converged("b", "precision")) == pytest.approx(
        [2 + 1 + 2 / FEWEST_ROUNDS, 4.0]
    )


def test_rounds_beyond_the_fewest_do_not_finish_a_case() -> None:
    progress = RunProgress(1)
    found = shares(progress, StepStarted("a", "verifying"), Verified("a", PROOF), *map(taken, range(3 * FEWEST_ROUNDS)))
    assert found[-1] == 2.0
    assert found == sorted(found)


def test_rounds_of_an_earlier_window_do_not_count_for_the_next() -> None:
    progress = RunProgress(2)
    first: tuple[JobEvent, ...] = (StepStarted("a", "verifying"), Verified("a", PROOF), *map(taken, range(9)))
    assert shares(progress, *first, Converged("a", "precision"))[-1] == 2.0
    assert shares(progress, StepStarted("b", "verifying"), Verified("b", PROOF), taken(9)) == pytest.approx(
        [2, 3 + 1 / 9]
    )


def test_case_that_ends_early_counts_as_done() -> None:
    assert shares(RunProgress(2), StepStarted("a", "verifying"), CaseFailed("a", Status.FAILED, "it crashed")) == [
        0.0,
        2.0,
    ]


def test_failed_case_is_not_expected_in_later_processes() -> None:
    progress = RunProgress(2 * 2)  # two cases in two processes
    assert shares(progress, CaseFailed("a", Status.FAILED, "it crashed"), Converged("b", "precision"))[-1] == 4.0
    progress.start_process(2, 2, cases=1, to_come=1)
    assert shares(progress, StepStarted("b", "verifying")) == [6.0]
    assert shares(progress, Converged("b", "precision")) == [8.0]
