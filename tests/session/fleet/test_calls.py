"""Calls of functions on workers end, whatever happens to the worker or to the thread that watches it."""

import threading
from collections.abc import Callable, Iterator
from typing import NoReturn, cast

import pytest
from distributed import Client, LocalCluster
from distributed.comm import CommClosedError

from shflbench.errors import DeviceError, MissingError
from shflbench.session.fleet import cluster
from shflbench.session.fleet.cluster import Cluster, UnansweredError, WorkerLostError

HANG = threading.Event()  # ends the call that hangs


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

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)  # of the first attempts

    def add_done_callback(self, function: Callable[..., None]) -> None:
        function(self)

    def done(self) -> bool:
        return True

    def result(self, timeout: float) -> str:
        assert timeout > 0
        if self.errors:
            raise self.errors.pop(0)
        return "report"


def test_result_is_read_again_while_its_worker_answers_and_given_up_when_it_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = UnansweredClient()
    one = cluster_of(client, monkeypatch)
    monkeypatch.setattr(client, "submit", lambda *_, **__: UnreadFuture(TimeoutError()))
    monkeypatch.setattr(one, "workers", lambda: frozenset({"a"}))
    assert one.call("a", print) == "report"
    with pytest.raises(WorkerLostError, match="worker b died, hung"):
        one.call("b", print)


def test_connection_that_closes_while_a_result_is_read_counts_as_a_lost_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    client = UnansweredClient()
    monkeypatch.setattr(client, "submit", lambda *_, **__: UnreadFuture(CommClosedError("in <TCP>: closed")))
    with pytest.raises(WorkerLostError, match="worker a was lost: in <TCP>: closed"):
        cluster_of(client, monkeypatch).call("a", print)


@pytest.fixture(scope="module")
def real() -> Iterator[Cluster]:
    """A scheduler and a worker in this process."""
    local = LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)
    one = Cluster(Client(local, set_as_default=False), local)
    yield one
    one.close()


def fill_disk() -> NoReturn:
    raise OSError(28, "No space left on device")


def hang() -> None:
    assert HANG.wait(60.0)


def wait_in_vain() -> NoReturn:
    raise TimeoutError("the driver does not answer")


@pytest.mark.parametrize(("function", "error"), [(fill_disk, OSError), (wait_in_vain, TimeoutError)])
def test_what_a_function_raises_does_not_count_as_a_lost_worker(
    real: Cluster, function: Callable[[], None], error: type[Exception]
) -> None:
    (worker,) = real.workers()
    with pytest.raises(error, match=r"No space left|does not answer"):
        real.call(worker, function)


def test_short_call_ends_at_its_limit_on_a_worker_that_is_there(real: Cluster) -> None:
    (worker,) = real.workers()
    assert real.call_within(60.0, worker, max, 1, 2) == 2
    with pytest.raises(UnansweredError, match=r"worker .* did not answer within 0 s"):
        real.call_within(0.1, worker, hang)
    HANG.set()


class ClientOnly:
    """What only the client can load."""

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return __import__, ("module_of_the_client",)


def test_scheduler_without_the_modules_of_the_client_is_named(real: Cluster) -> None:
    (worker,) = real.workers()
    with pytest.raises(MissingError, match=r"the scheduler inproc://.* cannot read the calls of this client") as caught:
        real.call(worker, print, ClientOnly())
    assert caught.value.advice.startswith("Install the same version where the scheduler runs")
