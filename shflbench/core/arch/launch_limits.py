"""The resources of a multiprocessor of each architecture, and how many blocks of a kernel fit on it.

From the CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from shflbench.core.arch.residency import SmCapacity, occupancy, shared_granule
from shflbench.core.model import MAX_BLOCK, WARP, Resources
from shflbench.errors import DeviceError

KIB = 1024
REGISTERS = 64 * KIB  # of 32 bits, on every architecture
# Bytes of static and dynamic shared memory per block, as long as no attribute of the kernel raises it (CUDA C++
# Programming Guide 13.0, "Shared Memory" of compute capability 7.x to 12.x).
USUAL_SHARED = 48 * KIB
RESERVED_SHARED = KIB  # bytes per block that the system reserves since compute capability 8.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources of one multiprocessor."""

    threads: int
    blocks: int
    shared_bytes: int
    sms: int  # of the largest product: NVIDIA's whitepapers and data sheets

    def block_shared_bytes(self, major: int) -> int:
        """Return the maximum of shared memory that one block can opt in to."""
        return self.shared_bytes - reserved_shared_bytes(major)


LIMITS: Mapping[str, Limits] = {
    "sm_70": Limits(2048, 32, 96 * KIB, 80),
    "sm_72": Limits(2048, 32, 96 * KIB, 8),
    "sm_75": Limits(1024, 16, 64 * KIB, 72),
    "sm_80": Limits(2048, 32, 164 * KIB, 108),
    "sm_86": Limits(1536, 16, 100 * KIB, 84),
    "sm_87": Limits(1536, 16, 164 * KIB, 16),
    "sm_89": Limits(1536, 24, 100 * KIB, 142),
    "sm_90": Limits(2048, 32, 228 * KIB, 132),
    "sm_100": Limits(2048, 32, 228 * KIB, 148),
    "sm_103": Limits(2048, 32, 228 * KIB, 160),
    "sm_110": Limits(1536, 24, 228 * KIB, 20),
    "sm_120": Limits(1536, 24, 100 * KIB, 188),
    "sm_121": Limits(1536, 24, 100 * KIB, 48),
}


def reserved_shared_bytes(major: int) -> int:
    """Return the bytes of shared memory that each block takes in addition to its own."""
    return RESERVED_SHARED if major >= 8 else 0  # noqa: PLR2004  (compute capability 8.0)


def limits_of(arch: str) -> Limits:
    """Return the limits of `arch`, e.g. `sm_90`; DeviceError if they are not known."""
    if arch not in LIMITS:
        raise DeviceError(f"the limits of {arch} are unknown to the emulator", f"Choose one of {', '.join(LIMITS)}.")
    return LIMITS[arch]


def major(arch: str) -> int:
    """Return the major compute capability of `arch`."""
    return int(arch.removeprefix("sm_")) // 10


def resident_blocks(arch: str, resources: Resources, block: int, shared_bytes: int) -> int:
    """Return how many blocks of `block` threads are resident on a multiprocessor at once; 0 if none fits.

    `shared_bytes` is the dynamic part. Limits are threads, blocks, registers and shared memory.
    """
    limits, generation = limits_of(arch), major(arch)
    if not 0 < block <= MAX_BLOCK:
        return 0
    capacity = SmCapacity(
        warps=limits.threads // WARP,
        blocks=limits.blocks,
        registers=REGISTERS,
        shared_bytes=limits.shared_bytes,
        reserved_shared_bytes=reserved_shared_bytes(generation),
        shared_bytes_per_block=limits.block_shared_bytes(generation),
        shared_granule=shared_granule(arch),
    )
    return occupancy(capacity, resources.registers, resources.shared_bytes + shared_bytes, block).blocks
