"""The connection to a Dask cluster: its workers, and calls of functions on one of them."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import dask
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, Security

from shflbench.errors import DeviceError, UsageError
from shflbench.processes import block_sigint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Result = TypeVar("Result")

POLL_SECONDS = 0.5  # between two looks at whether the worker of a running call is still there
WORKER_TTL = "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"  # Dask's own variable; its default is five minutes
SILENT_SECONDS = 60.0  # without a heartbeat, after which a worker counts as hung; Dask's beat each 0.5 to 10 s
END_SECONDS = 10.0  # to end the processes of all devices: workers that do not answer are given up
RECONNECT_SECONDS = 60.0  # to wait for a scheduler, also for one that restarts


class WorkerLostError(Exception):
    """The worker of a call died, hung or lost its connection; the sentence says which."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last heartbeat of a worker."""

    sent: float  # by the clock of the scheduler, which may differ from that of this machine
    noticed: float  # by the monotonic clock of this process
    threads: int


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
        self._beats: dict[str, Heartbeat] = {}
        self._looked = -POLL_SECONDS
        self._lock = Lock()

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return self._address

    def workers(self) -> frozenset[str]:
        """Return the addresses of the workers that answer; none while the scheduler is away."""
        if self._client.status != "running":
            return frozenset()
        now = time.monotonic()
        return frozenset(name for name, beat in self._heartbeats().items() if now - beat.noticed < SILENT_SECONDS)

    def threads(self, worker: str) -> int:
        """Return how many calls a worker executes at the same time; 0 if it is gone."""
        beat = self._heartbeats().get(worker) if self._client.status == "running" else None
        return beat.threads if beat else 0

    def _heartbeats(self) -> Mapping[str, Heartbeat]:
        """Return the last heartbeat of each worker, at most `POLL_SECONDS` old: all devices share one look."""
        with self._lock:
            now = time.monotonic()
            if now - self._looked >= POLL_SECONDS:
                self._beats = dict(self._look(now))
                self._looked = time.monotonic()
            return self._beats

    def _look(self, now: float) -> Iterable[tuple[str, Heartbeat]]:
        try:
            known = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, ValueError, KeyError):
            return
        for name, info in known.items():
            before = self._beats.get(name)
            is_same = before and before.sent == info["last_seen"]
            yield name, before if before and is_same else Heartbeat(info["last_seen"], now, info["nthreads"])

    def call(self, worker: str, function: Callable[..., Result], *arguments: Any) -> Result:  # noqa: ANN401
        """Call a function on a worker and return its result.

        WorkerLostError if the worker does not complete it; DeviceError if the run is stopped meanwhile.
        """
        future = self.submit(worker, function, *arguments)
        is_done = Event()
        future.add_done_callback(lambda _: is_done.set())
        try:
            while not is_done.wait(POLL_SECONDS):
                if self._is_stopped():
                    raise DeviceError("the run was stopped")
                if worker not in self.workers():
                    raise WorkerLostError(self._loss(worker))
            result: Result = future.result()
        except CancelledError as error:
            raise WorkerLostError(self._loss(worker)) from error
        except (KilledWorker, OSError) as error:
            raise WorkerLostError(f"worker {worker} was lost: {error}") from error
        else:
            return result
        finally:
            future.release()

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

        def call(worker: str, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
            self._client.run(function, *arguments, workers=[worker], on_error="ignore")

        present = self.workers()
        threads = [Thread(target=call, args=one, daemon=True) for one in calls if one[0] in present]
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
    # LocalCluster gives up a worker that restarts at the wrong moment: 15 s after any loss, if it is away just then.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"})
    dask.config.set({"distributed.scheduler.worker-ttl": os.environ.get(WORKER_TTL, "60s")})
    with block_sigint():  # a terminal's Ctrl-C goes to this process alone
        local = LocalCluster(
            n_workers=workers,
            threads_per_worker=2,  # one for the job, one for short calls
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=None,
            preload=["shflbench.fleet.local_worker"],
            silence_logs=logging.CRITICAL,
            worker_dashboard_address=None,
        )
    return Cluster(Client(local, set_as_default=False), local, is_stopped)


def connect(address: str, tls: Tls, is_stopped: Callable[[], bool] = never) -> Cluster:
    """Connect to a scheduler; DeviceError if it does not answer, UsageError if `tls://` lacks its files."""
    _set_quiet()
    try:
        client = Client(address, timeout=RECONNECT_SECONDS, set_as_default=False, security=tls.security(address))
    except (OSError, ValueError) as error:
        raise DeviceError(
            f"the Dask scheduler at {address} cannot be reached within {RECONNECT_SECONDS:.0f} s",
            "Check the address, and that the scheduler runs.",
        ) from error
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
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
