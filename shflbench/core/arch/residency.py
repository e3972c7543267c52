"""How many blocks of a kernel are resident on an SM at once, and which resource allows no more.

Source: `cuda_occupancy.h` of the CUDA 13 toolkit, which computes what `cudaOccupancyMaxActiveBlocksPerMultiprocessor`
returns. `tests/core/arch/test_residency.py` compares the result with the occupancy that the driver of an H200 reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.core.arch.tables import Architecture

THREADS_PER_WARP = 32
SUB_PARTITIONS = 4  # registers belong to one of these; `cudaOccSubPartitionsPerMultiprocessor`
REGISTER_GRANULE = 256  # registers are allocated to a warp in multiples of this; `cudaOccRegAllocationGranularity`
SHARED_GRANULE = 128  # bytes; `cudaOccSMemAllocationGranularity`
SHARED_GRANULE_BEFORE_SM_80 = 256
REGISTERS_PER_THREAD = 255  # the most that an instruction can name
WARPS, BLOCKS, REGISTERS, SHARED_MEMORY = "warps", "blocks", "registers", "shared memory"


@dataclass(frozen=True, slots=True)
class SmCapacity:
    """The resources that an SM divides among its resident blocks."""

    warps: int
    blocks: int
    registers: int  # of 32 bits
    shared_bytes: int
    reserved_shared_bytes: int  # that each block takes in addition to its own
    shared_bytes_per_block: int  # the most that one block can opt in to
    shared_granule: int = SHARED_GRANULE

    @classmethod
    def of(cls, arch: Architecture) -> SmCapacity | None:
        """Return the capacity of an SM of `arch`; None if one of its figures is unknown."""
        warps, blocks, registers = arch.resident_warps, arch.resident_blocks, arch.registers
        shared, reserved, per_block = arch.shared_bytes, arch.reserved_shared_bytes, arch.shared_bytes_per_block
        if not (warps and blocks and registers and shared and reserved and per_block):
            return None
        return cls(
            warps.value,
            blocks.value,
            registers.value,
            shared.value,
            reserved.value,
            per_block.value,
            shared_granule(arch.name),
        )


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The blocks of a kernel that are resident on an SM at once."""

    blocks: int  # 0 if not even one fits
    warps: int
    of_warps: int  # that an SM can hold
    limited_by: tuple[str, ...]  # the resources that allow no further block
    blocks_by: Mapping[str, int]  # the blocks that each resource allows

    @property
    def fraction(self) -> float:
        """The resident warps as a fraction of those that an SM can hold."""
        return self.warps / self.of_warps


def occupancy(capacity: SmCapacity, registers: int, shared_bytes: int, block: int) -> Occupancy:
    """Return the occupancy of a kernel that takes `registers` per thread and `shared_bytes` per block of `block`.

    `shared_bytes` is static and dynamic shared memory together. ValueError if `block` is not positive.
    """
    if block < 1:
        raise ValueError(f"a block of {block} threads")
    warps = -(-block // THREADS_PER_WARP)
    blocks_by = {
        WARPS: capacity.warps // warps,
        BLOCKS: capacity.blocks,
        REGISTERS: _by_registers(capacity, registers, warps),
        SHARED_MEMORY: _by_shared_memory(capacity, shared_bytes),
    }
    blocks = min(blocks_by.values())
    limited_by = tuple(name for name, most in blocks_by.items() if most == blocks)
    return Occupancy(blocks, blocks * warps, capacity.warps, limited_by, blocks_by)


def _by_registers(capacity: SmCapacity, registers: int, warps: int) -> int:
    if registers > REGISTERS_PER_THREAD:
        return 0
    taken = _round_up(max(registers, 1) * THREADS_PER_WARP, REGISTER_GRANULE)  # per warp
    return capacity.registers // SUB_PARTITIONS // taken * SUB_PARTITIONS // warps


def _by_shared_memory(capacity: SmCapacity, shared_bytes: int) -> int:
    if shared_bytes > capacity.shared_bytes_per_block:
        return 0
    taken = _round_up(shared_bytes + capacity.reserved_shared_bytes, capacity.shared_granule)
    return capacity.shared_bytes // taken if taken else capacity.blocks


def shared_granule(arch: str) -> int:
    """Return the bytes in multiples of which a block takes shared memory on `arch`, e.g. `sm_90`."""
    match = re.match(r"sm_([0-9]+)[0-9]", arch)
    return SHARED_GRANULE_BEFORE_SM_80 if match and int(match[1]) < 8 else SHARED_GRANULE  # noqa: PLR2004


def _round_up(number: int, granule: int) -> int:
    return -(-number // granule) * granule
