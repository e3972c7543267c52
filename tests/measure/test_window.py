from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shflbench.errors import LaunchError
from shflbench.measure.messages import Doing, Ended, JobDone, Lost, Remark, Round, Settled, Unwatched, Verified, Warm
from shflbench.measure.sentinels.table import SENTINELS
from shflbench.measure.window import BUSY_MS, Bench
from shflbench.model import Status
from tests.fakes.backend import CLOCK_MHZ, H200, ContextLostError, FakeBackend, Script
from tests.measure.prepared import job, tasks

if TYPE_CHECKING:
    from shflbench.measure.messages import Message

F32, F64 = (tasks("smem", "shfl", dtype=dtype) for dtype in ("f32", "f64"))
NAMES = {dtype: {task.case.id for task in group} for dtype, group in (("f32", F32), ("f64", F64))}
CASE_BYTES = 2 * 2 * 64 * 4  # of the two buffers of a case of f32
UNKNOWN = replace(H200, arch="sm_10")  # for which nobody made sentinels
WATCHED = {sentinel.case_id for sentinel in SENTINELS}


def rounds(messages: list[Message]) -> list[Round]:
    return [message for message in messages if isinstance(message, Round)]


def timed(messages: list[Message]) -> list[set[str]]:
    """Return what was timed in each round."""
    return [{burst.case_id for burst in taken.bursts} for taken in rounds(messages)]


def of(kind: type[Message], messages: list[Message]) -> list[Message]:
    return [message for message in messages if isinstance(message, kind)]


def test_job_is_verified_then_sampled_in_rounds_over_all_groups_and_sentinels() -> None:
    device = FakeBackend()
    messages = list(Bench(device).do(job(F32, F64)))
    kinds = [type(message) for message in messages if not isinstance(message, Doing)]
    assert kinds[0] is Warm
    assert messages[0] == Warm(steady=True, clock_mhz=CLOCK_MHZ)
    assert kinds[-1] is JobDone
    assert max(index for index, kind in enumerate(kinds) if kind is Verified) < kinds.index(Round)
    assert timed(messages) == [NAMES["f32"] | NAMES["f64"] | WATCHED] * 9
    assert {message.case_id for message in messages if isinstance(message, Settled)} == NAMES["f32"] | NAMES["f64"]
    assert len(device.held) == len(SENTINELS)  # they stay for the next job, and nothing else does


def test_rounds_are_numbered_from_where_the_job_says() -> None:
    messages = list(Bench(FakeBackend()).do(job(F32, process=4, first_round=20)))
    assert [(taken.process, taken.number) for taken in rounds(messages)] == [(4, 20 + number) for number in range(9)]


def test_groups_that_do_not_fit_the_free_memory_together_are_taken_one_after_another() -> None:
    both = 2 * CASE_BYTES
    other = tasks("smem", "shfl", iterations=2048)
    for memory, apart in ((3 * both, False), (3 * both - 1, True)):
        device = FakeBackend(device=replace(UNKNOWN, memory_bytes=memory))
        messages = list(Bench(device).do(job(F32, other)))
        names = [{task.case.id for task in group} for group in (F32, other)]
        assert timed(messages) == ([names[0]] * 9 + [names[1]] * 9 if apart else [names[0] | names[1]] * 9)
        assert [taken.number for taken in rounds(messages)] == list(range(18 if apart else 9))
        assert device.held == []


def test_group_that_no_memory_holds_costs_its_own_cases_only() -> None:
    large = tasks("shfl", launch="100000x1024")
    device = FakeBackend({"shfl": Script()}, device=replace(UNKNOWN, memory_bytes=2**20))
    messages = list(Bench(device).do(job(F32, large, F64)))
    assert [(end.case_id, end.status) for end in messages if isinstance(end, Ended)] == [
        (large[0].case.id, Status.SKIPPED)
    ]
    assert set.union(*timed(messages)) == NAMES["f32"] | NAMES["f64"]


def test_sentinels_are_opened_and_the_device_is_warmed_up_once_a_process() -> None:
    device = FakeBackend()
    bench = Bench(device)
    first, second = list(bench.do(job(F32))), list(bench.do(job(F64, first_round=9)))
    assert Counter(message.step for message in first if isinstance(message, Doing))["opening"] == len(SENTINELS)
    assert of(Warm, second) == []
    assert "opening" not in {message.step for message in second if isinstance(message, Doing)}
    assert set.union(*timed(second)) == NAMES["f64"] | WATCHED


def test_window_without_anything_to_time_does_not_open_the_sentinels_again() -> None:
    device = FakeBackend({"smem": Script(run_raises={0: LaunchError("illegal address")})})
    bench = Bench(device)
    assert rounds(list(bench.do(job(tasks("smem"))))) == []
    second = list(bench.do(job(F32)))
    assert of(Warm, second) == []
    assert Counter(burst.case_id for burst in rounds(second)[0].bursts)["sentinel/shuffle"] == 1


def test_device_for_which_there_are_no_sentinels_is_told_once() -> None:
    bench = Bench(FakeBackend(device=UNKNOWN))
    first, second = list(bench.do(job(F32))), list(bench.do(job(F64)))
    assert of(Remark, first) == [Remark("there are no sentinels for sm_10: nothing watches the machine")]
    assert of(Remark, second) == []
    assert set.union(*timed(first)) == NAMES["f32"]


