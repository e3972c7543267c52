"""A device whose kernels compute, crash and take time as a script says.

    device = FakeBackend({"shfl": Script(base_us=9.0), "reduce/smem": Script(fault=one_lane(in_iteration(2)))})
    plug_in(monkeypatch, device)          # `shflbench run` now finds this GPU and no other
    shflbench("run", "quick")

Results come from the pattern's NumPy reference at its default options, so that verification finds only the planted
fault. The same script gives the same numbers, bit for bit.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from shflbench.core.model import DTYPES, WARP, Conditions, Device, Kernel
from shflbench.cuda.backends.base import POISON, Array, Burst, KernelCall, OpenKernel
from shflbench.cuda.compile.source import expression
from shflbench.errors import LaunchError
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import LoadedPattern, builtin, load
from tests.fakes.clock import Clock
from tests.fakes.h200 import H200 as DESCRIBED
from tests.fakes.h200 import TICK_US
from tests.fakes.noise import Noise

if TYPE_CHECKING:
    # Not needed in worker processes:
    import pytest

    from shflbench.cuda.backends.gpus import Gpu

Iterations = Callable[[int, int], Collection[int]]  # (iterations, unroll) → iterations that go wrong, from 0

SENTINEL_US, LONG_SENTINEL_US = 20.0, 400.0
LONG_BLOCK = 512  # threads of a long sentinel's block
CLOCK_MHZ = 2000.0  # a cycle takes half a nanosecond
H200 = replace(DESCRIBED, threads_per_sm=2048)
CALM = Conditions(sm_clock_mhz=2000, temperature_c=40, power_w=250.0)
HOT = Conditions(sm_clock_mhz=1400, temperature_c=88, power_w=700.0, throttle=("hardware thermal slowdown",))


class ContextLostError(LaunchError):
    """A launch that destroys the context of the device: no kernel runs afterwards."""


def in_iteration(number: int) -> Iterations:
    """Return only iteration `number`, from 0."""
    return lambda iterations, _: range(number, min(number + 1, iterations))


def after_first_iteration(iterations: int, _: int) -> Collection[int]:
    """Return the second iteration and all later ones."""
    return range(1, iterations)


def unrolled_body(iterations: int, unroll: int) -> Collection[int]:
    """Return the iterations of whole passes through the unrolled loop."""
    return range(iterations // unroll * unroll)


@dataclass(frozen=True)
class Fault:
    """In these iterations one lane of one warp gets its neighbor's value, or nothing happens in any lane."""

    iterations: Iterations
    runs: int | None = None  # number of launches, from the first on, that have the fault; None: all
    lost: bool = False  # the iterations do nothing


def one_lane(iterations: Iterations, runs: int | None = None) -> Fault:
    """Return a fault of one lane."""
    return Fault(iterations, runs)


def lost(iterations: Iterations) -> Fault:
    """Return a fault that leaves iterations out."""
    return Fault(iterations, lost=True)


@dataclass(frozen=True)
class Script:
    """The behavior of the kernel of one variant."""

    base_us: float = 4.0
    ns_per_iteration: float = 20.0
    noise: float | Noise = (
        0.0  # standard deviation of a launch's time, as a fraction of it; or a full model of the noise
    )
    offsets_us: Sequence[float] = ()  # added to every launch, by process
    places_us: Sequence[float] = ()  # added to every launch, by how often the kernel was opened before, in turn
    fault: Fault | None = None
    run_raises: Mapping[int, BaseException] = field(default_factory=dict)  # number of the launch, from 0 → raised
    burst_raises: Mapping[int, BaseException] = field(default_factory=dict)  # number of the burst, from 0 → raised
    host_bound: Collection[int] = ()  # numbers of the bursts in which the host falls behind
    open_raises: BaseException | None = None
    resident_raises: BaseException | None = None
    clock_mhz: float | None = CLOCK_MHZ

    def time_us(self, iterations: int, process: int = 0) -> float:
        """Return the time of an undisturbed launch."""
        offset = self.offsets_us[process] if self.offsets_us else 0.0
        return self.base_us + offset + self.ns_per_iteration * iterations / 1000


