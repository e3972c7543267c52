"""A device whose kernels compute, crash and take their time as a script says.

    device = FakeBackend({"shfl": Script(ns_per_iteration=16.0), "reduce/smem": Script(fault=one_lane(in_trip(2)))})
    plug_in(monkeypatch, device)          # `shflbench run` now finds this GPU and no other
    shflbench("run", "quick")

Results come from the pattern's own NumPy reference at its default options, so that what verification finds
wrong is the planted fault alone. The same script gives the same numbers, bit for bit.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.backends.base import Burst
from shflbench.cli.gpus import Gpu
from shflbench.compile.source import expression
from shflbench.model import DTYPES, WARP, Conditions, Device
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import builtin, load
from tests.fakes.clock import Clock
from tests.fakes.runs import H200 as DESCRIBED
from tests.fakes.runs import TICK_US

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    import pytest

    from shflbench.backends.base import Array, KernelCall
    from shflbench.model import Kernel
    from shflbench.patterns.discover import LoadedPattern

    Trips = Callable[[int, int], Collection[int]]  # (iterations, unroll) → trips that go wrong, from 0

CLOCK_MHZ = 2000.0  # a cycle takes half a nanosecond
H200 = replace(DESCRIBED, threads_per_sm=2048)
CALM = Conditions(sm_clock_mhz=2000, temperature_c=40, power_w=250.0)
HOT = Conditions(sm_clock_mhz=1400, temperature_c=88, power_w=700.0, throttle=("hardware thermal slowdown",))


def in_trip(number: int) -> Trips:
    """Return trip `number` alone, from 0."""
    return lambda iterations, _: range(number, min(number + 1, iterations))


def after_first_trip(iterations: int, _: int) -> Collection[int]:
    """Return the second trip and all later ones."""
    return range(1, iterations)


def unrolled_body(iterations: int, unroll: int) -> Collection[int]:
    """Return the trips of whole passes through the unrolled loop."""
    return range(iterations // unroll * unroll)


@dataclass(frozen=True)
class Fault:
    """In these trips one lane of one warp ends with its neighbour's value, or nothing happens in any lane."""

    trips: Trips
    runs: int | None = None  # only in the first so many launches; None: in every one
    lost: bool = False  # the trips do nothing


def one_lane(trips: Trips, runs: int | None = None) -> Fault:
    """Return a fault of one lane."""
    return Fault(trips, runs)


def lost(trips: Trips) -> Fault:
    """Return a fault that leaves trips out."""
    return Fault(trips, lost=True)


@dataclass(frozen=True)
class Script:
    """How the kernel of one variant behaves."""

    base_us: float = 4.0
    ns_per_iteration: float = 20.0
    noise: float = 0.0  # standard deviation of a launch's time, as a fraction of it
    fault: Fault | None = None
    run_raises: Mapping[int, BaseException] = field(default_factory=dict)  # number of the launch, from 0 → raised
    burst_raises: Mapping[int, BaseException] = field(default_factory=dict)  # number of the burst, from 0 → raised
    resident_raises: BaseException | None = None
    clock_mhz: float | None = CLOCK_MHZ

    def time_us(self, iterations: int) -> float:
        """Return the time of an undisturbed launch."""
        return self.base_us + self.ns_per_iteration * iterations / 1000


