from collections import Counter
from dataclasses import replace

import pytest

from shflbench.core.model import Status
from shflbench.errors import LaunchError
from shflbench.measure.events import (
    CaseFailed,
    ContextLost,
    Converged,
    ImportStarted,
    JobDone,
    JobEvent,
    Note,
    RoundDone,
    SentinelFailed,
    StepStarted,
    Verified,
    WarmedUp,
)
from shflbench.measure.job_runner import BUSY_MS, MOST_STEPS, STEADY_STEPS, STEP_MS, JobRunner, warm_up
from shflbench.measure.sentinels.table import SENTINELS
from tests.fakes.backend import CLOCK_MHZ, H200, ContextLostError, FakeBackend, Script
from tests.measure.prepared import job, tasks

F32, F64 = (tasks("smem", "shfl", dtype=dtype) for dtype in ("f32", "f64"))
NAMES = {dtype: {task.case.id for task in group} for dtype, group in (("f32", F32), ("f64", F64))}
CASE_BYTES = 2 * 2 * 64 * 4  # of the two buffers of a case of f32
UNKNOWN = replace(H200, arch="sm_10")  # for which nobody made sentinels
WATCHED = {sentinel.case_id for sentinel in SENTINELS}


def rounds(events: list[JobEvent]) -> list[RoundDone]:
    return [event for event in events if isinstance(event, RoundDone)]


def timed(events: list[JobEvent]) -> list[set[str]]:
    """Return what was timed in each round."""
    return [{burst.case_id for burst in taken.bursts} for taken in rounds(events)]


def of(kind: type[JobEvent], events: list[JobEvent]) -> list[JobEvent]:
    return [event for event in events if isinstance(event, kind)]


def test_job_is_verified_then_sampled_in_rounds_over_all_groups_and_sentinels() -> None:
    device = FakeBackend()
    events = list(JobRunner(device).do(job(F32, F64)))
    kinds = [type(event) for event in events if not isinstance(event, StepStarted)]
    assert events[:2] == [ImportStarted("neighbor"), WarmedUp(steady=True, clock_mhz=CLOCK_MHZ)]
    assert kinds[-1] is JobDone
    assert max(index for index, kind in enumerate(kinds) if kind is Verified) < kinds.index(RoundDone)
    assert timed(events) == [NAMES["f32"] | NAMES["f64"] | WATCHED] * 9
    assert {event.case_id for event in events if isinstance(event, Converged)} == NAMES["f32"] | NAMES["f64"]
    assert len(device.held) == len(SENTINELS)  # they stay for the next job, and nothing else does


def test_rounds_are_numbered_from_the_first_round_of_the_job() -> None:
    events = list(JobRunner(FakeBackend()).do(job(F32, process=4, first_round=20)))
    assert [(taken.process, taken.number) for taken in rounds(events)] == [(4, 20 + number) for number in range(9)]


def test_groups_that_do_not_fit_into_the_free_memory_together_run_one_after_another() -> None:
    both = 2 * CASE_BYTES
    other = tasks("smem", "shfl", iterations=2048)
    for memory, apart in ((3 * both, False), (3 * both - 1, True)):
        device = FakeBackend(device=replace(UNKNOWN, memory_bytes=memory))
        events = list(JobRunner(device).do(job(F32, other)))
        names = [{task.case.id for task in group} for group in (F32, other)]
        assert timed(events) == ([names[0]] * 9 + [names[1]] * 9 if apart else [names[0] | names[1]] * 9)
        assert [taken.number for taken in rounds(events)] == list(range(18 if apart else 9))
        assert device.held == []


def test_group_that_exceeds_the_memory_fails_alone() -> None:
    large = tasks("shfl", launch="100000x1024")
    device = FakeBackend({"shfl": Script()}, device=replace(UNKNOWN, memory_bytes=2**20))
    events = list(JobRunner(device).do(job(F32, large, F64)))
    assert [(end.case_id, end.status) for end in events if isinstance(end, CaseFailed)] == [
        (large[0].case.id, Status.SKIPPED)
    ]
    assert set.union(*timed(events)) == NAMES["f32"] | NAMES["f64"]


