"""The time in which memory moves what a launch reads and writes, at the rates that a GPU was measured to reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.calibrated import DRAM_RATE, L2_RATE, PER_US
from shflbench.analysis.limits.constants import DEFAULTS, PREDICTED_ARCH
from shflbench.analysis.limits.launched import stored_bytes
from shflbench.analysis.limits.one_pass import DRAM, L2
from shflbench.core.arch.devices import peak_dram_bytes_per_us, product

if TYPE_CHECKING:
    from shflbench.analysis.limits.launched import LaunchWork
    from shflbench.core.model import Device
    from shflbench.store.calibration_file import Calibration

DRAM_READ_RATE = "dram_read_bytes_per_s"
FEW_WRITES = 0.1  # of the bytes of a launch: at fewer, memory moves them as fast as if all were read


@dataclass(frozen=True, slots=True)
class MovedBytes:
    """What global memory moves in a launch, at least, and how fast it does."""

    read_bytes: float
    written_bytes: float
    by: str  # which memory: `dram` or `l2`
    bytes_per_us: float
    l2_bytes: int
    is_measured: bool  # whether a calibration measured the rate; else it is documented

    @property
    def total_bytes(self) -> float:
        """The bytes that are read and written."""
        return self.read_bytes + self.written_bytes

    @property
    def us(self) -> float:
        """The time that they take."""
        return self.total_bytes / self.bytes_per_us


def moved_bytes(work: LaunchWork, device: Device, calibration: Calibration | None) -> MovedBytes | None:
    """Return what memory moves in a launch; None if a rate or the size of the L2 cache is not known.

    Data that the cache holds is taken to be there, as after the launch that wrote it; all other data comes from DRAM.
    """
    footprint, l2_bytes = work.counts.footprint, device.state.l2_bytes
    if l2_bytes is None:
        return None
    read, stored = footprint.read_bytes, footprint.written_bytes
    is_cached = footprint.distinct_bytes <= DEFAULTS.cached_share * l2_bytes
    if is_cached:
        stored = max(stored, stored_bytes(work))  # sector by sector
    few_writes = stored <= FEW_WRITES * (read + stored)
    measured = _measured_rate(calibration, is_cached=is_cached, few_writes=few_writes) if calibration else None
    rate = measured or _documented_rate(device, is_cached=is_cached)
    if rate is None:
        return None
    by = L2 if is_cached else DRAM
    return MovedBytes(read, stored, by, rate, l2_bytes, measured is not None)


def _measured_rate(calibration: Calibration, *, is_cached: bool, few_writes: bool) -> float | None:
    if is_cached and not few_writes and calibration.arch == PREDICTED_ARCH:
        return DEFAULTS.l2_bytes_per_us
    name = L2_RATE if is_cached else DRAM_READ_RATE if few_writes else DRAM_RATE
    rate = calibration.value(name)
    return rate * PER_US if rate else None


def _documented_rate(device: Device, *, is_cached: bool) -> float | None:
    if is_cached:
        known = product(device.name)
        figure = known.l2_bytes_per_clock if known else None
        return figure.value * device.clock_mhz if figure else None
    state = device.state
    return peak_dram_bytes_per_us(device.name, state.max_memory_clock_mhz, state.memory_bus_bits)
