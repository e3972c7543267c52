"""The blocks of a kernel that an SM executes at a time: as given by a user, recorded by a run, or as many as fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits import Residency
from shflbench.core.arch import load
from shflbench.core.arch.residency import SmCapacity, occupancy

if TYPE_CHECKING:
    from shflbench.core.arch.residency import Occupancy
    from shflbench.core.model import Device
    from shflbench.store import Row


@dataclass(frozen=True, slots=True)
class ResidentBlocks:
    """The blocks that an SM executes at a time, as the user gave them."""

    blocks: int
    threads: int  # per block
    fill: bool = False  # whether kernels are compiled for as many blocks as fit, and not for this number

    @property
    def residency(self) -> Residency:
        """The warps of these blocks."""
        return Residency.of(grid=self.blocks, block=self.threads, sms=1)


def recorded_blocks(row: Row, device: Device) -> int | None:
    """Return the blocks of a row's kernel that an SM executes at a time; None if its occupancy is not known."""
    if not row.occupancy or not device.threads_per_sm:
        return None
    return max(1, round(row.occupancy * device.threads_per_sm / row.first_launch[1]))


def residency_of(row: Row, device: Device) -> Residency | None:
    """Return the warps of the busiest SM in the launch of a row; None if the row has no grid."""
    grid, block = row.first_launch
    return None if grid is None else Residency.of(grid, block, device.sms, recorded_blocks(row, device))


def occupancy_of(arch: str, registers: int, shared_bytes: int, block: int) -> Occupancy | None:
    """Return how many blocks of a compiled kernel fit on an SM; None if a figure of the architecture is not known."""
    figures = load(arch)
    capacity = SmCapacity.of(figures) if figures else None
    return occupancy(capacity, registers, shared_bytes, block) if capacity else None
