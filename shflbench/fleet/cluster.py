"""The connection to a Dask cluster: its workers, and calls of functions on one of them."""

from __future__ import annotations

import logging
import os
import time
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

import dask
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster

from shflbench.errors import DeviceError
from shflbench.processes import block_sigint

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

POLL_SECONDS = 0.5  # between two looks at whether the worker of a running call is still there
WORKER_TTL = "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"  # Dask's own variable; its default is five minutes
SILENT_SECONDS = 60.0  # without a heartbeat, after which a worker counts as hung; Dask's beat each 0.5 to 10 s


class WorkerLostError(Exception):
    """The worker of a call died, hung or lost its connection; the sentence says which."""


class Cluster:
    """A cluster that this client uses."""

    def __init__(self, client: Client, local: LocalCluster | None = None) -> None:
        """Keep the connection; a `local` cluster is closed together with it."""
        self._client, self._local = client, local

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return str(self._client.scheduler.address) if self._client.scheduler else "unknown"

    def workers(self) -> frozenset[str]:
        """Return the addresses of the workers that answer; none while the scheduler is away."""
        now = time.time()
        try:
            known = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, ValueError, KeyError):
            return frozenset()
        return frozenset(name for name, info in known.items() if now - info["last_seen"] < SILENT_SECONDS)

    def call(self, worker: str, function: Callable[..., Result], *arguments: Any) -> Result:  # noqa: ANN401
        """Call a function on a worker and return its result; WorkerLostError if the worker does not complete it."""
        future = self.submit(worker, function, *arguments)
        is_done = Event()
        future.add_done_callback(lambda _: is_done.set())
        try:
            while not is_done.wait(POLL_SECONDS):
                if worker not in self.workers():
                    raise WorkerLostError(f"worker {worker} died, hung or lost its connection")
            result: Result = future.result()
        except (CancelledError, KilledWorker, OSError) as error:
            raise WorkerLostError(f"worker {worker} was lost: {error}") from error
        else:
            return result
        finally:
            future.release()

    def submit(self, worker: str, function: Callable[..., Any], *arguments: Any) -> Future:  # noqa: ANN401
        """Start a function on a worker, and on no other."""
        return self._client.submit(
            function, *arguments, workers=[worker], allow_other_workers=False, pure=False, retries=0
        )

    def call_all(self, function: Callable[[], Result]) -> dict[str, Result]:
        """Call a function on every worker at once, also on those that run jobs; without those that do not answer."""
        return dict(self._client.run(function, on_error="ignore"))

    def close(self) -> None:
        """End the connection, and a local cluster with its workers."""
        self._client.close(timeout=5)
        if self._local:
            self._local.close(timeout=10)


def open_local(workers: int) -> Cluster:
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
    return Cluster(Client(local, set_as_default=False), local)


def connect(address: str, timeout: float = 30.0) -> Cluster:
    """Connect to a scheduler; DeviceError if it does not answer within `timeout` seconds."""
    _set_quiet()
    try:
        return Cluster(Client(address, timeout=timeout, set_as_default=False))
    except (OSError, ValueError) as error:
        raise DeviceError(
            f"the Dask scheduler at {address} cannot be reached: {error}", "check the address and that it runs"
        ) from error


def _set_quiet() -> None:
    """Keep Dask's log off the terminal: what users must know, shflbench says."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
