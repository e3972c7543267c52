"""The connection to a Dask cluster: its workers, and calls of functions on one of them."""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import dask
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, Security

from shflbench.core.processes import block_terminal_signals
from shflbench.errors import DeviceError, MissingError, UsageError
from shflbench.session.fleet.connection_errors import check_files, unreachable
from shflbench.session.fleet.presence import POLL_SECONDS, SILENT_SECONDS, Presence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Result = TypeVar("Result")

WORKER_TTL = "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"  # Dask's own variable; its default is five minutes
MOST_CALLING = 64  # threads that end processes at the same time: workers that hang keep theirs
END_SECONDS = 10.0  # to end the processes of all devices: workers that do not answer are given up
READ_SECONDS = 30.0  # to read a result, after which it is checked whether the worker is still there
SHORT_SECONDS = SILENT_SECONDS  # for a short call: a worker that takes longer counts as hung, as one without heartbeats
RECONNECT_SECONDS = 60.0  # to wait for a scheduler, also for one that restarts
UNREADABLE = "Error during deserialization of the task graph"  # Dask's words where its scheduler lacks our modules
LOOPBACK = "127.0.0.1"
# Settings of a cluster on this machine. Without routes, its HTTP servers have no pages; Dask cannot leave them out.
# LocalCluster gives up a worker that restarts at the wrong moment: 15 s after any loss, if it is away just then.
LOCAL = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.deploy.lost-worker-timeout": "1 day",
}


class WorkerLostError(Exception):
    """The worker of a call died, hung or lost its connection; the sentence says which."""


class UnansweredError(WorkerLostError):
    """A worker did not complete a short call in time, and may still be busy with it."""


@dataclass(frozen=True, slots=True, eq=False)
class RunningCall:
    """A call that a thread waits for."""

    worker: str
    is_over: Event = field(default_factory=Event)  # it is done, its worker is lost, or the run is stopped


def never() -> bool:
    """Return False: nobody stops the run."""
    return False


class Cluster:
    """A cluster that this client uses."""

    def __init__(
        self, client: Client, local: LocalCluster | None = None, is_stopped: Callable[[], bool] = never
    ) -> None:
        """Keep the connection; a `local` cluster is closed together with it. Calls end when `is_stopped`."""
        self._client, self._local, self._is_stopped = client, local, is_stopped
        self._address = str(client.scheduler.address) if client.scheduler else "unknown"
        self._presence = Presence(client)
        self._running: set[RunningCall] = set()
        self._watcher: Thread | None = None
        self._lock = Lock()

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return self._address

    def workers(self) -> frozenset[str]:
        """Return the addresses of the workers that answer; none while the scheduler is away."""
        return self._presence.workers()

    def threads(self, worker: str) -> int:
        """Return how many calls a worker executes at the same time; 0 if it is gone."""
        return self._presence.threads(worker)

    def call(self, worker: str, function: Callable[..., Result], *arguments: Any) -> Result:  # noqa: ANN401
        """Call a function on a worker and return its result, however long it takes; raise what it raises.

        WorkerLostError if the worker does not complete it; DeviceError if the run is stopped meanwhile; MissingError
        if the scheduler cannot pass it on.
        """
        return self.call_within(None, worker, function, *arguments)

    def call_within(
        self,
        seconds: float | None,
        worker: str,
        function: Callable[..., Result],
        *arguments: Any,  # noqa: ANN401
    ) -> Result:
        """Call a function as `call` does; UnansweredError after so many `seconds`."""
        future = self.submit(worker, function, *arguments)
        running = RunningCall(worker)
        future.add_done_callback(lambda _: running.is_over.set())
        try:
            is_over = self._wait(running, seconds)
            if future.done():
                result: Result = self._result_of(future, worker)
                return result
            if self._is_stopped():
                raise DeviceError("the run was stopped")
            if seconds is not None and not is_over:
                raise UnansweredError(f"worker {worker} did not answer within {seconds:.0f} s")
            raise WorkerLostError(self._loss(worker))
        except CancelledError as error:
            raise WorkerLostError(self._loss(worker)) from error
        except KilledWorker as error:
            raise WorkerLostError(f"worker {worker} was lost: {error}") from error
        except RuntimeError as error:
            if str(error).startswith(UNREADABLE):
                raise self._unreadable() from error
            raise
        finally:
            future.release()

    def _result_of(self, future: Future, worker: str) -> Any:  # noqa: ANN401  (what the function returned)
        """Return the result of a call that is done; WorkerLostError if its worker hung or died before it was read.

        Dask itself would wait for such a worker for ever.
        """
        while True:
            try:
                return future.result(timeout=READ_SECONDS)
            except OSError as error:
                if future.status == "error":  # of the function
                    raise
                if not isinstance(error, TimeoutError):
                    raise WorkerLostError(f"worker {worker} was lost: {error}") from error
                if self._is_stopped():
                    raise DeviceError("the run was stopped") from None
                if worker not in self.workers():
                    raise WorkerLostError(self._loss(worker)) from None

    def _unreadable(self) -> MissingError:
        """Return the error of a scheduler that has other modules than this client."""
        return MissingError(
            f"the scheduler {self._address} cannot read the calls of this client: it has another version of "
            "shflbench or of its packages, or none",
            "Install the same version where the scheduler runs, and start it again.",
        )

    def _wait(self, running: RunningCall, seconds: float | None) -> bool:
        """Wait until a call is over, and return whether it is; one thread watches the workers of all calls."""
        with self._lock:
            self._running.add(running)
            if self._watcher is None:
                self._watcher = Thread(target=self._watch, name="watch workers", daemon=True)
                self._watcher.start()
        is_over = running.is_over.wait(seconds)
        with self._lock:
            self._running.discard(running)
        return is_over

    def _watch(self) -> None:
        """End the calls whose worker is lost, and all when the run is stopped, as long as there are any."""
        is_needed = True
        try:
            while is_needed:
                time.sleep(POLL_SECONDS)
                is_needed = self._end_lost(frozenset() if self._is_stopped() else self.workers())
        finally:
            if is_needed:  # an error: without this thread, the calls would wait for ever
                self._watcher = None
                self._end_lost(frozenset())

    def _end_lost(self, present: frozenset[str]) -> bool:
        """End the calls whose worker is not present; return whether any call was running."""
        with self._lock:
            for running in self._running:
                if running.worker not in present:
                    running.is_over.set()
            if not self._running:
                self._watcher = None
            return bool(self._running)

    def _loss(self, worker: str) -> str:
        if self._client.status != "running":
            return f"the connection to the scheduler {self._address} was lost"
        return f"worker {worker} died, hung or lost its connection"

    def submit(self, worker: str, function: Callable[..., Any], *arguments: Any) -> Future:  # noqa: ANN401
        """Start a function on a worker, and on no other."""
        return self._client.submit(
            function, *arguments, workers=[worker], allow_other_workers=False, pure=False, retries=0
        )

    def call_now(self, calls: Iterable[tuple[str, Callable[..., object], tuple[Any, ...]]]) -> None:
        """Call functions on workers at once, also on those that run jobs, and wait at most `END_SECONDS` for all.

        Each call is (worker, function, arguments). Calls that fail are ignored: a worker that is gone has no process.
        """
        present = self.workers()
        waiting = deque(call for call in calls if call[0] in present)

        def call_next() -> None:
            while waiting:
                with suppress(IndexError, OSError):  # another thread took the last one; the worker is gone
                    worker, function, arguments = waiting.popleft()
                    self._client.run(function, *arguments, workers=[worker], on_error="ignore")

        threads = [Thread(target=call_next, daemon=True) for _ in range(min(len(waiting), MOST_CALLING))]
        for thread in threads:
            thread.start()
        end = time.monotonic() + END_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def close(self) -> None:
        """End the connection, and a local cluster with its workers."""
        self._client.close(timeout=5)
        if self._local:
            self._local.close(timeout=10)


