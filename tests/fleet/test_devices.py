"""Which devices of a cluster are used through which worker, and which workers count as lost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from shflbench.fleet import device_process
from shflbench.fleet.cluster import SILENT_SECONDS, Cluster, WorkerLostError
from shflbench.fleet.devices import DeviceFinder
from shflbench.fleet.messages import DeviceReport, OfferedDevice, WorkerReport
from shflbench.measure.events import Opened, encode
from shflbench.measure.supervisor import WorkerDevice
from shflbench.store import surroundings
from tests.fakes.backend import H200


@dataclass
class FakeCluster:
    """Workers, each with the UUIDs of the devices that it can open, by index."""

    machines: dict[str, dict[str, str]]
    is_uuid_known: bool = True
    threads_per_worker: int = 2
    lost: set[str] = field(default_factory=set)  # workers that die at the next call
    closed: list[tuple[str, str]] = field(default_factory=list)
    opened: list[tuple[str, str]] = field(default_factory=list)

    def workers(self) -> frozenset[str]:
        return frozenset(self.machines)

    def threads(self, worker: str) -> int:
        return self.threads_per_worker if worker in self.machines else 0

    def call(self, worker: str, function: Callable[..., Any], *arguments: Any) -> Any:
        if worker in self.lost:
            self.lost.remove(worker)
            raise WorkerLostError(f"worker {worker} died")
        if function is describe:
            offers = tuple(
                OfferedDevice(WorkerDevice("opener", index), uuid if self.is_uuid_known else "")
                for index, uuid in self.machines[worker].items()
            )
            return WorkerReport(surroundings.host(), 1, surroundings.package_source(), offers)
        place = arguments[0]
        if function is device_process.close_device:
            self.closed.append((worker, place.argument))
            return None
        self.opened.append((worker, place.argument))
        device = replace(H200, index=int(place.argument), uuid=self.machines[worker][place.argument])
        return DeviceReport(place, encode(Opened("cuda", device, "")))


def describe() -> WorkerReport:
    raise AssertionError


def finder_of(fake: FakeCluster, seconds: float = 5.0) -> DeviceFinder:
    return DeviceFinder(fake, lambda: False, seconds, describe)  # type: ignore[arg-type]


def used(finder: DeviceFinder) -> set[tuple[str, str]]:
    """Open new devices and return the worker and the UUID of each."""
    devices, problems = finder.open_new()
    assert problems == []
    return {(device.worker, device.opened.device.uuid) for device in devices}


def test_workers_of_one_machine_divide_its_devices_and_open_each_once() -> None:
    fake = FakeCluster({"a": {"0": "x", "1": "y"}, "b": {"0": "x", "1": "y"}})
    finder = finder_of(fake)
    devices = used(finder)
    assert {worker for worker, _ in devices} == {"a", "b"}
    assert {uuid for _, uuid in devices} == {"x", "y"}
    assert len(fake.opened) == 2
    assert used(finder) == set()


def test_one_worker_with_enough_threads_offers_several_devices() -> None:
    machines = {"a": {"0": "x", "1": "y", "2": "z"}}
    assert {uuid for _, uuid in used(finder_of(FakeCluster(machines, threads_per_worker=6)))} == {"x", "y", "z"}
    assert {uuid for _, uuid in used(finder_of(FakeCluster(machines, threads_per_worker=4)))} == {"x", "y"}


def test_device_whose_uuid_is_known_only_when_it_is_open_is_used_once() -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {"0": "x"}, "c": {"0": "y"}}, is_uuid_known=False)
    finder = finder_of(fake)
    assert {uuid for _, uuid in used(finder)} == {"x", "y"}
    assert len(fake.closed) == 1
    assert used(finder) == set()
    assert len(fake.opened) == 3


def test_worker_that_joins_late_or_was_lost_while_it_was_asked_is_used_at_the_next_look() -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {"0": "y"}}, lost={"b"})
    finder = finder_of(fake)
    devices, problems = finder.open_new()
    assert [device.worker for device in devices] == ["a"]
    assert problems == ["worker b died"]
    fake.machines["c"] = {"0": "z"}
    assert used(finder) == {("b", "y"), ("c", "z")}


@pytest.mark.parametrize("is_uuid_known", [True, False])
def test_lost_device_is_found_on_the_worker_that_offers_it_now(*, is_uuid_known: bool) -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {"0": "y"}}, is_uuid_known)
    finder = finder_of(fake)
    devices, _ = finder.open_new()
    (lost,) = (device for device in devices if device.worker == "a")
    del fake.machines["a"]
    fake.machines |= {"c": {"0": "z"}, "d": {"0": "x"}}
    again = finder.find_again(lost)
    assert again
    assert (again.worker, again.opened.device.uuid) == ("d", "x")
    assert ("b", "0") not in fake.opened[2:]  # it measures another device
    assert used(finder) == {("c", "z")}


@pytest.mark.parametrize("is_uuid_known", [True, False])
def test_lost_device_that_nobody_offers_counts_as_new_when_it_comes_back(*, is_uuid_known: bool) -> None:
    fake = FakeCluster({"a": {"0": "x"}}, is_uuid_known)
    finder = finder_of(fake, seconds=0.2)
    (lost,) = finder.open_new()[0]
    del fake.machines["a"]
    assert finder.find_again(lost) is None
    fake.machines["b"] = {"0": "x"}
    assert used(finder) == set()  # until its run has ended
    finder.release(lost)
    assert used(finder) == {("b", "x")}


class FakeClient:
    """A client of Dask whose scheduler has a clock an hour ahead."""

    status = "running"
    scheduler = None

    def __init__(self) -> None:
        self.beats = {"a": 3600.0, "b": 3600.0}

    def scheduler_info(self, n_workers: int) -> Mapping[str, Any]:
        del n_workers
        return {"workers": {name: {"last_seen": beat, "nthreads": 2} for name, beat in self.beats.items()}}


def test_worker_without_heartbeats_counts_as_lost_whatever_the_clock_of_the_scheduler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("shflbench.fleet.cluster.time.monotonic", lambda: now)
    client = FakeClient()
    cluster = Cluster(client)
    assert cluster.workers() == {"a", "b"}
    for _ in range(3):
        now += SILENT_SECONDS / 2
        client.beats["a"] += 1
        present = cluster.workers()
    assert present == {"a"}
    client.status = "connecting"
    assert cluster.workers() == frozenset()
