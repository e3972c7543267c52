"""The threads of a fleet run: what an unexpected error or Ctrl-C in one of them means for the others."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from shflbench.errors import INTERNAL_FAULT, ResultsError
from shflbench.session import Note
from shflbench.session.fleet import run as fleet_run
from shflbench.session.fleet.executor import FleetDevice
from shflbench.session.fleet.run import DeviceDone, DeviceRun, FleetEvent, FleetThreads


@dataclass
class FakeExecutor:
    """What the thread of a device needs of its executor."""

    logged: list[str] = field(default_factory=list)
    error: Exception | None = None  # of the log

    def log(self, message: str) -> None:
        if self.error:
            raise self.error
        self.logged.append(message)


def device_run(label: str, error: Exception | None = None) -> DeviceRun:
    executor = cast("Any", FakeExecutor(error=error))
    return DeviceRun(label, cast("Any", SimpleNamespace(arch="sm_90")), executor, cast("Any", label), None, {})


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the run of the device `bad` fail, and any other one say a sentence later."""

    def run(_plan: object, folder: object, *_: object, **__: object) -> Iterator[Note]:
        if folder == "bad":
            raise ValueError("the numbers do not add up")
        time.sleep(0.1)
        yield Note("measured")

    monkeypatch.setattr(fleet_run, "run", run)
    monkeypatch.setattr(fleet_run, "LOOK_SECONDS", 0.01)


def ended(events: list[FleetEvent]) -> dict[int, DeviceDone]:
    return {item.place: item.event for item in events if isinstance(item.event, DeviceDone)}


@pytest.mark.parametrize("of_log", [None, ResultsError("the disk is full")])
def test_unexpected_error_ends_the_run_of_its_device_only(of_log: Exception | None) -> None:
    bad, good = device_run("bad", of_log), device_run("good")
    events = list(FleetThreads([bad, good], threading.Event()).events())
    done = ended(events)
    assert FleetEvent(1, Note("measured")) in events
    assert done[1].error is None
    error = done[0].error
    assert error
    assert error.message == "its run failed: ValueError: the numbers do not add up"
    assert error.exit_code == INTERNAL_FAULT
    if of_log is None:
        (logged,) = cast("FakeExecutor", bad.executor).logged
        assert logged.startswith("the run failed\nTraceback (most recent call last):")


def test_unexpected_error_while_looking_for_devices_ends_no_run() -> None:
    def fail() -> tuple[list[FleetDevice], list[str]]:
        raise RuntimeError("the event loop is closed")

    events = list(FleetThreads([device_run("good")], threading.Event(), fail).events())
    assert ended(events)[0].error is None
    notes = [item.event.sentence for item in events if isinstance(item.event, Note) and item.place == -1]
    assert notes == ["devices that join are not used any more: RuntimeError: the event loop is closed"]


def test_threads_that_ctrl_c_kept_from_starting_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if thread.name == "second":
            raise KeyboardInterrupt
        start(thread)

    stop = threading.Event()
    threads = FleetThreads([device_run("first"), device_run("second")], stop)
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(threads.events())
    threads.end()
    assert stop.is_set()
    assert not any(thread.name == "first" for thread in threading.enumerate())
