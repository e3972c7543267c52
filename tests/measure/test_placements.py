from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from shflbench.analysis.compare.estimates import fastest_half
from shflbench.cuda.backends.base import KernelCall, OpenKernel
from shflbench.errors import LaunchError
from shflbench.measure.events import BurstTaken, JobEvent, RoundDone
from shflbench.measure.job_runner import JobRunner
from shflbench.measure.placements import MOST_PLACED_BYTES, count_places, open_again
from shflbench.measure.prepare import Group
from shflbench.measure.sampler import SampledKernel, Sampler
from shflbench.measure.sentinels.table import SENTINELS
from shflbench.measure.workload import call_of
from tests import cases
from tests.fakes.backend import FakeBackend, FakePatternKernel, Script
from tests.measure.prepared import AT_ONCE, NEIGHBOR, compiled, job, tasks, workload

H200_BYTES, GIB = 141 * 2**30, 2**30
MOST = 9  # places
SHFL = "neighbor/shfl/f32/2x64/4096/mode=idx"


def call() -> KernelCall:
    return call_of(NEIGHBOR, cases.case(variant="shfl"), compiled(), workload().setting)


class FullDevice(FakeBackend):
    """A device with memory for two openings of a kernel."""

    def open(self, call: KernelCall, place: int = 0) -> OpenKernel:
        if len(self.held) == 2:
            raise LaunchError("out of device memory")
        return super().open(call, place)


@pytest.mark.parametrize(
    ("nbytes", "memory", "places"),
    [
        (1024, H200_BYTES, MOST),
        (0, H200_BYTES, MOST),
        (2**24, H200_BYTES, MOST),
        (2**25, H200_BYTES, 3),  # not eight, because all kernels use the same place in round r + 9 as in round r
        (MOST_PLACED_BYTES, H200_BYTES, 1),
        (2 * GIB, H200_BYTES, 1),
        (2**24, 8 * GIB, 3),  # a smaller GPU holds dozens of kernels, too
        (2**26, 8 * GIB, 1),
        (1024, 8 * GIB, 3),  # and has no room for nine contexts
        (1024, 4 * GIB, 1),
    ],
)
def test_small_kernels_are_opened_at_nine_places_and_large_ones_once(nbytes: int, memory: int, places: int) -> None:
    assert count_places(MOST, nbytes, memory) == places
    assert count_places(1, nbytes, memory) == 1


def test_each_place_but_the_first_is_filled_once() -> None:
    device = FakeBackend()
    filled: list[OpenKernel] = []
    first = device.open(call())
    places = open_again(device, call(), first, MOST, filled.append)
    assert places[0] is first
    assert len(set(map(id, places))) == MOST
    assert filled == list(places[1:])


def test_device_that_is_full_gives_one_place() -> None:
    device = FullDevice()
    first = device.open(call())
    assert open_again(device, call(), first, MOST) == (first,)
    assert device.held == [first]


def test_places_are_closed_if_one_cannot_be_filled() -> None:
    device = FakeBackend()
    first = device.open(call())

    def crash(_: OpenKernel) -> None:
        raise LaunchError("illegal address")

    with pytest.raises(LaunchError, match="illegal address"):
        open_again(device, call(), first, MOST, crash)
    assert device.held == [first]


def test_buffers_at_all_places_are_as_verification_left_them() -> None:
    device = FakeBackend()
    steps = Group(tasks("shfl"), NEIGHBOR, device, 1, MOST).prepare()
    assert list(steps)
    runs = [kernel.last_run for kernel in device.held if isinstance(kernel, FakePatternKernel)]
    assert len(runs) == MOST
    assert runs[0] is not None
    inputs, iterations = runs[0]
    assert all(run and run[0] is inputs and run[1] == iterations for run in runs)


def rounds_of(places_us: Sequence[float], count: int = MOST) -> list[RoundDone]:
    device = FakeBackend({"shfl": Script(base_us=50.0, ns_per_iteration=1.0, places_us=places_us)})
    same = call()
    places = tuple(device.open(same) for _ in range(count))
    kernel = SampledKernel.of(cases.case(variant="shfl"), places, NEIGHBOR.declaration.unroll)
    events = Sampler(device, [kernel], [], AT_ONCE, Random(1)).rounds(0, 5, 0.0)  # noqa: S311
    return [event for event in events if isinstance(event, RoundDone)]


def test_each_round_times_another_place_and_all_its_bursts_the_same_one() -> None:
    seen: list[int] = []
    for taken in rounds_of(range(MOST))[:MOST]:
        added = {round(min(burst.times_us) - 50.0 - burst.iterations / 1000) for burst in taken.bursts}
        assert len(added) == 1
        seen += added
    assert seen == [5, 6, 7, 8, 0, 1, 2, 3, 4]  # µs: round 5 is the first


def samples(events: Sequence[JobEvent]) -> list[BurstTaken]:
    bursts = (burst for event in events if isinstance(event, RoundDone) for burst in event.bursts)
    return [burst for burst in bursts if (burst.case_id, burst.iterations) == (SHFL, 4096)]


@pytest.mark.archs
def test_processes_agree_better_with_several_places() -> None:
    def deviation(places: int) -> float:
        """Return the standard deviation between processes whose places differ by 0.3 µs."""
        random, values = np.random.default_rng(1), []
        for _ in range(30):
            device = FakeBackend({"shfl": Script(base_us=50.0, places_us=random.normal(2.0, 0.3, MOST).tolist())})
            bursts = samples(list(JobRunner(device).do(job(tasks("shfl"), rules=replace(AT_ONCE, places=places)))))
            values.append(fastest_half(np.concatenate([burst.times_us for burst in bursts])))
        return float(np.std(values, ddof=1))

    assert deviation(1) == pytest.approx(0.3, rel=0.3)
    assert deviation(MOST) < 0.5 * deviation(1)


def test_sentinels_are_opened_at_as_many_places_as_the_suite_asks_for() -> None:
    for places in (1, 3):
        device = FakeBackend()
        list(JobRunner(device).do(job(tasks("shfl"), rules=replace(AT_ONCE, places=places))))
        held = {kernel.name: kernel.place + 1 for kernel in device.held}
        assert held == {sentinel.symbol: places for sentinel in SENTINELS}