def test_sentinel_that_cannot_be_opened_is_told_and_left_out() -> None:
    device = FakeBackend({"sentinel_shuffle": Script(open_raises=LaunchError("no memory"))})
    messages = list(Bench(device).do(job(F32)))
    assert of(Unwatched, messages) == [Unwatched("sentinel/shuffle", "no memory")]
    assert set.union(*timed(messages)) == NAMES["f32"] | (WATCHED - {"sentinel/shuffle"})


def test_sentinel_that_fails_on_the_way_is_not_tried_in_the_next_job() -> None:
    crash = Script(20.0, 0.0, burst_raises={2: LaunchError("illegal address")})
    bench = Bench(FakeBackend({"sentinel_shuffle": crash}))
    first, second = list(bench.do(job(F32))), list(bench.do(job(F64)))
    assert of(Unwatched, first) == [Unwatched("sentinel/shuffle", "illegal address")]
    assert set.union(*timed(second)) == NAMES["f64"] | (WATCHED - {"sentinel/shuffle"})


def test_sentinels_that_failed_in_an_earlier_process_are_not_opened() -> None:
    messages = list(Bench(FakeBackend()).do(job(F32, unwatched=("sentinel/shuffle",))))
    assert "sentinel/shuffle" not in {message.case_id for message in messages if isinstance(message, Doing)}
    assert set.union(*timed(messages)) == NAMES["f32"] | (WATCHED - {"sentinel/shuffle"})


@pytest.mark.parametrize(
    "scripts",
    [
        pytest.param({"smem": Script(run_raises={1: ContextLostError("gone")})}, id="while a case is verified"),
        pytest.param({"smem": Script(burst_raises={8: ContextLostError("gone")})}, id="while a case is timed"),
        pytest.param({"sentinel_l2": Script(burst_raises={8: ContextLostError("gone")})}, id="by a sentinel"),
    ],
)
def test_lost_device_is_the_last_that_is_told(scripts: dict[str, Script]) -> None:
    messages = list(Bench(FakeBackend(scripts)).do(job(F32, F64)))
    assert messages[-1] == Lost()
    assert of(JobDone, messages) == []
    assert of(Settled, messages) == []


def test_crash_of_a_case_leaves_the_rest_of_the_window_alone() -> None:
    device = FakeBackend({"smem": Script(burst_raises={5: LaunchError("illegal address")})})
    messages = list(Bench(device).do(job(F32, F64)))
    failed = {task.case.id for task in (*F32, *F64) if task.case.variant == "smem"}
    assert {end.case_id for end in messages if isinstance(end, Ended)} == failed
    assert {message.case_id for message in messages if isinstance(message, Settled)} == (
        NAMES["f32"] | NAMES["f64"]
    ) - failed
    assert messages[-1] == JobDone()


def test_problem_of_nvml_that_appears_later_is_told_once() -> None:
    device = FakeBackend()
    bench = Bench(device)
    assert of(Remark, list(bench.do(job(F32)))) == []
    device.problem = "NVML does not answer any more"
    second, third = list(bench.do(job(F32))), list(bench.do(job(F64)))
    assert second[-2:] == [Remark("NVML does not answer any more"), JobDone()]
    assert of(Remark, third) == []


def test_problem_that_was_known_from_the_start_is_not_told_again() -> None:
    device = FakeBackend()
    device.problem = "NVML is not there"
    assert of(Remark, list(Bench(device).do(job(F32)))) == []


def test_device_that_is_not_timed_is_neither_warmed_up_nor_watched() -> None:
    device = FakeBackend()
    device.timed = False
    messages = list(Bench(device).do(job(F32)))
    assert of(Warm, messages) == []
    assert rounds(messages) == []
    assert {message.case_id for message in messages if isinstance(message, Settled)} == NAMES["f32"]
    assert device.held == []


def test_moments_are_counted_from_the_first_round_of_the_process_in_all_its_jobs() -> None:
    bench = Bench(FakeBackend())
    first, second = (rounds(list(bench.do(job(group)))) for group in (F32, F64))
    assert first[0].bursts[0].seconds < 0.1
    assert second[0].bursts[0].seconds > first[-1].bursts[-1].seconds


def test_device_is_kept_busy_between_verifying_and_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeBackend()
    messages: list[Message] = []
    busy: list[int] = []  # how much had been told before
    usual = device.keep_busy

    def keep_busy(milliseconds: float) -> float | None:
        busy.append(len(messages))
        assert milliseconds == BUSY_MS
        return usual(milliseconds)

    monkeypatch.setattr(device, "keep_busy", keep_busy)
    for message in Bench(device).do(job(F32)):
        messages += [message]
    verified = max(index for index, message in enumerate(messages) if isinstance(message, Verified))
    assert verified < busy[-1] < messages.index(rounds(messages)[0])


def test_order_of_a_window_depends_on_seed_process_and_window() -> None:
    def order(**how: int) -> list[list[tuple[str, int]]]:
        messages = list(Bench(FakeBackend(device=UNKNOWN)).do(replace(job(F32), **how)))  # type: ignore[arg-type]
        return [[(burst.case_id, burst.iterations) for burst in taken.bursts] for taken in rounds(messages)]

    assert order() == order()
    assert order() != order(seed=2)
    assert order() != order(process=1)
    assert order() != order(first_round=9)