class FakeBackend:
    """Replaces `CudaBackend`; `folders` are patterns that it knows in addition to the built-in ones."""

    name = "cuda"
    timed = True
    most_threads: int | None = None
    problem = ""

    def __init__(
        self,
        scripts: Mapping[str, Script] | None = None,
        *,
        folders: Iterable[Path] = (),
        device: Device = H200,
        throttled_rounds: Collection[int] = (),
        warm_clocks: Sequence[float | None] = (CLOCK_MHZ,),
        noise: Noise | None = None,
    ) -> None:
        """Behave as `scripts` say, by variant (`shfl`), by pattern and variant (`reduce/shfl`), or by symbol.

        NVML reports throttling in `throttled_rounds`, numbered over the whole run. The warm-up reads `warm_clocks`,
        then the last of them repeatedly. `noise` applies to scripts without noise.
        """
        self.device = device
        self.clock = Clock()
        self.throttled_rounds = throttled_rounds
        self.launched: list[tuple[str, int]] = []  # (pattern/variant, iterations) of each burst, in order
        self.opened: list[KernelCall] = []
        self.held: list[FakeKernel] = []  # opened and not closed yet, sentinels too
        self.process = 0
        self.noise = noise
        self.broken = False
        self._scripts = scripts or {}
        self._warm_clocks = list(warm_clocks)
        self._readings = 0
        self._folders = [*builtin().values(), *folders]
        self._kernels: dict[str, tuple[LoadedPattern, str]] = {}  # those asked for, and others of the same patterns
        self._members: dict[str, tuple[LoadedPattern, str]] = {}  # of the families of these patterns

    def open(self, call: KernelCall, _place: int = 0) -> OpenKernel:
        if call.kernel.symbol.startswith("sentinel"):
            return FakeKernel(self, call, call.kernel.symbol, self._sentinel(call))
        pattern, variant = self._what(call.kernel)
        self.opened.append(call)
        return FakePatternKernel(self, call, f"{pattern.name}/{variant}", self._script(pattern, variant), pattern)

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        script = self._script(*self._what(kernel))
        if script.resident_raises:
            raise script.resident_raises
        shared = kernel.resources.shared_bytes + shared_bytes
        by_memory = self.device.max_shared_bytes // shared if shared else 32
        by_registers = 65536 // (kernel.resources.registers * block)
        return min(by_memory, by_registers, 2048 // block)

    def free_bytes(self) -> int:
        held = sum(buffer.nbytes for kernel in self.held for buffer in kernel.call.buffers)
        return self.device.memory_bytes - held

    def usable(self) -> bool:
        return not self.broken

    def restart(self) -> None:
        """Go on as a fresh process would find it."""
        self.process, self.broken = self.process + 1, False
        self.held.clear()

    def now(self) -> float:
        return self.clock()

    def conditions(self) -> Conditions:
        round_number = self._readings // 2  # one reading before a round, one after it
        self._readings += 1
        throttled = self.noise is not None and self.noise.is_throttled(self.clock())
        return HOT if throttled or round_number in self.throttled_rounds else CALM

    def keep_busy(self, milliseconds: float) -> float | None:
        self.clock.advance(milliseconds / 1000)
        return self._warm_clocks.pop(0) if len(self._warm_clocks) > 1 else self._warm_clocks[0]

    def name_of(self, kernel: Kernel) -> str:
        """Return pattern and variant that a kernel is of, e.g. `reduce/shfl`."""
        pattern, variant = self._what(kernel)
        return f"{pattern.name}/{variant}"

    def _what(self, kernel: Kernel) -> tuple[LoadedPattern, str]:
        length, rest = re.fullmatch(r"_Z(\d+)(\w+)", kernel.symbol).groups()  # type: ignore[union-attr]
        name, after = rest[: int(length)], rest[int(length) :]
        if name not in self._kernels:
            self._kernels |= {
                re.split(r"\W", expression(pattern.name, variant, DTYPES["f32"]))[0]: (pattern, variant.name)
                for pattern in map(load, (folder for folder in self._folders if _may_hold(folder, name)))
                for variant in pattern.declaration.variants
            }
            self._members |= {
                _start_of_symbol(expression(pattern.name, member.variant, DTYPES["f32"])): (
                    pattern,
                    member.variant.name,
                )
                for pattern in {pattern.name: pattern for pattern, _ in self._kernels.values()}.values()
                for member in pattern.declaration.members.values()
            }
        return self._kernels.get(name) or next(
            self._members[start] for start in self._members if f"{name}{after}".startswith(start)
        )

    def _script(self, pattern: LoadedPattern, variant: str) -> Script:
        return self._scripts.get(f"{pattern.name}/{variant}") or self._scripts.get(variant) or Script()

    def _sentinel(self, call: KernelCall) -> Script:
        usual = Script(LONG_SENTINEL_US if call.block == LONG_BLOCK else SENTINEL_US, 0.0)
        return self._scripts.get(call.kernel.symbol) or self._scripts.get("sentinel") or usual


@dataclass
class OpenedState:
    """What the places of one kernel have in common."""

    random: np.random.Generator
    bursts: Iterator[int] = field(default_factory=count)  # numbers of the next ones
    runs: Iterator[int] = field(default_factory=count)


class FakeKernel:
    """Takes the time that its script says, and computes nothing: a sentinel, whose results nobody asks for."""

    def __init__(self, backend: FakeBackend, call: KernelCall, name: str, script: Script) -> None:
        if script.open_raises:
            raise script.open_raises
        self.call, self.name = call, name
        self._backend, self._script = backend, script
        seed = zlib.crc32(f"{name} {call.buffers} {backend.process}".encode())
        again = [kernel for kernel in backend.held if kernel.call is call]
        self.state: OpenedState = again[0].state if again else OpenedState(np.random.default_rng(seed))
        self.place = len(again)
        backend.held.append(self)

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        number = next(self.state.bursts)
        if number in self._script.burst_raises:
            self._crash(self._script.burst_raises[number])
        clock, usual = self._backend.clock, self._script.time_us(iterations, self._backend.process)
        if places_us := self._script.places_us:
            usual += places_us[self.place % len(places_us)]
        clock.advance(usual / 1e6)  # the first launch is not counted
        times = []
        for index in range(samples):
            times.append(self._time_us(usual, index, launches))
            clock.advance(launches * times[-1] / 1e6)
        return Burst(tuple(times), self._script.clock_mhz, host_bound=number in self._script.host_bound)

    def _time_us(self, usual: float, index: int, launches: int) -> float:
        """Return whole ticks of the timer; samples swing by one, so that their median is the usual time."""
        own = self._script.noise or self._backend.noise or 0.0
        step = TICK_US / launches
        if isinstance(own, Noise):
            return replace(own, tick_us=step).time_us(usual, self._backend.clock(), self.state.random)
        disturbed = usual * (1 + own * self.state.random.standard_normal())
        return float((round(disturbed / step) + (0, 1, -1)[index % 3]) * step)

    def _crash(self, error: BaseException) -> NoReturn:
        self._backend.broken = isinstance(error, ContextLostError)
        raise error

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:  # noqa: ARG002  (`FakePatternKernel` needs them)
        raise AssertionError(f"{self.name} computes nothing: sentinels are only timed")

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        return self.run(inputs, iterations)

    def close(self) -> None:
        if self in self._backend.held:
            self._backend.held.remove(self)


class FakePatternKernel(FakeKernel):
    """Stands in for `CudaKernel`: computes, too."""

    def __init__(
        self, backend: FakeBackend, call: KernelCall, name: str, script: Script, pattern: LoadedPattern
    ) -> None:
        super().__init__(backend, call, name, script)
        self._pattern = pattern
        (numpy,) = {buffer.dtype for buffer in call.outputs}
        dtype = next(dtype for dtype in DTYPES.values() if dtype.numpy == numpy)
        self._setting = Setting(dtype, pattern.declaration.option_choices[0], call.grid, call.block, call.dims)
        self.last_run: tuple[Sequence[Array], int] | None = None  # inputs and iterations, which decide the buffers

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        self._backend.launched.append((self.name, iterations))
        return super().burst(iterations, samples, launches)

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:  # noqa: ARG002
        number = next(self.state.runs)
        self.last_run = inputs, iterations
        if number in self._script.run_raises:
            self._crash(self._script.run_raises[number])
        fault = self._script.fault
        if fault is None or (fault.runs is not None and number >= fault.runs):
            return self._right(inputs, iterations)
        return self._faulty(inputs, iterations, fault)

    def _right(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        return [array.reshape(-1) for array in self._pattern.reference(inputs, self._setting, iterations)]

    def _faulty(self, inputs: Sequence[Array], iterations: int, fault: Fault) -> list[Array]:
        """Compute iteration by iteration, for patterns whose output is the next input."""
        wrong = fault.iterations(iterations, self._pattern.declaration.unroll)
        values = [array.copy() for array in inputs]
        for iteration in range(iterations):
            if iteration in wrong and fault.lost:
                continue
            values = [array.reshape(-1, WARP) for array in self._right(values, 1)]
            if iteration in wrong:
                values[0][-1, 5] = values[0][-1, 6]
        return [array.reshape(-1) for array in values]


def _start_of_symbol(name: str) -> str:
    """Return how the mangled name of a member of a family begins, after its length: `sum<float, 8>` as `sumIfLi8EE`."""
    template, _, arguments = name.rstrip(">").partition("<")
    mangled = {"float": "f", "true": "Lb1E", "false": "Lb0E"}
    return f"{template}I{''.join(mangled.get(word, f'Li{word}E') for word in arguments.split(', '))}E"


def _may_hold(folder: Path, name: str) -> bool:
    """Return whether a kernel of this name can be of the pattern in `folder`: loading all of them takes a second."""
    return any(name in file.read_text(encoding="utf-8") for file in folder.glob("*.cu"))


def listed(device: Device) -> Gpu:
    """Return the device as the driver lists it."""
    from shflbench.cuda.backends.gpus import Gpu

    return Gpu(0, device.name, device.arch, device.memory_bytes / 2**30, device.driver, device.uuid)


class NoProcess:
    """Stands in for an `EarlyWorker`, and starts no process."""

    def __init__(self, *_: str) -> None: ...

    def close(self) -> None: ...


def plug_in(monkeypatch: pytest.MonkeyPatch, backend: FakeBackend) -> FakeBackend:
    """Make this a machine whose only GPU is `backend`."""
    from tests.fakes.executor import FreshProcessExecutor  # imports what starts worker processes

    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", lambda: [listed(backend.device)])
    monkeypatch.setattr("shflbench.measure.executor.GpuExecutor", lambda *_: FreshProcessExecutor(backend))
    monkeypatch.setattr("shflbench.measure.process.EarlyWorker", NoProcess)
    # The scripted times know nothing of the limits of an H200, and reading the machine code takes half a second.
    monkeypatch.setattr("shflbench.kernel_facts.stored_limits.write_limits_of", lambda *_: "")
    return backend


def unplug(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this a machine with a driver and no GPU."""
    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", list)
