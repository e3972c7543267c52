"""What the stages that verify and time ask of whoever runs the kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.model import Conditions, Device, Kernel

Array = NDArray[np.generic]

POISON = 0xA5  # the bytes of an output that a kernel has not written


@dataclass(frozen=True, slots=True)
class Buffer:
    """One array that a kernel is given."""

    name: str
    elements: int  # of `dtype`
    dtype: str  # NumPy's name
    read: bool = False  # filled with an input before the launch
    written: bool = False  # an output
    initial: int | None = None  # what an output that is not read holds before; None: arbitrary bytes

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return self.elements * np.dtype(self.dtype).itemsize

    def before(self) -> Array:
        """Return what an output holds before the launch."""
        if self.initial is None:
            return np.full(self.nbytes, POISON, np.uint8).view(self.dtype)
        return np.full(self.elements, self.initial).astype(self.dtype)


@dataclass(frozen=True, slots=True)
class KernelCall:
    """One kernel at one launch shape, with what it is given."""

    kernel: Kernel = field(repr=False)
    grid: int
    block: int
    shared_bytes: int  # dynamic shared memory a block
    buffers: tuple[Buffer, ...]
    arguments: tuple[str | np.generic, ...]  # in the kernel's order: buffers by name, `iterations`, numbers
    carveout: int | None = None  # per cent of the on-chip memory to be shared memory; None: the driver decides
    cold: bool = False  # whether each timed launch finds none of its buffers in the L2 cache

    @property
    def inputs(self) -> tuple[Buffer, ...]:
        """The buffers that are filled before a launch."""
        return tuple(buffer for buffer in self.buffers if buffer.read)

    @property
    def outputs(self) -> tuple[Buffer, ...]:
        """The buffers that are handed back."""
        return tuple(buffer for buffer in self.buffers if buffer.written)


@dataclass(frozen=True, slots=True)
class Burst:
    """A few samples back to back: the time of one launch in each, and the SM clock over all of them."""

    times_us: tuple[float, ...]
    sm_clock_mhz: float | None
    host_bound: bool = False  # the host fell behind the device, and some times hold the host's own: not to be used


class OpenKernel(Protocol):
    """A kernel that is loaded, with device buffers, ready to be launched."""

    def run(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        """Launch once and return the outputs, flat, which held other bytes before; LaunchError if it crashes."""
        ...

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        """Take `samples`, each of `launches` launches, after one launch that is not counted.

        They follow one another at once, unless each has to find an empty cache. The times are those of one launch. The
        buffers start as the last `run` left them. LaunchError if it crashes.
        """
        ...

    def close(self) -> None:
        """Give the buffers back."""
        ...


class Backend(Protocol):
    """Runs kernels on one device."""

    name: str  # the value of the column `backend`
    timed: bool  # whether its bursts are measurements
    device: Device
    most_threads: int | None  # larger launches are verified with fewer blocks; None: every launch as it is
    problem: str  # what it cannot find out about the device, a sentence; empty if it can

    def open(self, call: KernelCall) -> OpenKernel:
        """Load a kernel and allocate its buffers; LaunchError if it does not fit the device."""
        ...

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        """Return how many blocks an SM holds at once; 0 if the launch does not fit."""
        ...

    def free_bytes(self) -> int:
        """Return how much device memory can be allocated now."""
        ...

    def usable(self) -> bool:
        """Whether kernels can still be run: a crashed one may have taken the device's context along."""
        ...

    def now(self) -> float:
        """Return the seconds of the clock that sampling goes by; it never jumps."""
        ...

    def conditions(self) -> Conditions:
        """Return clock, temperature, power and throttle reasons as they are now."""
        ...

    def keep_busy(self, milliseconds: float) -> float | None:
        """Keep the whole device busy and return its SM clock in MHz meanwhile."""
        ...
