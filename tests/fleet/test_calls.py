"""Calls of functions on workers end, whatever happens to the worker or to the thread that watches it."""

import threading
from collections.abc import Callable
from typing import cast

import pytest
from distributed import Client

from shflbench.errors import DeviceError
from shflbench.fleet import cluster
from shflbench.fleet.cluster import Cluster, WorkerLostError


class UnfinishedFuture:
    """The future of a call that never ends."""

    released = False

    def add_done_callback(self, _function: Callable[..., None]) -> None:
        pass

    def done(self) -> bool:
        return False

    def release(self) -> None:
        self.released = True


class UnansweredClient:
    """A client of Dask whose calls never end."""

    status = "running"
    scheduler = None

    def __init__(self) -> None:
        self.futures: list[UnfinishedFuture] = []

    def submit(self, *_: object, **__: object) -> UnfinishedFuture:
        self.futures.append(UnfinishedFuture())
        return self.futures[-1]


def cluster_of(client: UnansweredClient, monkeypatch: pytest.MonkeyPatch, *, is_stopped: bool = False) -> Cluster:
    monkeypatch.setattr(cluster, "POLL_SECONDS", 0.01)
    return Cluster(cast("Client", client), is_stopped=lambda: is_stopped)


def test_call_on_a_worker_that_is_gone_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    client = UnansweredClient()
    one = cluster_of(client, monkeypatch)
    for _ in range(2):  # the thread that watches ends with the last call, and starts again
        with pytest.raises(WorkerLostError, match="worker a died, hung or lost its connection"):
            one.call("a", print)
    assert [future.released for future in client.futures] == [True, True]


def test_call_ends_when_the_run_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    one = cluster_of(UnansweredClient(), monkeypatch, is_stopped=True)
    with pytest.raises(DeviceError, match="the run was stopped"):
        one.call("a", print)


def test_calls_end_when_the_thread_that_watches_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    one = cluster_of(UnansweredClient(), monkeypatch)

    def fail() -> frozenset[str]:
        raise RuntimeError("the event loop is closed")

    monkeypatch.setattr(one, "workers", fail)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    for _ in range(2):
        with pytest.raises(WorkerLostError):
            one.call("a", print)


class UnreadFuture(UnfinishedFuture):
    """The future of a call that is done, and whose result cannot be read in time at first."""

    status = "finished"
    failures = 1

    def add_done_callback(self, function: Callable[..., None]) -> None:
        function(self)

    def done(self) -> bool:
        return True

    def result(self, timeout: float) -> str:
        assert timeout > 0
        if self.failures:
            self.failures -= 1
            raise TimeoutError
        return "report"


def test_result_is_read_again_while_its_worker_answers_and_given_up_when_it_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = UnansweredClient()
    one = cluster_of(client, monkeypatch)
    monkeypatch.setattr(client, "submit", lambda *_, **__: UnreadFuture())
    monkeypatch.setattr(one, "workers", lambda: frozenset({"a"}))
    assert one.call("a", print) == "report"
    with pytest.raises(WorkerLostError, match="worker b died, hung"):
        one.call("b", print)
