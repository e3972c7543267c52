"""The workers that count as lost, and the cost to know them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from shflbench.session.fleet.presence import HEARTBEAT_SECONDS, POLL_SECONDS, SILENT_SECONDS, Presence


class FakeClient:
    """A client of Dask, and its scheduler, whose clock is an hour ahead."""

    status = "running"

    def __init__(self) -> None:
        self.beats = {"a": 3600.0, "b": 3600.0}
        self.reads = {"ncores": 0, "identity": 0}
        self.fails = False
        self.scheduler = self

    def sync(self, function: Callable[..., Any], callback_timeout: float, **arguments: Any) -> Any:
        assert callback_timeout > 0
        if self.fails:
            raise OSError("no answer")
        return function(**arguments)

    def ncores(self) -> Mapping[str, int]:
        self.reads["ncores"] += 1
        return dict.fromkeys(self.beats, 2)

    def identity(self, n_workers: int) -> Mapping[str, Any]:
        assert n_workers == -1
        self.reads["identity"] += 1
        return {"workers": {name: {"last_seen": beat} for name, beat in self.beats.items()}}


class FakeTime:
    """The monotonic clock."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    clock = FakeTime()
    monkeypatch.setattr("shflbench.session.fleet.presence.time", clock)
    return clock


def test_worker_without_heartbeats_counts_as_lost_whatever_the_clock_of_the_scheduler(clock: FakeTime) -> None:
    client = FakeClient()
    presence = Presence(client)
    assert presence.workers() == {"a", "b"}
    for _ in range(3):
        clock.now += SILENT_SECONDS / 2
        client.beats["a"] += 1
        present = presence.workers()
    assert present == {"a"}
    client.status = "connecting"
    assert presence.workers() == frozenset()


def test_worker_that_the_scheduler_removed_is_lost_at_once_and_a_new_one_is_there_before_its_heartbeat(
    clock: FakeTime,
) -> None:
    client = FakeClient()
    presence = Presence(client)
    assert presence.threads("b") == 2
    client.beats = {"a": 3600.0, "c": 3600.0}
    clock.now += POLL_SECONDS
    assert presence.workers() == {"a", "c"}
    assert presence.threads("b") == 0
    assert client.reads == {"ncores": 2, "identity": 1}


def test_a_thousand_calls_share_one_look(clock: FakeTime) -> None:
    client = FakeClient()
    presence = Presence(client)
    seconds = 60.0
    while clock.now < seconds:
        for _ in range(10):
            presence.workers()
        clock.now += POLL_SECONDS
    assert client.reads == {"ncores": seconds / POLL_SECONDS, "identity": seconds / HEARTBEAT_SECONDS}


@pytest.mark.parametrize(("workers", "between"), [(250, HEARTBEAT_SECONDS), (400, 8.0), (1000, 10.0), (9000, 10.0)])
def test_heartbeats_of_many_workers_are_read_less_often(clock: FakeTime, workers: int, between: float) -> None:
    client = FakeClient()
    client.beats = {f"{number}": 3600.0 for number in range(workers)}
    presence = Presence(client)
    while clock.now < 4 * between:
        presence.workers()
        clock.now += POLL_SECONDS
    assert client.reads["identity"] == 4


def test_scheduler_that_does_not_answer_for_a_minute_has_no_workers(clock: FakeTime) -> None:
    client = FakeClient()
    presence = Presence(client)
    assert presence.workers() == {"a", "b"}
    client.fails = True
    clock.now += SILENT_SECONDS / 2
    assert presence.workers() == {"a", "b"}
    clock.now += SILENT_SECONDS
    assert presence.workers() == frozenset()
