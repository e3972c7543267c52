"""The devices of a cluster that are used, each through one worker, and the offers of workers that were opened."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from shflbench.measure.supervisor import WorkerDevice
    from shflbench.session.fleet.cluster import Cluster
    from shflbench.session.fleet.messages import OfferedDevice

    Place = tuple[str, WorkerDevice]  # a worker, and how it opens a device

THREADS = 2  # of a worker per device: one for the job, one for short calls


class Reservations:
    """The devices that are used, and the offers that were tried; several threads may change them."""

    def __init__(self, cluster: Cluster) -> None:
        """Ask `cluster` for the number of threads of its workers; no device is used yet."""
        self._cluster = cluster
        self._users: dict[str, tuple[str, WorkerDevice | None]] = {}  # UUID of a device → its worker, and how it opens
        self._tried: set[Place] = set()  # offers that were opened, whether they can be used or not
        self._duplicates: dict[str, set[Place]] = {}  # UUID → further offers of the device
        self._lock = Lock()

    @property
    def tried(self) -> Collection[Place]:
        """The offers that were opened."""
        return self._tried

    def places(self) -> list[Place]:
        """Return all that may be open: what is used, and what was tried."""
        with self._lock:
            used = [(worker, place) for worker, place in self._users.values() if place]
            return list(dict.fromkeys([*used, *self._tried]))

    def use(self, uuid: str, worker: str, place: WorkerDevice) -> None:
        """Record that a device was opened, which no other worker offers."""
        with self._lock:
            self._users[uuid] = worker, place

    def take_offer(self, worker: str, offer: OfferedDevice) -> bool:
        """Record that an offer is about to be opened; False if its device is used or the worker has no room."""
        with self._lock:
            is_known = offer.uuid in self._users or (worker, offer.place) in self._tried
            if is_known or not self.has_room(worker):
                return False
            self._tried.add((worker, offer.place))
            if offer.uuid:
                self._users[offer.uuid] = worker, offer.place
            return True

    def drop(self, uuid: str) -> None:
        """Record that a device is not used, because it could not be opened."""
        with self._lock:
            self._users.pop(uuid, None)

    def user_of(self, uuid: str, worker: str, place: WorkerDevice) -> tuple[str, WorkerDevice | None]:
        """Return who uses a device that was opened: this worker and place, unless another one had it before."""
        with self._lock:
            user = self._users.setdefault(uuid, (worker, place))
            if user != (worker, place):
                self._duplicates.setdefault(uuid, set()).add((worker, place))
            return user

    def hold(self, uuid: str, worker: str = "") -> bool:
        """Mark a lost device as used through this worker if it has room; without a worker, so that it is not new."""
        with self._lock:
            if worker and not self.has_room(worker):
                return False
            self._users[uuid] = worker, None
            return True

    def use_again(self, uuid: str, worker: str, place: WorkerDevice) -> None:
        """Record that a lost device was opened again."""
        with self._lock:
            self._tried.add((worker, place))
            self._users[uuid] = worker, place

    def release(self, uuid: str) -> None:
        """Forget a device that was lost: it counts as new when another worker offers it."""
        with self._lock:
            self._users.pop(uuid, None)
            self._tried -= self._duplicates.pop(uuid, set())

    def keep(self, present: Collection[str]) -> None:
        """Forget what workers tried that are gone: what comes back at their addresses tries it again.

        Devices in use are kept, until the thread that uses one has noticed its loss.
        """
        with self._lock:
            used = set(self._users.values())
            self._tried = {one for one in self._tried if one[0] in present or one in used}

    def forget(self, worker: str) -> None:
        """Forget a worker that was lost while its devices were opened."""
        with self._lock:
            self._tried = {one for one in self._tried if one[0] != worker}
            self._users = {uuid: user for uuid, user in self._users.items() if user[0] != worker}

    def is_used(self, worker: str, place: WorkerDevice) -> bool:
        """Whether a device is used through this worker at this place."""
        return (worker, place) in self._users.values()

    def is_unused(self, worker: str, offer: OfferedDevice) -> bool:
        """Whether an offer was not opened, and nobody is known to use its device."""
        return (worker, offer.place) not in self._tried and (not offer.uuid or offer.uuid not in self._users)

    def has_room(self, worker: str) -> bool:
        """Whether a worker has threads for another device."""
        used = Counter(user for user, _ in self._users.values())[worker]
        return used < max(1, self._cluster.threads(worker) // THREADS)
