"""The interface between the stages that verify and time, and the backends that run kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shflbench.core.dimensions import NO_CLUSTER, Dims, LaunchDims
from shflbench.core.symbols import plain_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import Conditions, Device, Kernel

Array = NDArray[np.generic]

POISON = 0xA5  # the value of each byte of an output before the kernel writes it
OTHER_POISON = 0x3C  # another one: results that depend on it differ; a small number in each floating-point type
# Likewise of a buffer that one kernel of a call writes for a later one, in turn: results that depend on elements which
# nothing wrote differ between two launches. As a floating-point number the first is large.
INTERMEDIATE_POISONS = (0x4B, POISON)


@dataclass(frozen=True, slots=True)
class Buffer:
    """One array argument of a kernel."""

    name: str
    elements: int  # of `dtype`
    dtype: str  # NumPy's name
    read: bool = False  # filled with an input before the launch
    written: bool = False  # by the kernel, so that it is overwritten before
    compared: bool = True  # whether what is written is an output, and not only for a later launch of the call
    initial: int | None = None  # the value of an output before the launch; None: arbitrary bytes
    restored: bool = False  # whether each timed launch finds the input in it, which the launch before has changed
    variable: str = ""  # the `__device__` or `__constant__` variable that it is, as PTX names it; empty: an argument

    @property
    def is_output(self) -> bool:
        """Whether its contents after a launch are a result."""
        return self.written and self.compared

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return self.elements * np.dtype(self.dtype).itemsize

    def poison(self, run: int = 0, fill: int = POISON) -> int:
        """Return each byte of what is written before the launch, unless that has an initial value."""
        return fill if self.compared else INTERMEDIATE_POISONS[run % len(INTERMEDIATE_POISONS)]

    def before(self, run: int = 0, fill: int = POISON) -> Array:
        """Return the contents of what is written before the launch; `run` counts the launches of a call."""
        if self.initial is None:
            return np.full(self.nbytes, self.poison(run, fill), np.uint8).view(self.dtype)
        return np.full(self.elements, self.initial).astype(self.dtype)


@dataclass(frozen=True, slots=True)
class BufferPointer:
    """An argument of a kernel that points into a buffer."""

    buffer: str  # its name
    byte: int  # behind its start


@dataclass(frozen=True, slots=True)
class StructureBytes:
    """An argument of a kernel that is a structure, with pointers into buffers at some of its bytes."""

    data: bytes  # those of pointers are 0
    pointers: tuple[tuple[int, BufferPointer], ...]  # by their first byte


# A buffer, or `iterations`, by name; a pointer; a number or a structure by value.
PassedArgument: TypeAlias = str | BufferPointer | StructureBytes | np.generic


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """One launch of a call, over its buffers."""

    kernel: Kernel = field(repr=False)
    dims: LaunchDims
    shared_bytes: int  # dynamic shared memory per block
    arguments: tuple[PassedArgument, ...]  # in its order
    programmatic: bool = False  # whether it may begin before the launch before it has ended
    cluster: Dims = NO_CLUSTER  # blocks of a cluster, where the kernel does not declare them
    cooperative: bool = False  # whether all of its blocks have to be resident at once


@dataclass(frozen=True, slots=True)
class KernelCall:
    """One kernel at one launch shape, with its arguments, and the kernels that are launched after it."""

    kernel: Kernel = field(repr=False)
    grid: int
    block: int
    shared_bytes: int  # dynamic shared memory per block
    buffers: tuple[Buffer, ...]
    arguments: tuple[PassedArgument, ...]  # in its order
    carveout: int | None = None  # percentage of on-chip memory used as shared memory; None: the driver decides
    cold: bool = False  # whether the L2 cache holds none of the buffers before each timed launch
    dims: LaunchDims | None = None  # of grid and block; None: along x
    emulated_work: float = math.inf  # instructions that the emulator may take for a launch; beyond, BudgetError
    later: tuple[KernelLaunch, ...] = ()  # which are part of each launch of this call
    cluster: Dims = NO_CLUSTER  # blocks of a cluster, where the kernel does not declare them
    cooperative: bool = False  # whether all blocks of its first kernel have to be resident at once
    graph: bool = False  # whether its launches are those of one CUDA graph

    @property
    def name(self) -> str:
        """The names of its kernels."""
        return "+".join(plain_name(launch.kernel.symbol) for launch in self.launches)

    @property
    def launches(self) -> tuple[KernelLaunch, ...]:
        """Its launches, in order."""
        dims = self.dims or LaunchDims((self.grid, 1, 1), (self.block, 1, 1))
        first = KernelLaunch(
            self.kernel,
            dims,
            self.shared_bytes,
            self.arguments,
            cluster=self.cluster,
            cooperative=self.cooperative,
        )
        return (first, *self.later)

    @property
    def inputs(self) -> tuple[Buffer, ...]:
        """The buffers that are filled before a launch."""
        return tuple(buffer for buffer in self.buffers if buffer.read)

    @property
    def outputs(self) -> tuple[Buffer, ...]:
        """The buffers that are returned."""
        return tuple(buffer for buffer in self.buffers if buffer.is_output)

    @property
    def written(self) -> tuple[Buffer, ...]:
        """The buffers that are overwritten before a launch."""
        return tuple(buffer for buffer in self.buffers if buffer.written)

    @property
    def restored(self) -> tuple[Buffer, ...]:
        """The buffers whose inputs are copied back before each timed launch."""
        return tuple(buffer for buffer in self.buffers if buffer.restored)


@dataclass(frozen=True, slots=True)
class Burst:
    """Consecutive samples: the time per launch of each, and the SM clock over all of them."""

    times_us: tuple[float, ...]
    sm_clock_mhz: float | None
    host_bound: bool = False  # the device waited for the host, so some times include the host's: not to be used


class OpenKernel(Protocol):
    """A loaded kernel with device buffers, ready to launch."""

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        """Launch once and return the outputs, flat; each of their bytes is `fill` before.

        Variables of the device that are buffers are set. LaunchError if the kernel crashes.
        """
        ...

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        """Launch once as `run`, but find outputs and variables as the launch before left them, as timed launches do."""
        ...

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        """Take `samples`, each of `launches` launches, after one launch that is not timed.

        Launches follow one another immediately, unless each needs an empty cache. Times are per launch. The buffers
        start as the last `run` left them. LaunchError if the kernel crashes.
        """
        ...

    def close(self) -> None:
        """Release the buffers."""
        ...


class Backend(Protocol):
    """Runs kernels on one device."""

    name: str  # the value of the column `backend`
    timed: bool  # whether its bursts are measurements
    device: Device
    most_threads: int | None  # larger launches are verified with fewer blocks; None: every launch as it is
    problem: str  # what the device does not do, a sentence; empty if nothing

    def open(self, call: KernelCall, place: int = 0) -> OpenKernel:
        """Load a kernel and allocate its buffers; LaunchError if it does not fit the device.

        Each `place` of a GPU is another CUDA context, which is created when it is first used.
        """
        ...

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        """Return how many blocks are resident on an SM at once; 0 if the launch does not fit."""
        ...

    def free_bytes(self) -> int:
        """Return how much device memory can be allocated now."""
        ...

    def usable(self) -> bool:
        """Whether kernels can still run: a crash may have destroyed the context of the device."""
        ...

    def now(self) -> float:
        """Return the seconds of the monotonic clock that limits sampling."""
        ...

    def conditions(self) -> Conditions:
        """Return the current clock, temperature, power and throttle reasons."""
        ...

    def keep_busy(self, milliseconds: float) -> float | None:
        """Keep the whole device busy and return its SM clock in MHz meanwhile."""
        ...
