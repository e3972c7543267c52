"""Simulated devices that a Dask worker can drive: the events of a recorded run, at the speed of each device.

A device replays the rounds that one process of `results/gtc2013/nvidia-h200` took, sentinels included, each time
multiplied by a factor of the device. The factors are those of recorded processes and GPUs (see `fleet_devices`). No
kernel is run.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from benchmarks.compare_power.batch import load
from benchmarks.fleet_devices import Recorded
from shflbench.measure.events import BurstTaken, CaseFailed, Converged, GridResolved, Opened, RoundDone, Verified
from shflbench.model import Conditions, Device, DeviceState, Proof, Status, is_sentinel
from shflbench.store import read_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Floats
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job
    from shflbench.measure.supervisor import WorkerDevice
    from shflbench.store import Row

ROOT = Path(__file__).parents[1]
RECORDED_RUN = ROOT / "results" / "gtc2013" / "nvidia-h200"
RECORDED_NOISE = ROOT / "tests" / "data" / "compare"
SLOWER = 0.03
FEWEST_PLANTED = 10  # of fewer devices, six of which have a fault, too few could be compared
SEED = 17
TICK_US = 0.032  # step of the timer of an H200
LOG = "FLEET_CLUSTER_LOG"  # environment variable: the file that gets a line per job
PLANTS = "FLEET_CLUSTER_PLANTS"  # environment variable: what is planted in each device, as JSON
TURN = Lock()  # of the devices of a process: hundreds of threads that want the interpreter use all cores by waiting
PACE = "FLEET_CLUSTER_PACE"  # environment variable: seconds that each case of a window takes


class Plant(StrEnum):
    """What is planted in a simulated device."""

    SOUND = "sound"
    SLOW = "3% slower"
    WRONG = "a wrong result"
    KILLED = "its worker is killed; another one takes its place"
    HUNG = "its worker hangs and does not come back"
    LATE = "joins late"


def plants(count: int) -> list[Plant]:
    """Return what is planted in each of `count` devices, by index: 2% are slower, 1% of each other kind.

    Fewer than ten devices are sound; with ten or more, there is at least one of each kind.
    """
    if count < FEWEST_PLANTED:
        return [Plant.SOUND] * count
    few = max(1, count // 100)
    planted = [Plant.SLOW] * max(1, count // 50) + [
        kind for kind in (Plant.WRONG, Plant.KILLED, Plant.HUNG, Plant.LATE) for _ in range(few)
    ]
    return [Plant.SOUND] * (count - len(planted)) + planted


def uuid_of(index: int) -> str:
    """Return the UUID of a simulated device."""
    return f"GPU-simulated-{index:04}"


def index_of(uuid: str) -> int:
    """Return the index of the simulated device with this UUID."""
    return int(uuid.rpartition("-")[2])


def device_of(index: int) -> Device:
    """Return a simulated device as its driver would describe it."""
    recorded = _recording().device
    return replace(recorded, uuid=uuid_of(index), index=index, name="simulated H200", state=DeviceState())


@dataclass(frozen=True)
class _Recording:
    """The rounds of one recorded process."""

    device: Device
    rows: Mapping[str, Row]
    bursts: Mapping[str, Sequence[tuple[BurstTaken, ...]]]  # by case or sentinel, then by round


@cache
def _recording() -> _Recording:
    run = read_run(RECORDED_RUN)
    table = pd.read_csv(RECORDED_RUN / "samples.csv.gz")  # in a tenth of the time that `store.samples.read` takes
    first = table[table["process"] == 0]
    keys = zip(first["case_id"], first["round"], first["iterations"], strict=True)
    values = zip(first["launches"], first["seconds"], first["sm_clock_mhz"], first["dropped"], strict=True)
    taken: dict[str, dict[int, dict[int, BurstTaken]]] = defaultdict(lambda: defaultdict(dict))
    times: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for key, (launches, seconds, clock_mhz, dropped), time_us in zip(keys, values, first["time_us"], strict=True):
        name, number, iterations = key
        times[key].append(time_us)
        if iterations not in taken[name][number]:
            taken[name][number][iterations] = BurstTaken(
                name, iterations, launches, seconds, (), clock_mhz, bool(dropped)
            )
    bursts = {
        name: [
            tuple(replace(burst, times_us=tuple(times[name, number, burst.iterations])) for burst in in_round.values())
            for number, in_round in rounds.items()
        ]
        for name, rounds in taken.items()
    }
    assert run.info.device is not None  # noqa: S101  (it was measured on a GPU)
    return _Recording(run.info.device, {row.case_id: row for row in run.rows}, bursts)


@cache
def _noise() -> Recorded:
    return Recorded.of(load(sorted(RECORDED_NOISE.glob("*.npz"))))


def read_recordings() -> None:
    """Read what all devices of this process replay, before its threads would do it at the same time."""
    _recording()
    _noise()


class SimulatedSupervisor:
    """Takes the place of the `Supervisor` of a Dask worker: no process, no GPU, and the events of the recording."""

    def __init__(self, worker_device: WorkerDevice) -> None:
        """Simulate the device whose index is the argument."""
        self._index = int(worker_device.argument)
        self._plant = Plant(json.loads(os.environ[PLANTS])[self._index])
        self._number, self._round, self._is_open = -1, 0, False
        self._factors = self._draw()
        self.pids: set[int] = set()

    def _draw(self) -> Floats:
        """Return the factor of each case and sentinel of the recorded noise, on this device."""
        noise, random = _noise(), np.random.default_rng((SEED, self._index))
        process = int(random.integers(len(noise.ratios)))
        weights = random.standard_normal(len(noise.devices)) / np.sqrt(len(noise.devices) - 1)
        factors: Floats = noise.ratios[process] * np.exp(weights @ noise.devices)
        return factors * (1 + SLOWER if self._plant is Plant.SLOW else 1)

    def open(self) -> Opened:
        """Describe the device."""
        self._start()
        return Opened("cuda", device_of(self._index), "")

    def _start(self) -> None:
        if not self._is_open:
            self._number, self._round, self._is_open = self._number + 1, 0, True

    def stop(self) -> None:
        """Do nothing: a simulated job ends by itself."""

    def close(self) -> None:
        """End the simulated process: the next job has another process number."""
        self._is_open = False

    def run(self, job: Job) -> Iterator[JobEvent]:
        """Yield the recorded events of the cases, and take the time that `PACE` says."""
        self._start()
        began = time.time()
        cases = [task.case.id for tasks in job.groups for task in tasks]
        time.sleep(float(os.environ.get(PACE, "0")) * len(cases))
        with TURN:
            yield from self._measure(_recording(), cases)
        _write(f"{self._index} {began:.6f} {time.time():.6f}")

    def _measure(self, recording: _Recording, cases: Sequence[str]) -> Iterator[JobEvent]:
        """Yield the events of these cases."""
        failed = self._wrong(cases)
        for case_id in cases:
            yield GridResolved(case_id, recording.rows[case_id].grid, None)
            if case_id == failed:
                yield CaseFailed(case_id, Status.INCORRECT, "a value is wrong")
            else:
                yield Verified(case_id, Proof(8, 8, (1, 51), recording.rows[case_id].launch))
        yield from self._rounds(recording, [case_id for case_id in cases if case_id != failed])

    def _wrong(self, cases: Sequence[str]) -> str:
        """Return the case whose result is wrong, empty if none is: always the same one of the recording."""
        pattern = cases[0].partition("/")[0]
        ids = [row.case_id for row in _recording().rows.values() if row.pattern == pattern]
        chosen = ids[(7 * self._index) % len(ids)]
        return chosen if self._plant is Plant.WRONG and chosen in cases else ""

    def _rounds(self, recording: _Recording, cases: Sequence[str]) -> Iterator[JobEvent]:
        sentinels = [name for name in recording.bursts if is_sentinel(name)]
        last = max((len(recording.bursts[case_id]) for case_id in cases), default=0)
        for number in range(last):
            present = [name for name in (*cases, *sentinels) if number < len(recording.bursts[name])]
            bursts = tuple(self._scaled(burst) for name in present for burst in recording.bursts[name][number])
            conditions = Conditions(sm_clock_mhz=1980, temperature_c=45, power_w=300.0)
            yield RoundDone(self._number, self._round, bursts, conditions)
            self._round += 1
            for case_id in cases:
                if number + 1 == len(recording.bursts[case_id]):
                    yield Converged(case_id, "precision")

    def _scaled(self, burst: BurstTaken) -> BurstTaken:
        factor = self._factors[_place(burst.case_id)] / TICK_US
        times = tuple(round(round(time_us * factor) * TICK_US, 3) for time_us in burst.times_us)
        return replace(burst, times_us=times)


@cache
def _place(case_id: str) -> int:
    """Return the place in the recorded noise whose factor applies: of the sentinel, or of the case closest in time."""
    noise = _noise()
    if is_sentinel(case_id):
        return len(noise.cases) + noise.sentinels.index(case_id)
    time_us = _recording().rows[case_id].time_us or 1.0
    return int(np.abs(np.log(noise.times_us[: len(noise.cases)] / time_us)).argmin())


def _write(line: str) -> None:
    """Append a line to the log of all devices, in one write: several processes share the file."""
    if path := os.environ.get(LOG):
        with Path(path).open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")
