"""The devices of a cluster, the workers through which they are used, and the workers that count as lost."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from shflbench import __version__
from shflbench.errors import MissingError
from shflbench.measure.events import Opened, encode
from shflbench.measure.supervisor import WorkerDevice
from shflbench.session.fleet import device_process
from shflbench.session.fleet.cluster import SHORT_SECONDS, UnansweredError, WorkerLostError
from shflbench.session.fleet.devices import OPEN_SECONDS, DeviceFinder
from shflbench.session.fleet.messages import DeviceReport, OfferedDevice, WorkerReport
from tests.fakes.backend import H200
from tests.fakes.workers import worker_on

ABSENT = ModuleNotFoundError("No module named 'shflbench'")


def describe() -> WorkerReport:
    raise AssertionError


@dataclass
class FakeCluster:
    """Workers, each with the UUIDs of the devices that it can open, by index."""

    machines: dict[str, dict[str, str]]
    is_uuid_known: bool = True
    threads_per_worker: int = 2
    lost: set[str] = field(default_factory=set)  # workers that die at the next call
    closed: list[tuple[str, str]] = field(default_factory=list)
    opened: list[tuple[str, str]] = field(default_factory=list)
    described: list[str] = field(default_factory=list)
    outdated: set[str] = field(default_factory=set)  # workers with another version of the package
    failures: dict[str, Exception] = field(default_factory=dict)  # what workers raise that are asked for their devices
    hung: set[tuple[str, Callable[..., Any]]] = field(default_factory=set)  # workers, each with a call it never answers
    unanswered: int = 0  # such calls
    broken: set[str] = field(default_factory=set)  # UUIDs of devices that cannot be opened

    def workers(self) -> frozenset[str]:
        return frozenset(self.machines)

    def threads(self, worker: str) -> int:
        return self.threads_per_worker if worker in self.machines else 0

    def call_now(self, calls: Iterable[tuple[str, Callable[..., Any], tuple[Any, ...]]]) -> None:
        for worker, function, arguments in calls:
            self.call_within(SHORT_SECONDS, worker, function, *arguments)

    def call_within(self, seconds: float, worker: str, function: Callable[..., Any], *arguments: Any) -> Any:
        assert seconds == (OPEN_SECONDS if function is device_process.open_device else SHORT_SECONDS)
        if (worker, function) in self.hung:
            self.unanswered += 1
            raise UnansweredError(f"worker {worker} did not answer within {seconds:.0f} s")
        if worker in self.lost:
            self.lost.remove(worker)
            raise WorkerLostError(f"worker {worker} died")
        if function is describe:
            offers = tuple(
                OfferedDevice(WorkerDevice("opener", index), uuid if self.is_uuid_known else "")
                for index, uuid in self.machines[worker].items()
            )
            self.described.append(worker)
            if worker in self.failures:
                raise self.failures[worker]
            other = {"shflbench": "0.1.9", "git_commit": "", "source": "other"} if worker in self.outdated else {}
            return worker_on("node7", offers, **other)
        place = arguments[0]
        if function is device_process.close_device:
            self.closed.append((worker, place.argument))
            return None
        self.opened.append((worker, place.argument))
        if self.machines[worker][place.argument] in self.broken:
            return DeviceReport(place, error="no usable GPU: GPU is lost")
        device = replace(H200, index=int(place.argument), uuid=self.machines[worker][place.argument])
        return DeviceReport(place, encode(Opened("cuda", device, "")))


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


def test_lost_device_calls_only_workers_that_may_offer_it() -> None:
    machines = {f"worker-{number}": {f"{number}": f"uuid-{number}"} for number in range(8)}
    fake = FakeCluster(machines)
    finder = finder_of(fake)
    lost = finder.open_new()[0][0]
    del fake.machines[lost.worker]
    fake.machines |= {"new": {"0": lost.opened.device.uuid}}
    fake.described.clear()
    again = finder.find_again(lost)
    assert again
    assert again.worker == "new"
    assert fake.described == ["new"]


def test_worker_with_another_version_is_refused_once_and_never_used() -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {"0": "y"}}, outdated={"b"})
    finder = finder_of(fake, seconds=0.2)
    devices, problems = finder.open_new()
    assert [device.worker for device in devices] == ["a"]
    assert problems == finder.unusable()
    (problem,) = problems
    assert "worker b on node7 runs another version of shflbench, 0.1.9 (source other); this client runs" in problem
    assert f"{__version__} (" in problem
    assert problem.endswith("install the same version on both and start the worker again")
    assert finder.open_new() == ([], [])
    del fake.machines["a"]
    fake.machines["b"] = {"0": "x"}
    assert finder.find_again(devices[0]) is None
    assert fake.opened == [("a", "0")]


def test_workers_and_devices_that_cannot_be_used_are_named_as_long_as_they_are_there() -> None:
    machines = {"a": {"0": "x", "1": "y", "2": "z"}, "b": {}, "c": {"0": "v"}, "d": {"0": "w"}}
    fake = FakeCluster(machines, threads_per_worker=4, failures={"c": ABSENT}, broken={"w"})
    finder = finder_of(fake)
    devices, problems = finder.open_new()
    assert len(devices) == 2
    assert len(problems) == 2
    missing = f"worker c cannot run shflbench {__version__} of this client (No module named 'shflbench')"
    assert [sentence.partition(": it has another version")[0] for sentence in finder.unusable()] == [
        missing,
        "node7: no usable GPU: GPU is lost",
        "worker b on node7 offers no GPU",
        "the workers on node7 have no threads for 1 of its GPUs: each needs two, --nthreads",
    ]
    for worker in ("a", "b", "d"):
        del fake.machines[worker]
    assert finder.open_new() == ([], [])
    assert len(finder.unusable()) == 1
    fake.failures.clear()
    del fake.machines["c"]
    assert finder.open_new() == ([], [])
    fake.machines["c"] = {"0": "v"}  # started again, with the package
    assert used(finder) == {("c", "v")}


def test_processes_of_all_devices_end_if_an_error_ends_the_run() -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {"0": "y"}})
    finder = finder_of(fake)
    with finder.closed_on_error():
        finder.open_new()
    assert fake.closed == []
    with pytest.raises(KeyboardInterrupt), finder.closed_on_error():
        raise KeyboardInterrupt
    assert sorted(fake.closed) == [("a", "0"), ("b", "0")]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TypeError("describe_worker() takes 0 positional arguments but 1 was given"), "it has another version or none"),
        (OSError(28, "No space left on device"), "worker b failed: OSError: [Errno 28] No space left on device"),
    ],
)
def test_worker_that_cannot_say_what_it_offers_is_refused_and_the_others_are_used(
    error: Exception, reason: str
) -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {"0": "y"}}, failures={"b": error})
    finder = finder_of(fake)
    devices, (problem,) = finder.open_new()
    assert [device.worker for device in devices] == ["a"]
    assert reason in problem
    assert str(error) in problem
    assert finder.unusable() == [problem]
    assert finder.open_new() == ([], [])


@pytest.mark.parametrize("function", [describe, device_process.open_device])
def test_worker_that_does_not_answer_is_refused_and_another_one_opens_its_devices(function: Callable[..., Any]) -> None:
    machines = {"a": {"0": "x", "1": "y"}, "b": {"2": "z"}}
    fake = FakeCluster(machines, threads_per_worker=4, hung={("a", function)})
    finder = finder_of(fake, seconds=0.2)
    devices, (problem,) = finder.open_new()
    assert [device.worker for device in devices] == ["b"]
    assert problem.startswith("worker a did not answer within")
    assert finder.unusable()[0] == problem
    fake.machines["c"] = {"0": "x", "1": "y"}
    assert used(finder) == {("c", "x"), ("c", "y")}
    assert not finder.open_new()[0]
    (lost,) = devices
    del fake.machines["b"]
    fake.machines["a"] = {"2": "z"}
    assert finder.find_again(lost) is None


def test_error_of_the_scheduler_is_not_attributed_to_its_workers() -> None:
    finder = finder_of(FakeCluster({"a": {"0": "x"}}, failures={"a": MissingError("the scheduler cannot read")}))
    with pytest.raises(MissingError, match="the scheduler cannot read"):
        finder.open_new()


@pytest.mark.parametrize("is_uuid_known", [True, False])
def test_worker_that_was_given_up_is_used_when_it_starts_again_at_its_address(*, is_uuid_known: bool) -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {"0": "y"}}, is_uuid_known)
    finder = finder_of(fake, seconds=0.2)
    (lost,) = (device for device in finder.open_new()[0] if device.worker == "a")
    del fake.machines["a"]
    assert finder.find_again(lost) is None
    finder.release(lost)
    assert used(finder) == set()
    fake.machines["a"] = {"0": "z"}  # with another GPU
    assert used(finder) == {("a", "z")}


def test_worker_that_starts_again_at_its_address_is_asked_again_what_it_offers() -> None:
    fake = FakeCluster({"a": {"0": "x"}, "b": {}})
    finder = finder_of(fake)
    assert used(finder) == {("a", "x")}
    del fake.machines["b"]
    assert used(finder) == set()
    fake.machines["b"] = {"0": "y"}
    assert used(finder) == {("b", "y")}


def test_lost_device_is_found_beside_one_that_cannot_be_opened() -> None:
    fake = FakeCluster({"a": {"0": "x"}}, is_uuid_known=False, broken={"w"})
    finder = finder_of(fake)
    (lost,) = finder.open_new()[0]
    del fake.machines["a"]
    fake.machines["b"] = {"0": "w", "1": "x"}
    again = finder.find_again(lost)
    assert again
    assert (again.worker, again.place.argument) == ("b", "1")


def test_worker_that_does_not_answer_delays_the_search_for_a_lost_device_once() -> None:
    fake = FakeCluster({"a": {"0": "x"}}, is_uuid_known=False, hung={("b", device_process.open_device)})
    finder = finder_of(fake, seconds=0.2)
    (lost,) = finder.open_new()[0]
    del fake.machines["a"]
    fake.machines["b"] = {"0": "w", "1": "x"}
    assert finder.find_again(lost) is None
    assert fake.unanswered == 1


def test_device_in_use_is_not_opened_again_when_its_worker_was_not_seen_for_a_moment() -> None:
    fake = FakeCluster({"a": {"0": "x"}}, is_uuid_known=False, threads_per_worker=4)
    finder = finder_of(fake)
    assert used(finder) == {("a", "x")}
    offered, fake.machines = fake.machines, {}
    assert used(finder) == set()
    fake.machines = offered
    assert used(finder) == set()
    assert fake.opened == [("a", "0")]
