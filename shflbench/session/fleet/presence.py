"""Find the workers of a Dask cluster that answer, at a cost that does not depend on the number of running calls."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from distributed import Client

POLL_SECONDS = 0.5  # between two lists of workers, which have 40 bytes per worker
HEARTBEAT_SECONDS = 5.0  # between two reads of all heartbeats, for which Dask sends 1 KB per worker
MOST_HEARTBEATS = 50  # per second, on average: of more than 250 workers, they are read less often
SILENT_SECONDS = 60.0  # without a heartbeat, after which a worker counts as hung; Dask's beat each 0.5 to 10 s
ANSWER_SECONDS = 10.0  # to wait for an answer of the scheduler
RARELY_SECONDS = 10.0  # between two such reads, at most: several must miss a heartbeat
NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last heartbeat of a worker."""

    sent: float  # by the clock of the scheduler, which may differ from that of this machine
    noticed: float  # by the monotonic clock of this process


class Presence:
    """The workers of a cluster."""

    def __init__(self, client: Client) -> None:
        """Ask the scheduler of this client."""
        self._client = client
        self._threads: Mapping[str, int] = {}  # by worker
        self._beats: Mapping[str, Heartbeat] = {}
        self._listed = self._read = NEVER
        self._lock = Lock()

    def workers(self) -> frozenset[str]:
        """Return the addresses of the workers that answer; none while the scheduler is away."""
        return frozenset(self._answering())

    def threads(self, worker: str) -> int:
        """Return how many calls a worker executes at the same time; 0 if it is gone."""
        return self._answering().get(worker, 0)

    def _answering(self) -> Mapping[str, int]:
        """Return the threads of the workers that answer, by a list that is at most `POLL_SECONDS` old."""
        if self._client.status != "running":
            return {}
        with self._lock:
            if time.monotonic() - self._listed >= POLL_SECONDS:
                self._look()
                self._listed = time.monotonic()
            silent = time.monotonic() - SILENT_SECONDS
            return {
                name: threads
                for name, threads in self._threads.items()
                if name not in self._beats or self._beats[name].noticed > silent
            }

    def _look(self) -> None:
        """List the workers, and read their heartbeats where that is due; keep what is known if there is no answer."""
        scheduler = self._client.scheduler
        if scheduler is None:  # the client was closed meanwhile
            return
        try:
            self._threads = self._client.sync(scheduler.ncores, callback_timeout=ANSWER_SECONDS)
            now = time.monotonic()
            seconds = max(HEARTBEAT_SECONDS, len(self._threads) / MOST_HEARTBEATS)
            if now - self._read >= min(seconds, RARELY_SECONDS):
                info = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=ANSWER_SECONDS)
                known = {name: worker["last_seen"] for name, worker in info["workers"].items()}
                self._beats = {name: self._beat(name, sent, now) for name, sent in known.items()}
                self._read = now
        except (OSError, ValueError, KeyError):
            return

    def _beat(self, worker: str, sent: float, now: float) -> Heartbeat:
        before = self._beats.get(worker)
        return before if before and before.sent == sent else Heartbeat(sent, now)
