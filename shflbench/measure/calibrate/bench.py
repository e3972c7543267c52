"""Time the kernels of the figures on one device, a round at a time; runs in the worker process."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Buffer, KernelCall
from shflbench.errors import LaunchError
from shflbench.measure.calibrate.compiled import CalibrationKernels
from shflbench.measure.calibrate.estimate import LengthPair, TimedLength
from shflbench.measure.calibrate.probe import FigureUnit, Formula, Place, Probe
from shflbench.patterns.declare import ITERATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.core.model import Device, Kernel
    from shflbench.cuda.backends.base import Backend, OpenKernel
    from shflbench.cuda.compile.toolchain import Toolchain

SAMPLES = 6  # per burst
LAUNCH_SAMPLES = 15  # where the launch itself is timed
PILOT_SAMPLES = 3
PILOT_PASSES = (2, 10)  # multiplied until the times differ by PILOT_US, many times the noise of a launch
PILOT_FACTOR = 8
PILOT_US = 2.0
LONG_US, INTERCEPT_US = 100.0, 32.0  # the longer of two launches; an intercept is more exact with shorter ones
INTERCEPT_STEP_US = 2.0  # longer in each opening: the same times would have the same error of the timer, half its step
RATIO = 4  # of the two lengths
MOST_PASSES = 1 << 20
LAUNCHES = (40, 8)  # of an empty kernel, between two events
WORDS = 1 << 18  # of 32 bits in the small buffer
ADDITIONS = 16  # per pass of a global atomic addition, each at words of its own
L2_SHARE = 4  # of the L2 cache: 1 / 4 is surely cached, even where each half of the GPU has a copy
L2_BYTES = 4 << 20  # where its size is unknown
DRAM_SHARE = 32  # times the L2 cache, rounded down to a power of two; a launch reads a quarter of it or all
MEMORY_SHARE = 8  # of the free memory: 1 / 8 per buffer
VECTOR_BYTES = 16


@dataclass(slots=True)
class OpenProbe:
    """An open kernel and its two numbers of passes, or of launches."""

    probe: Probe
    open_kernel: OpenKernel
    work: float  # per pass, as the figure counts it
    long: int
    short: int

    def take(self) -> LengthPair | None:
        """Time both lengths; None if the device waited for the host."""
        by_launches = self.probe.formula is Formula.PER_LAUNCH
        samples = LAUNCH_SAMPLES if self.probe.unit is FigureUnit.MICROSECONDS else SAMPLES
        lengths = []
        for number in (self.long, self.short):
            passes, launches = (1, number) if by_launches else (number, 1)
            burst = self.open_kernel.burst(passes, samples, launches)
            if burst.host_bound:
                return None
            lengths.append(TimedLength(number, median(burst.times_us) * launches, burst.sm_clock_mhz))
        return LengthPair(lengths[0], lengths[1], self.work)


@dataclass(slots=True)
class ProbeRunner:
    """The kernels of all figures on one device; each is opened when it is needed first."""

    backend: Backend
    toolchain: Toolchain
    cache_folder: Path | None
    _targets: dict[str, list[OpenProbe]] = field(default_factory=dict)
    _kernels: CalibrationKernels | None = None

    def take(self, probe: Probe) -> tuple[LengthPair, ...]:
        """Time one round of a figure: a pair for each opening of its kernels, but for those that waited for the host.

        KernelError if a kernel does not compile, does not fit the device or crashes.
        """
        if probe.name not in self._targets:
            kernels = enumerate(probe.kernels)
            self._targets[probe.name] = [self._open(replace(probe, kernel=kernel), place) for place, kernel in kernels]
        return tuple(pair for target in self._targets[probe.name] if (pair := target.take()))

    def _open(self, probe: Probe, place: int) -> OpenProbe:
        if self._kernels is None:
            self._kernels = CalibrationKernels(self.backend.device.arch, self.toolchain, self.cache_folder)
        kernel = self._kernels.of(probe)
        device = self.backend.device
        blocks = probe.blocks or max(1, self.backend.resident_blocks(kernel, probe.block, 0))
        grid = probe.cluster if probe.single else blocks * device.sms // probe.cluster * probe.cluster
        call = kernel_call(probe, kernel, device, grid, self.backend.free_bytes())
        open_kernel = self.backend.open(call)
        long, short = _lengths(probe, open_kernel, call, place)
        return OpenProbe(probe, open_kernel, work_per_pass(probe, grid, blocks), long, short)


def kernel_call(probe: Probe, kernel: Kernel, device: Device, grid: int, free_bytes: int) -> KernelCall:
    """Return the call of a probe's kernel, with buffers for the memory that it reads."""
    words = ADDITIONS * grid * probe.block if probe.kernel.startswith("atomic_global") else WORDS
    memory = Buffer("memory", words, "uint32", written=True, initial=0)
    zero = np.uint32(0)
    if probe.place is Place.SMALL:
        extra = () if probe.argument is None else (np.int32(probe.argument),)
        arguments = (memory.name, ITERATIONS) if probe.kernel == "empty" else (memory.name, ITERATIONS, zero, *extra)
        return KernelCall(kernel, grid, probe.block, 0, (memory,), arguments, cluster=(probe.cluster, 1, 1))
    is_copy = probe.kernel.startswith("copy")
    size = region_bytes(probe.place, device.state.l2_bytes, free_bytes)
    source = Buffer("words", size // 4, "uint32", written=True, initial=0)
    mask = np.uint32(size // VECTOR_BYTES - 1)
    copied = Buffer("copied", size // 4, "uint32", written=True, initial=0)
    return KernelCall(
        kernel,
        grid,
        probe.block,
        0,
        (source, copied) if is_copy else (source, memory),
        (source.name, ITERATIONS, copied.name, mask) if is_copy else (source.name, ITERATIONS, zero, mask, memory.name),
        cold=probe.place is Place.DRAM,
    )


def region_bytes(place: Place, l2_bytes: int | None, free_bytes: int) -> int:
    """Return the bytes that a kernel reads of the L2 cache or of DRAM: a power of two."""
    cache = l2_bytes or L2_BYTES
    if place is Place.L2:
        return 1 << (cache // L2_SHARE).bit_length() - 1
    return 1 << min(DRAM_SHARE * cache, max(free_bytes // MEMORY_SHARE, 1)).bit_length() - 1


def work_per_pass(probe: Probe, grid: int, blocks: int) -> float:
    """Return the requests or bytes per pass: of an SM, of the whole GPU, or of a block where the clocks are wanted."""
    if probe.formula is Formula.CLOCKS_PER_WORK:
        return probe.work
    warps = probe.block // WARP
    return probe.work * warps * (grid if probe.formula is Formula.WORK_PER_SECOND else blocks)


def _lengths(probe: Probe, open_kernel: OpenKernel, call: KernelCall, place: int) -> tuple[int, int]:
    """Return the two numbers of passes, or of launches, to time; `place` counts the openings of the figure."""
    if probe.formula is Formula.PER_LAUNCH:
        return LAUNCHES
    if probe.place is Place.DRAM:  # each word once; both lengths are several times the L2 cache
        bytes_per_pass = probe.count * VECTOR_BYTES * call.grid * call.block
        long = max(RATIO, call.buffers[0].nbytes // bytes_per_pass)
        return long, long // RATIO
    us = _pass_us(probe, open_kernel)
    wanted = INTERCEPT_US + place * INTERCEPT_STEP_US if probe.formula is Formula.INTERCEPT else LONG_US
    long = max(2 * RATIO, min(MOST_PASSES, round(wanted / us)))
    return long, long // RATIO


def _pass_us(probe: Probe, open_kernel: OpenKernel) -> float:
    """Return the rough time of a pass in µs; LaunchError if more passes take no more time."""
    few, many = PILOT_PASSES
    while True:
        times = [median(open_kernel.burst(passes, PILOT_SAMPLES).times_us) for passes in (few, many)]
        if times[1] - times[0] >= PILOT_US:
            return (times[1] - times[0]) / (many - few)
        if many > MOST_PASSES:
            raise LaunchError(f"{probe.kernel}: a longer loop takes no more time")
        few, many = PILOT_FACTOR * few, PILOT_FACTOR * many
