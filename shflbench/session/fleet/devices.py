"""Find the devices that the workers of a cluster offer, at the start and after a worker was lost."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from shflbench.errors import DeviceError, ShflbenchError
from shflbench.session.fleet import device_process
from shflbench.session.fleet.cluster import SHORT_SECONDS, UnansweredError, WorkerLostError
from shflbench.session.fleet.executor import FleetDevice
from shflbench.session.fleet.refusals import Refusals, failed_call, unused_offers, version_mismatch
from shflbench.session.fleet.reservations import Reservations
from shflbench.store import surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from shflbench.measure.supervisor import WorkerDevice
    from shflbench.session.fleet.cluster import Cluster
    from shflbench.session.fleet.messages import WorkerReport

Result = TypeVar("Result")

RETURN_SECONDS = 60.0  # to start a worker again: Dask's nanny needs 2 s, a batch system more
OPEN_SECONDS = 600.0  # to open a device, after which its worker counts as hung: the job of a killed run may end first
LOOK_SECONDS = 0.5
MOST_OPENING = 32  # workers at the same time


class DeviceFinder:
    """The devices of a cluster, each used through one worker."""

    def __init__(
        self,
        cluster: Cluster,
        is_stopped: Callable[[], bool],
        seconds: float | None = None,
        describe: Callable[[], WorkerReport] = device_process.describe_worker,
    ) -> None:
        """Look for lost devices for at most `seconds`, by default `RETURN_SECONDS`.

        Workers call `describe` to say what they offer.
        """
        self._cluster, self._is_stopped, self._describe = cluster, is_stopped, describe
        self._seconds = RETURN_SECONDS if seconds is None else seconds
        self._reservations = Reservations(cluster)
        self._reports: dict[str, WorkerReport] = {}  # by worker
        self._refusals = Refusals()

    def open(self, worker: str, places: Sequence[WorkerDevice]) -> Iterator[FleetDevice]:
        """Open devices on a worker; DeviceError where one cannot be used or the worker runs other code."""
        report = self._report(worker)
        for place in places:
            yield self._open(worker, report, place)

    def open_new(self) -> tuple[list[FleetDevice], list[str]]:
        """Open all devices that workers offer and that are not used yet.

        Return them with a sentence about each worker or device that cannot be used; no sentence is returned twice.
        """
        present = self._cluster.workers()
        self._keep(present)
        workers = sorted(worker for worker in present if self._has_more(worker))
        if not workers:
            return [], []
        surroundings.package_source()  # takes 0.1 s once, and not in each thread
        with ThreadPoolExecutor(min(len(workers), MOST_OPENING)) as pool:
            opened = list(pool.map(self._open_offers, workers))
        return [device for devices, _ in opened for device in devices], [one for _, some in opened for one in some]

    def unusable(self) -> list[str]:
        """Return a sentence about each worker that is there and about each of its devices that cannot be used."""
        present = self._cluster.workers()
        self._keep(present)
        reports = [(worker, report) for worker, report in sorted(self._reports.items()) if worker in present]
        return [*self._refusals.sentences(), *unused_offers(reports, self._reservations.tried)]

    def _keep(self, present: Collection[str]) -> None:
        """Forget workers that are gone: what comes back at their addresses may be sound, or offer other devices."""
        self._refusals.keep(present)
        self._reservations.keep(present)
        for worker in list(self._reports):
            if worker not in present:
                self._reports.pop(worker, None)

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """End the processes of all devices if the block is left by an exception."""
        is_done = False
        try:
            yield
            is_done = True
        finally:
            if not is_done:
                self._cluster.call_now(self.closing())

    def closing(self) -> list[tuple[str, Callable[..., object], tuple[WorkerDevice]]]:
        """Return the calls that end the processes of all devices, which else live for a minute, for `call_now`."""
        return [(worker, device_process.close_device, (place,)) for worker, place in self._reservations.places()]

    def release(self, device: FleetDevice) -> None:
        """Forget a device that was lost: it counts as new when another worker offers it."""
        self._reservations.release(device.opened.device.uuid)

    def find_again(self, lost: FleetDevice) -> FleetDevice | None:
        """Return a lost device with the worker that offers it now; None if there is none in time."""
        end = time.monotonic() + self._seconds
        uuid = lost.opened.device.uuid
        self._reservations.hold(uuid)
        self._reports.pop(lost.worker, None)  # what comes back at this address may offer other devices
        while time.monotonic() < end and not self._is_stopped():
            for worker in sorted(self._may_offer(lost)):
                if not self._reservations.hold(uuid, worker):
                    continue
                if (again := self._offered(worker, lost)) is not None:
                    return again
                self._reservations.hold(uuid)
            time.sleep(LOOK_SECONDS)
        return None

    def _may_offer(self, lost: FleetDevice) -> list[str]:
        """Return the workers that offer a lost device by their report, and those that have not reported.

        Without it, each lost device would call all workers again and again.
        """
        reports = self._reports
        workers = [worker for worker in self._cluster.workers() if not self._refusals.is_refused(worker)]
        return [worker for worker in workers if worker not in reports or _places(reports[worker], lost)]

    def _report(self, worker: str) -> WorkerReport:
        """Return the description of a worker; DeviceError if it cannot describe itself or runs other code."""
        refusal = ""
        try:
            report = self._call(SHORT_SECONDS, worker, self._describe)
            if report.versions.source != surroundings.package_source():
                refusal = version_mismatch(worker, report.host.name, report.versions)
        except DeviceError as error:
            refusal = error.message
        except AttributeError as error:  # a field of the report
            refusal = failed_call(worker, error)
        if refusal:
            self._refusals.refuse(worker, refusal)
            raise DeviceError(refusal)
        self._reports[worker] = report
        return report

    def _call(self, seconds: float, worker: str, function: Callable[..., Result], *arguments: object) -> Result:
        """Call a function on a worker; DeviceError if it fails. A worker that does not answer is not used any more."""
        try:
            return self._cluster.call_within(seconds, worker, function, *arguments)
        except UnansweredError as error:
            self._refusals.refuse(worker, str(error))
            raise DeviceError(str(error)) from error
        except (WorkerLostError, ShflbenchError):
            raise
        except Exception as error:
            raise DeviceError(failed_call(worker, error)) from error

    def _open(self, worker: str, report: WorkerReport, place: WorkerDevice) -> FleetDevice:
        """Open one device and use it from now on; DeviceError if it cannot be used."""
        device = self._opened(worker, report, place)
        self._reservations.use(device.opened.device.uuid, worker, place)
        return device

    def _opened(self, worker: str, report: WorkerReport, place: WorkerDevice) -> FleetDevice:
        """Open one device; DeviceError if it cannot be used."""
        opened = self._call(OPEN_SECONDS, worker, device_process.open_device, place)
        if opened.error:
            raise DeviceError(f"{report.host.name}: {opened.error}", opened.advice)
        return FleetDevice.of(worker, report, opened)

    def _close(self, worker: str, place: WorkerDevice) -> None:
        """End the process of a device that was opened for nothing."""
        self._call(SHORT_SECONDS, worker, device_process.close_device, place)

    def _has_more(self, worker: str) -> bool:
        """Whether a worker may offer a device that nobody uses, and has room for it."""
        if self._refusals.is_refused(worker):
            return False
        if worker not in self._reports:
            return True
        unused = (self._reservations.is_unused(worker, offer) for offer in self._reports[worker].offers)
        return any(unused) and self._reservations.has_room(worker)

    def _open_offers(self, worker: str) -> tuple[list[FleetDevice], list[str]]:
        """Open what one worker offers and nobody uses, as far as it has room."""
        devices, problems = [], []
        try:
            report = self._reports.get(worker) or self._report(worker)
            for offer in report.offers:
                if self._refusals.is_refused(worker) or not self._reservations.take_offer(worker, offer):
                    continue
                try:
                    device = self._open_once(worker, report, offer.place)
                except DeviceError as error:
                    problems.append(error.message)
                    self._refusals.refuse_device(worker, offer.place.argument, error.message)
                    self._reservations.drop(offer.uuid)
                    continue
                if device:
                    devices.append(device)
        except DeviceError as error:
            problems.append(error.message)
        except WorkerLostError as loss:
            problems.append(str(loss))
            self._reports.pop(worker, None)
            self._reservations.forget(worker)
        return devices, problems

    def _open_once(self, worker: str, report: WorkerReport, place: WorkerDevice) -> FleetDevice | None:
        """Open a device; None, and close it, if another worker of its machine uses it already."""
        device = self._opened(worker, report, place)
        user = self._reservations.user_of(device.opened.device.uuid, worker, place)
        if user == (worker, place):
            return device
        if user[0] != worker:  # else the run that lost the device has opened it there meanwhile
            self._close(worker, place)
        return None

    def _offered(self, worker: str, lost: FleetDevice) -> FleetDevice | None:
        """Return the lost device on this worker, None if the worker does not offer it."""
        uuid = lost.opened.device.uuid
        try:
            report = self._reports.get(worker) or self._report(worker)
            for place in _places(report, lost):
                if self._refusals.is_refused(worker) or self._reservations.is_used(worker, place):
                    continue
                with suppress(DeviceError):
                    again = self._opened(worker, report, place)
                    if again.opened.device.uuid == uuid:
                        self._reservations.use_again(uuid, worker, place)
                        return again
                    self._close(worker, place)
        except (WorkerLostError, DeviceError):
            return None
        return None


def _places(report: WorkerReport, lost: FleetDevice) -> list[WorkerDevice]:
    """Return how a worker may open the lost device."""
    if report.offers:
        return [
            offer.place
            for offer in report.offers
            if offer.uuid == lost.opened.device.uuid or (not offer.uuid and report.host.name == lost.host)
        ]
    return [lost.place] if report.host.name == lost.host else []
