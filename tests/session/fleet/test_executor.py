"""The executor of a device of a cluster after workers were lost or failed, and its log."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from shflbench.core.model import MeasureRules
from shflbench.errors import DeviceError
from shflbench.measure.events import CaseFailed, Note, Opened
from shflbench.measure.job import Job, Task
from shflbench.measure.supervisor import WorkerDevice
from shflbench.session.fleet import device_process
from shflbench.session.fleet.cluster import Cluster, WorkerLostError
from shflbench.session.fleet.condense import ProcessNumbers
from shflbench.session.fleet.device_log import DeviceLog
from shflbench.session.fleet.executor import FleetContext, FleetDevice, RemoteExecutor
from shflbench.session.fleet.messages import JobReport, JobRequest
from shflbench.session.fleet.packed_job import pack
from tests import cases
from tests.fakes.backend import H200
from tests.fakes.workers import worker_on

DEVICE = FleetDevice("tcp://1", worker_on("node7"), WorkerDevice("opener", "0"), Opened("cuda", H200, ""), 5)
KERNEL = cases.kernel("_Z4shfl")
FIRST, SECOND = Task(cases.case(), KERNEL), Task(cases.case(launch="4x64"), KERNEL)
JOB = Job(groups=((FIRST,), (SECOND,)), folders={}, rules=MeasureRules(), seed=0)


@dataclass
class FakeCluster:
    """A cluster of one worker, which gives these answers to calls, one after another."""

    answers: list[JobReport | Exception]
    called: list[Callable[..., object]] = field(default_factory=list)
    on_second: Callable[[], object] = bool

    def call(self, _worker: str, function: Callable[..., object], *_: Any) -> JobReport:
        self.called.append(function)
        if len(self.called) == 2:
            self.on_second()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def executor_of(*answers: JobReport | Exception, folder: Path) -> RemoteExecutor:
    cluster = cast("Cluster", FakeCluster(list(answers)))
    context = FleetContext(cluster, lambda lost: lost, "owner", {}, lambda: False)
    return RemoteExecutor(context, DEVICE, DeviceLog(folder, "node7-5").write)


def logged(folder: Path) -> list[str]:
    """Return the lines of the log without their times."""
    lines = (folder / "logs" / "node7-5.log").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("    ") or (line[:2] == "20" and line[19] == "Z") for line in lines)
    return [line if line.startswith("    ") else line[21:] for line in lines]


def test_groups_of_a_lost_window_are_repeated_one_by_one_and_logged(tmp_path: Path) -> None:
    loss = WorkerLostError("worker tcp://1 died")
    executor = executor_of(loss, JobReport((), ProcessNumbers()), loss, loss, folder=tmp_path)
    events = list(executor.run(JOB))
    failed = [event for event in events if isinstance(event, CaseFailed)]
    assert [event.case_id for event in failed] == [SECOND.case.id]
    assert len([event for event in events if isinstance(event, Note)]) == len(executor.losses) == 3
    lost = "lost: worker tcp://1 died"
    again = f"opened again: {DEVICE.description}"
    second = f"repeats the group {SECOND.case.group}"
    assert logged(tmp_path) == [
        lost, again, "repeats 2 groups of the window one by one", lost, again, second, lost, again
    ]  # fmt: skip


def test_window_that_follows_is_started_before_the_events_of_the_one_before_it(tmp_path: Path) -> None:
    second_call = Event()
    cluster = FakeCluster([JobReport((Note("done"),), ProcessNumbers()) for _ in range(2)], on_second=second_call.set)
    context = FleetContext(cast("Cluster", cluster), lambda lost: lost, "owner", {}, lambda: False)
    executor = RemoteExecutor(context, DEVICE, DeviceLog(tmp_path, "node7-5").write)
    following = replace(JOB, groups=((SECOND,),))
    executor.announce(following)
    next(executor.run(JOB))
    assert second_call.wait(10)
    executor.announce(None)
    assert [type(event) for event in executor.run(following)] == [Note]
    assert len(cluster.called) == 2


def test_loss_of_a_window_that_was_started_early_is_noticed_when_its_turn_comes(tmp_path: Path) -> None:
    executor = executor_of(
        JobReport((), ProcessNumbers()), WorkerLostError("it died"), JobReport((), ProcessNumbers()), folder=tmp_path
    )
    following = replace(JOB, groups=((SECOND,),))
    executor.announce(following)
    assert list(executor.run(JOB)) == []
    executor.announce(None)
    (note,) = executor.run(following)
    assert isinstance(note, Note)
    assert executor.losses == ["it died"]


def test_worker_that_fails_ends_its_run_and_its_traceback_is_only_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(device_process, "unpack_patterns", refuse)
    request = JobRequest("owner", 0, pack(JOB, "cubin"), {}, ProcessNumbers(), is_condensed=True)
    report = device_process.run_job(WorkerDevice("opener", "0"), request)
    executor = executor_of(report, folder=tmp_path)
    with pytest.raises(DeviceError, match="its worker failed: OSError") as caught:
        list(executor.run(JOB))
    assert "Traceback" not in caught.value.message
    lines = logged(tmp_path)
    assert lines[:2] == ["worker tcp://1 failed", "    Traceback (most recent call last):"]
    assert "No space left on device" in lines[-1]
