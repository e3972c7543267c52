"""Find the devices that the workers of a cluster offer, at the start and after a worker was lost."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from shflbench.errors import DeviceError
from shflbench.fleet import device_process
from shflbench.fleet.cluster import WorkerLostError
from shflbench.fleet.executor import FleetDevice
from shflbench.store import surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shflbench.fleet.cluster import Cluster
    from shflbench.measure.supervisor import WorkerDevice

RETURN_SECONDS = 60.0  # to start a worker again: Dask's nanny needs 2 s, a batch system more
LOOK_SECONDS = 0.5


class DeviceFinder:
    """The devices of a cluster, each used through one worker."""

    def __init__(self, cluster: Cluster, is_stopped: Callable[[], bool], seconds: float = RETURN_SECONDS) -> None:
        """Look for lost devices for at most `seconds`."""
        self._cluster, self._is_stopped, self._seconds = cluster, is_stopped, seconds
        self._used: set[str] = set()  # workers
        self._lock = Lock()

    def open(self, worker: str, places: Sequence[WorkerDevice]) -> Iterator[FleetDevice]:
        """Open devices on a worker; DeviceError where one cannot be used or the worker runs other code."""
        report = self._cluster.call(worker, device_process.describe_worker)
        if report.source != surroundings.package_source():
            raise DeviceError(
                f"worker {worker} on {report.host.name} runs another version of shflbench",
                "Install the same version on all machines.",
            )
        for place in places:
            opened = self._cluster.call(worker, device_process.open_device, place)
            if opened.error:
                raise DeviceError(f"{report.host.name}: {opened.error}", opened.advice)
            self._used.add(worker)
            yield FleetDevice.of(worker, report.host.name, opened)

    def find_again(self, lost: FleetDevice) -> FleetDevice | None:
        """Return a lost device with the worker that offers it now; None if there is none in time."""
        end = time.monotonic() + self._seconds
        while time.monotonic() < end and not self._is_stopped():
            with self._lock:
                self._used.discard(lost.worker)
                for worker in sorted(self._cluster.workers() - self._used - {lost.worker}):
                    if (again := self._offered(worker, lost)) is not None:
                        self._used.add(worker)
                        return again
            time.sleep(LOOK_SECONDS)
        return None

    def _offered(self, worker: str, lost: FleetDevice) -> FleetDevice | None:
        """Return the device on this worker, None if the worker does not offer it."""
        try:
            report = self._cluster.call(worker, device_process.describe_worker)
            if report.host.name != lost.host or report.source != surroundings.package_source():
                return None
            opened = self._cluster.call(worker, device_process.open_device, lost.place)
        except WorkerLostError:
            return None
        if opened.error:
            return None
        again = FleetDevice.of(worker, lost.host, opened)
        return again if again.opened.device.uuid == lost.opened.device.uuid else None