def open_local(workers: int, is_stopped: Callable[[], bool] = never) -> Cluster:
    """Start a cluster of processes on this machine, reachable from it alone, without a dashboard."""
    _set_quiet()
    dask.config.set(LOCAL)
    dask.config.set({"distributed.scheduler.worker-ttl": os.environ.get(WORKER_TTL, "60s")})
    with block_terminal_signals():  # a terminal's signals are for this process alone
        resource_tracker.ensure_running()  # of `multiprocessing`
    with block_terminal_signals():  # again: the start of the tracker unblocks SIGINT
        local = LocalCluster(
            n_workers=workers,
            threads_per_worker=2,  # one for the job, one for short calls
            processes=True,
            host=LOOPBACK,
            protocol="tcp://",
            security=Security(require_encryption=False),  # whatever Dask's configuration says of clusters
            scheduler_kwargs={"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"},
            memory_limit=None,
            preload=["shflbench.session.fleet.local_worker"],
            silence_logs=logging.CRITICAL,
            worker_dashboard_address=None,
        )
    return Cluster(Client(local, set_as_default=False), local, is_stopped)


def connect(address: str, tls: Tls, is_stopped: Callable[[], bool] = never) -> Cluster:
    """Connect to a scheduler; DeviceError if it does not answer, UsageError if the way to it is not complete.

    That is: `tls://` lacks its files, or Dask's configuration allows no other address.
    """
    _set_quiet()
    security = tls.security(address)
    if security:
        check_files(security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
    if security is None and dask.config.get("distributed.comm.require-encryption"):
        raise UsageError(
            f"Dask's configuration requires encryption, and {address} has none",
            "use tls://, or set DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=false",
        )
    try:
        client = Client(address, timeout=RECONNECT_SECONDS, set_as_default=False, security=security)
    except (OSError, ValueError) as error:
        raise unreachable(address, error, RECONNECT_SECONDS) from error
    return Cluster(client, is_stopped=is_stopped)


@dataclass(frozen=True, slots=True)
class Tls:
    """Files in PEM format of an encrypted connection; None for those of Dask's configuration."""

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None

    def security(self, address: str) -> Security | None:
        """Return Dask's form of them; None for an address that is not encrypted. UsageError where one is missing."""
        if not address.startswith("tls://"):
            return None
        given = {"tls_ca_file": self.ca, "tls_client_cert": self.certificate, "tls_client_key": self.key}
        security = Security(require_encryption=True, **{name: path for name, path in given.items() if path})
        if not (security.tls_ca_file and security.tls_client_cert):
            raise UsageError(
                f"{address} needs certificates, and neither options nor Dask's configuration name them",
                "give --tls-ca, --tls-cert and --tls-key",
            )
        return security


def _set_quiet() -> None:
    """Keep Dask's log off the terminal: what users must know, shflbench says."""
    for name in ("distributed", "distributed.client"):  # Dask gives its client a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)