def test_sentinels_are_opened_and_the_device_is_warmed_up_once_per_process() -> None:
    device = FakeBackend()
    runner = JobRunner(device)
    first, second = list(runner.do(job(F32))), list(runner.do(job(F64, first_round=9)))
    assert Counter(event.step for event in first if isinstance(event, StepStarted))["opening"] == len(SENTINELS)
    assert of(WarmedUp, second) == []
    assert "opening" not in {event.step for event in second if isinstance(event, StepStarted)}
    assert set.union(*timed(second)) == NAMES["f64"] | WATCHED


def test_window_without_anything_to_time_does_not_open_the_sentinels_again() -> None:
    device = FakeBackend({"smem": Script(run_raises={0: LaunchError("illegal address")})})
    runner = JobRunner(device)
    assert rounds(list(runner.do(job(tasks("smem"))))) == []
    second = list(runner.do(job(F32)))
    assert of(WarmedUp, second) == []
    assert Counter(burst.case_id for burst in rounds(second)[0].bursts)["sentinel/shuffle"] == 1


def test_device_for_which_there_are_no_sentinels_is_reported_once() -> None:
    runner = JobRunner(FakeBackend(device=UNKNOWN))
    first, second = list(runner.do(job(F32))), list(runner.do(job(F64)))
    assert of(Note, first) == [Note("there are no sentinels for sm_10, so slow states of the GPU go unnoticed")]
    assert of(Note, second) == []
    assert set.union(*timed(first)) == NAMES["f32"]


def test_sentinel_that_cannot_be_opened_is_reported_and_not_timed() -> None:
    device = FakeBackend({"sentinel_shuffle": Script(open_raises=LaunchError("no memory"))})
    events = list(JobRunner(device).do(job(F32)))
    assert of(SentinelFailed, events) == [SentinelFailed("sentinel/shuffle", "no memory")]
    assert set.union(*timed(events)) == NAMES["f32"] | (WATCHED - {"sentinel/shuffle"})


def test_sentinel_that_fails_in_a_job_is_not_timed_in_the_next() -> None:
    crash = Script(20.0, 0.0, burst_raises={2: LaunchError("illegal address")})
    runner = JobRunner(FakeBackend({"sentinel_shuffle": crash}))
    first, second = list(runner.do(job(F32))), list(runner.do(job(F64)))
    assert of(SentinelFailed, first) == [SentinelFailed("sentinel/shuffle", "illegal address")]
    assert set.union(*timed(second)) == NAMES["f64"] | (WATCHED - {"sentinel/shuffle"})


def test_sentinels_that_failed_in_an_earlier_process_are_not_opened() -> None:
    events = list(JobRunner(FakeBackend()).do(job(F32, failed_sentinels=("sentinel/shuffle",))))
    assert "sentinel/shuffle" not in {event.case_id for event in events if isinstance(event, StepStarted)}
    assert set.union(*timed(events)) == NAMES["f32"] | (WATCHED - {"sentinel/shuffle"})


@pytest.mark.parametrize(
    "scripts",
    [
        pytest.param({"smem": Script(run_raises={1: ContextLostError("gone")})}, id="while a case is verified"),
        pytest.param({"smem": Script(burst_raises={8: ContextLostError("gone")})}, id="while a case is timed"),
        pytest.param({"sentinel_l2": Script(burst_raises={8: ContextLostError("gone")})}, id="by a sentinel"),
    ],
)
def test_lost_context_is_the_last_event(scripts: dict[str, Script]) -> None:
    events = list(JobRunner(FakeBackend(scripts)).do(job(F32, F64)))
    assert events[-1] == ContextLost()
    assert of(JobDone, events) == []
    assert of(Converged, events) == []


