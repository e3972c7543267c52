"""The measuring process of a device in a Dask worker: who ends it, and when; with real processes and a scripted GPU."""

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

import pytest

from shflbench.measure import supervisor
from shflbench.measure.supervisor import WorkerDevice
from shflbench.session.fleet import device_process
from shflbench.session.fleet.condense import ProcessNumbers
from shflbench.session.fleet.device_process import DeviceProcess, close_device, open_device, run_job
from shflbench.session.fleet.messages import DeviceReport, JobReport, JobRequest
from tests.measure.test_executor import job

DEVICE = WorkerDevice("tests.fakes.device:open_backend", "0", timeout=20.0)
REQUEST = JobRequest("run", 0, b"", {}, ProcessNumbers(), is_condensed=True)
BETWEEN_STEPS = {"where": "device", "step": "watch", "number": 2, "kind": "wait"}
LONG = 60.0  # seconds after which a test gives up


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Script the GPU; its log has a line per process."""
    file = tmp_path / "log"
    monkeypatch.chdir(tmp_path)  # where a waiting process looks for the file that ends its wait
    monkeypatch.setenv("FAKE_MACHINE", json.dumps({"faults": [BETWEEN_STEPS], "log": str(file)}))
    monkeypatch.setattr(device_process, "_processes", {})
    monkeypatch.setattr(device_process, "unpack", lambda _: job("shfl", "smem"))
    monkeypatch.setattr(device_process, "unpack_patterns", lambda one, _: one)
    yield file
    close_device(DEVICE)


def pids(log: Path) -> list[int]:
    """Return the ids of all processes that opened the GPU so far."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [int(line.split()[1]) for line in lines if line.startswith("worker")]


def is_alive(pid: int) -> bool:
    """Whether a process exists, also as one that has ended and that nobody has waited for."""
    return Path(f"/proc/{pid}").exists()


def wait_until(is_met: Callable[[], object]) -> None:
    deadline = time.monotonic() + LONG
    while not is_met():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def process() -> DeviceProcess:
    (one,) = device_process._processes.values()  # noqa: SLF001  (nothing else shows what waits)
    return one


def refuse(*_: object) -> NoReturn:
    """Start no process: the disk is full."""
    raise OSError(28, os.strerror(28))


class Call(Thread):
    """A call in a thread of its own."""

    def __init__(self, function: Callable[..., Any], *arguments: object) -> None:
        super().__init__(daemon=True)
        self._function, self._arguments = function, arguments
        self.report: Any = None
        self.start()

    def run(self) -> None:
        self.report = self._function(*self._arguments)

    def result(self) -> Any:
        self.join(LONG)
        assert not self.is_alive()
        return self.report


def test_device_that_is_closed_between_two_steps_of_a_job_has_no_process_afterwards(log: Path) -> None:
    assert not open_device(DEVICE).error
    running = Call(run_job, DEVICE, REQUEST)
    wait_until(lambda: "wait: device watch" in log.read_text(encoding="utf-8"))
    close_device(DEVICE)
    report = running.result()
    assert isinstance(report, JobReport)
    assert report.error == "the run was stopped"
    (pid,) = pids(log)
    assert not is_alive(pid)


def test_job_that_comes_after_its_device_was_closed_starts_no_process(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not open_device(DEVICE).error
    close_device(DEVICE)
    (pid,) = pids(log)
    assert not is_alive(pid)
    monkeypatch.setattr(supervisor, "Worker", refuse)
    assert run_job(DEVICE, REQUEST).error == "the run was stopped"


def test_device_that_is_closed_while_it_waits_to_be_opened_is_not_opened(log: Path) -> None:
    close_device(DEVICE)
    with process().lock:  # of the job of an earlier run
        opening = Call(open_device, DEVICE)
        wait_until(lambda: not process().is_stopped)  # as of now, a close is meant for this call
        close_device(DEVICE)
    report = opening.result()
    assert isinstance(report, DeviceReport)
    assert report.error == "the run was stopped"
    assert pids(log) == []


def test_run_with_another_timeout_replaces_the_process_of_the_run_before_it(log: Path) -> None:
    assert not open_device(DEVICE).error
    assert not open_device(replace(DEVICE, timeout=30.0)).error
    first, second = pids(log)
    assert not is_alive(first)
    assert process().supervisor.pids == {second}


def test_worker_without_disk_space_reports_that_it_cannot_open_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "Worker", refuse)
    report = open_device(DEVICE)
    assert report.error == "the measuring process cannot be started: [Errno 28] No space left on device"
    assert report.advice == "Check the installation and the free disk space of the worker's machine."