class FakeBackend:
    """Stands in for `CudaBackend`; `folders` are the patterns it knows, beside the built-in ones."""

    name = "cuda"
    timed = True
    most_threads: int | None = None

    def __init__(
        self,
        scripts: Mapping[str, Script] | None = None,
        *,
        folders: Iterable[Path] = (),
        device: Device = H200,
        throttled_rounds: Collection[int] = (),
        warm_clocks: Sequence[float | None] = (CLOCK_MHZ,),
    ) -> None:
        """Behave as `scripts` say by variant (`shfl`) or by pattern and variant (`reduce/shfl`).

        NVML reports throttling in `throttled_rounds`, numbered over the whole run; the warm-up finds
        `warm_clocks`, then the last of them again and again.
        """
        self.device = device
        self.clock = Clock()
        self.throttled_rounds = throttled_rounds
        self.launched: list[tuple[str, int]] = []  # (pattern/variant, iterations) of each burst, in order
        self.opened: list[KernelCall] = []
        self._scripts = scripts or {}
        self._warm_clocks = list(warm_clocks)
        self._readings = 0
        self._kernels = {
            re.split(r"\W", expression(pattern.name, variant, DTYPES["f32"]))[0]: (pattern, variant.name)
            for pattern in map(load, [*builtin().values(), *folders])
            for variant in pattern.declaration.variants
        }

    def open(self, call: KernelCall) -> FakeKernel:
        pattern, variant = self._what(call.kernel)
        self.opened.append(call)
        return FakeKernel(self, call, pattern, f"{pattern.name}/{variant}", self._script(pattern, variant))

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        script = self._script(*self._what(kernel))
        if script.resident_raises:
            raise script.resident_raises
        shared = kernel.resources.shared_bytes + shared_bytes
        by_memory = self.device.max_shared_bytes // shared if shared else 32
        return min(by_memory, 2048 // block)

    def conditions(self) -> Conditions:
        round_number = self._readings // 2  # one reading before a round, one after it
        self._readings += 1
        return HOT if round_number in self.throttled_rounds else CALM

    def keep_busy(self, milliseconds: float) -> float | None:
        self.clock.advance(milliseconds / 1000)
        return self._warm_clocks.pop(0) if len(self._warm_clocks) > 1 else self._warm_clocks[0]

    def _what(self, kernel: Kernel) -> tuple[LoadedPattern, str]:
        length, rest = re.fullmatch(r"_Z(\d+)(\w+)", kernel.symbol).groups()  # type: ignore[union-attr]
        return self._kernels[rest[: int(length)]]

    def _script(self, pattern: LoadedPattern, variant: str) -> Script:
        return self._scripts.get(f"{pattern.name}/{variant}") or self._scripts.get(variant) or Script()


class FakeKernel:
    """Stands in for `CudaKernel`."""

    def __init__(
        self, backend: FakeBackend, call: KernelCall, pattern: LoadedPattern, name: str, script: Script
    ) -> None:
        self._backend, self._call, self._pattern, self._name, self._script = backend, call, pattern, name, script
        (numpy,) = {buffer.dtype for buffer in call.outputs}
        dtype = next(dtype for dtype in DTYPES.values() if dtype.numpy == numpy)
        self._setting = Setting(dtype, pattern.declaration.option_choices[0], call.grid, call.block)
        self._random = random.Random(f"{name} {numpy}")  # noqa: S311
        self._runs = self._bursts = 0

    def run(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        number, self._runs = self._runs, self._runs + 1
        if number in self._script.run_raises:
            raise self._script.run_raises[number]
        fault = self._script.fault
        if fault is None or (fault.runs is not None and number >= fault.runs):
            return self._right(inputs, iterations)
        return self._faulty(inputs, iterations, fault)

    def _right(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        return [array.reshape(-1) for array in self._pattern.reference(inputs, self._setting, iterations)]

    def _faulty(self, inputs: Sequence[Array], iterations: int, fault: Fault) -> list[Array]:
        """Go trip by trip, as a pattern can whose output is the next trip's input."""
        wrong = fault.trips(iterations, self._pattern.declaration.unroll)
        values = [array.copy() for array in inputs]
        for trip in range(iterations):
            if trip in wrong and fault.lost:
                continue
            values = [array.reshape(-1, WARP) for array in self._right(values, 1)]
            if trip in wrong:
                values[0][-1, 5] = values[0][-1, 6]
        return [array.reshape(-1) for array in values]

    def burst(self, iterations: int, launches: int) -> Burst:
        number, self._bursts = self._bursts, self._bursts + 1
        self._backend.launched.append((self._name, iterations))
        if number in self._script.burst_raises:
            raise self._script.burst_raises[number]
        usual = self._script.time_us(iterations)
        times = tuple(self._time_us(usual, index) for index in range(launches))
        self._backend.clock.advance((usual + sum(times)) / 1e6)  # the first launch of a burst is not counted
        return Burst(times, self._script.clock_mhz)

    def _time_us(self, usual: float, index: int) -> float:
        """Return whole ticks of the timer; launches swing by one, so that their median is the usual time."""
        disturbed = usual * (1 + self._random.gauss(0, self._script.noise))
        return (round(disturbed / TICK_US) + (0, 1, -1)[index % 3]) * TICK_US

    def close(self) -> None:
        pass


def plug_in(monkeypatch: pytest.MonkeyPatch, backend: FakeBackend) -> FakeBackend:
    """Make this a machine whose only GPU is `backend`."""
    device = backend.device
    gpu = Gpu(0, device.name, device.arch, device.memory_bytes / 2**30, device.driver, device.uuid)
    monkeypatch.setattr("shflbench.cli.gpus.find", lambda: [gpu])
    monkeypatch.setattr("shflbench.backends.cuda.CudaBackend.open_device", lambda *_: backend)
    return backend


def unplug(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this a machine with a driver and no GPU."""
    monkeypatch.setattr("shflbench.cli.gpus.find", list)