def test_crash_of_a_case_does_not_affect_the_rest_of_the_window() -> None:
    device = FakeBackend({"smem": Script(burst_raises={5: LaunchError("illegal address")})})
    events = list(JobRunner(device).do(job(F32, F64)))
    failed = {task.case.id for task in (*F32, *F64) if task.case.variant == "smem"}
    assert {end.case_id for end in events if isinstance(end, CaseFailed)} == failed
    assert {event.case_id for event in events if isinstance(event, Converged)} == (NAMES["f32"] | NAMES["f64"]) - failed
    assert events[-1] == JobDone()


def test_problem_of_nvml_that_appears_later_is_reported_once() -> None:
    device = FakeBackend()
    runner = JobRunner(device)
    assert of(Note, list(runner.do(job(F32)))) == []
    device.problem = "NVML does not answer any more"
    second, third = list(runner.do(job(F32))), list(runner.do(job(F64)))
    assert second[-2:] == [Note("NVML does not answer any more"), JobDone()]
    assert of(Note, third) == []


def test_problem_that_was_known_from_the_start_is_not_reported_again() -> None:
    device = FakeBackend()
    device.problem = "NVML is not there"
    assert of(Note, list(JobRunner(device).do(job(F32)))) == []


def test_device_without_times_has_no_warm_up_and_no_sentinels() -> None:
    device = FakeBackend()
    device.timed = False
    events = list(JobRunner(device).do(job(F32)))
    assert of(WarmedUp, events) == []
    assert rounds(events) == []
    assert {event.case_id for event in events if isinstance(event, Converged)} == NAMES["f32"]
    assert device.held == []


def test_seconds_count_from_the_first_round_of_the_process_in_all_its_jobs() -> None:
    runner = JobRunner(FakeBackend())
    first, second = (rounds(list(runner.do(job(group)))) for group in (F32, F64))
    assert first[0].bursts[0].seconds < 0.1
    assert second[0].bursts[0].seconds > first[-1].bursts[-1].seconds


def test_device_is_kept_busy_between_verifying_and_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeBackend()
    events: list[JobEvent] = []
    busy: list[int] = []  # how much had been events before
    usual = device.keep_busy

    def keep_busy(milliseconds: float) -> float | None:
        busy.append(len(events))
        assert milliseconds == BUSY_MS
        return usual(milliseconds)

    monkeypatch.setattr(device, "keep_busy", keep_busy)
    for event in JobRunner(device).do(job(F32)):
        events += [event]
    verified = max(index for index, event in enumerate(events) if isinstance(event, Verified))
    assert verified < busy[-1] < events.index(rounds(events)[0])


def test_order_of_a_window_depends_on_seed_process_and_window() -> None:
    def order(**how: int) -> list[list[tuple[str, int]]]:
        events = list(JobRunner(FakeBackend(device=UNKNOWN)).do(replace(job(F32), **how)))  # type: ignore[arg-type]
        return [[(burst.case_id, burst.iterations) for burst in taken.bursts] for taken in rounds(events)]

    assert order() == order()
    assert order() != order(seed=2)
    assert order() != order(process=1)
    assert order() != order(first_round=9)


def test_steady_clock_ends_the_warm_up() -> None:
    device = FakeBackend(warm_clocks=[345.0, 1200.0, 1700.0, 1980.0])
    assert warm_up(device) == (True, 1980.0)
    assert round(device.clock() / STEP_MS * 1000) == 3 + STEADY_STEPS


def test_steady_clock_may_vary_by_a_few_mhz() -> None:
    assert warm_up(FakeBackend(warm_clocks=[1980.0, 1982.0, 1979.0, 1981.0])) == (True, 1981.0)


def test_clock_that_is_never_steady_is_reported_after_three_seconds() -> None:
    device = FakeBackend(warm_clocks=[1500.0, 1980.0] * 50)
    assert warm_up(device) == (False, 1980.0)
    assert round(device.clock() / STEP_MS * 1000) == MOST_STEPS


def test_device_without_a_clock_is_warm_at_once() -> None:
    assert warm_up(FakeBackend(warm_clocks=[None])) == (True, None)
