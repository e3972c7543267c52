"""Worker processes that die: who is to blame, and what goes on. The whole is tested in `tests/faults`."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.core.model import Status
from shflbench.errors import DeviceError
from shflbench.measure import supervisor
from shflbench.measure.events import CaseFailed, Converged, RoundDone, SentinelFailed
from shflbench.measure.executor import GpuExecutor
from shflbench.measure.process import EarlyWorker, Worker, WorkerDiedError
from tests.measure.test_executor import job, rounds

MACHINE = "tests.fakes.device:open_backend"


@pytest.fixture
def supervise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., GpuExecutor]]:
    """Supervise worker processes on a scripted GPU."""
    made: list[GpuExecutor] = []

    def one(*faults: dict[str, Any], timeout: float = 20.0) -> GpuExecutor:
        monkeypatch.setenv("FAKE_MACHINE", json.dumps({"faults": faults, "log": str(tmp_path / "log")}))
        made.append(GpuExecutor(MACHINE, 0, timeout))
        return made[-1]

    yield one
    for each in made:
        each.close()


def pid(executor: GpuExecutor) -> int:
    (worker,) = executor.pids
    return worker


def settled(events: list[Any]) -> list[str]:
    return [event.case_id.split("/")[1] for event in events if isinstance(event, Converged)]


def test_worker_that_is_killed_between_two_jobs_loses_nothing(supervise: Callable[..., GpuExecutor]) -> None:
    executor = supervise()
    assert rounds(list(executor.run(job("shfl"))))[0] == (0, 0)
    os.kill(pid(executor), signal.SIGKILL)
    events = list(executor.run(job("shfl", "smem")))
    assert settled(events) == ["shfl", "smem"]
    assert rounds(events)[0] == (1, 0)
    assert not any(isinstance(event, CaseFailed | SentinelFailed) for event in events)


def test_worker_that_was_started_early_is_the_first_process(
    supervise: Callable[..., GpuExecutor], tmp_path: Path
) -> None:
    supervise().close()  # which sets the environment
    (tmp_path / "log").unlink()
    early = EarlyWorker(MACHINE, "0")
    with closing(early), closing(GpuExecutor(MACHINE, 0, 20.0, early)) as executor:
        early.close()  # which leaves the process to the executor
        assert rounds(list(executor.run(job("shfl"))))[0] == (0, 0)
        os.kill(pid(executor), signal.SIGKILL)
        assert rounds(list(executor.run(job("shfl"))))[0] == (1, 0)
    assert (tmp_path / "log").read_text().count("worker") == 2


def test_worker_that_was_started_early_ends_unless_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[str] = []

    class Process:
        def __init__(self, *_: str) -> None:
            happened.append("start")

        def close(self) -> None:
            happened.append("close")

    monkeypatch.setattr("shflbench.measure.process.Worker", Process)
    early = EarlyWorker(MACHINE, "0")
    assert isinstance(early.take(), Process)
    assert early.take() is None
    early.close()
    assert happened == ["start"]
    EarlyWorker(MACHINE, "0").close()
    assert happened == ["start", "start", "close"]


def test_worker_that_accepts_no_job_is_replaced(supervise: Callable[..., GpuExecutor]) -> None:
    executor = supervise(timeout=1.0)
    os.kill(pid(executor), signal.SIGSTOP)
    (task,) = job("shfl").groups[0]
    heavy = replace(job("shfl"), groups=((replace(task, kernel=replace(task.kernel, cubin=bytes(1 << 20))),),))
    assert settled(list(executor.run(heavy))) == ["shfl"]


def test_case_that_ended_before_a_crash_is_not_repeated(supervise: Callable[..., GpuExecutor]) -> None:
    fault = {"where": "neighbor/smem", "step": "time", "number": 7, "kind": "kill"}
    executor = supervise(fault)
    two = replace(job("shfl"), groups=(*job("shfl").groups, *job("smem").groups))
    events = list(executor.run(two))
    ended = [event for event in events if isinstance(event, CaseFailed)]
    assert [(event.case_id.split("/")[1], event.status) for event in ended] == [("smem", Status.FAILED)]
    assert settled(events) == ["shfl"]
    assert {process for process, _ in rounds(events)} == {0, 1}


def test_no_process_is_started_without_groups(supervise: Callable[..., GpuExecutor], tmp_path: Path) -> None:
    executor = supervise({"where": "neighbor/shfl", "step": "verify", "kind": "illegal address"})
    events = list(executor.run(job("shfl")))
    assert [type(event) for event in events[-1:]] == [CaseFailed]
    assert (tmp_path / "log").read_text(encoding="utf-8").count("worker") == 1


def test_device_on_which_workers_die_between_steps_is_given_up(supervise: Callable[..., GpuExecutor]) -> None:
    executor = supervise({"where": "device", "step": "warm", "kind": "kill"})
    with pytest.raises(DeviceError, match="cannot be used any more: its worker process was ended by SIGKILL"):
        list(executor.run(job("shfl")))


def test_rounds_of_a_fresh_process_are_numbered_from_zero(supervise: Callable[..., GpuExecutor]) -> None:
    executor = supervise()
    assert {process for process, _ in rounds(list(executor.run(job("shfl"))))} == {0}
    executor.restart()
    assert rounds(list(executor.run(job("shfl")))) == [(1, number) for number in range(9)]
    assert rounds(list(executor.run(job("shfl"))))[0] == (1, 9)


def test_invalid_event_counts_as_the_death_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker("os:getpid", "0")
    monkeypatch.setattr(worker, "_buffer", b"\xff rubbish\n")
    with pytest.raises(WorkerDiedError, match="sent an invalid event"):
        worker.receive(1.0)
    worker.close()


def test_worker_that_cannot_import_its_backend_says_why() -> None:
    worker = Worker("nowhere:open_backend", "0")
    with pytest.raises(WorkerDiedError, match="ended with exit code 1: ModuleNotFoundError: No module named 'nowhere'"):
        worker.receive(60.0)
    worker.close()


def test_round_is_reported_as_it_was_taken(supervise: Callable[..., GpuExecutor]) -> None:
    first = next(event for event in supervise().run(job("shfl")) if isinstance(event, RoundDone))
    assert {burst.case_id for burst in first.bursts} >= {"sentinel/l2", job("shfl").groups[0][0].case.id}


def test_stopped_job_ends_without_another_process(supervise: Callable[..., GpuExecutor], tmp_path: Path) -> None:
    executor = supervise()
    events = executor.run(job("shfl", "smem"))
    next(event for event in events if isinstance(event, RoundDone))
    executor.stop()
    with pytest.raises(DeviceError, match=r"^the run was stopped$"):
        list(events)
    assert executor.pids == set()
    assert (tmp_path / "log").read_text(encoding="utf-8").count("worker") == 1


def test_process_that_starts_while_the_run_is_stopped_is_killed(
    supervise: Callable[..., GpuExecutor], monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = supervise()
    executor.restart()
    started: list[Worker] = []

    def start_and_stop(*arguments: str) -> Worker:
        started.append(Worker(*arguments))
        executor.stop()
        return started[-1]

    monkeypatch.setattr(supervisor, "Worker", start_and_stop)
    with pytest.raises(DeviceError, match="the run was stopped"):
        list(executor.run(job("shfl")))
    (worker,) = started
    assert not Path(f"/proc/{worker.pid}").exists()
