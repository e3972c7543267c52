import pytest

from shflbench.core.arch.launch_limits import resident_blocks
from shflbench.core.model import Resources


@pytest.mark.parametrize(
    ("arch", "registers", "block", "shared", "blocks"),
    [
        ("sm_90", 32, 1024, 0, 2),  # 2,048 threads
        ("sm_75", 32, 1024, 0, 1),  # 1,024 threads
        ("sm_86", 32, 1024, 0, 1),  # 1,536 threads hold one block of 1,024
        ("sm_90", 16, 32, 0, 32),  # the number of blocks
        ("sm_75", 16, 32, 0, 16),
        ("sm_90", 64, 1024, 0, 1),  # 65,536 registers
        ("sm_90", 65, 1024, 0, 0),
        ("sm_90", 33, 256, 0, 6),  # 33 registers round up to 40 per thread
        ("sm_90", 32, 128, 100 * 1024, 2),  # 228 KiB, and 1 KiB per block for the system
        ("sm_90", 32, 128, 113 * 1024, 2),
        ("sm_90", 32, 128, 114 * 1024, 1),
        ("sm_75", 32, 128, 32 * 1024, 2),  # nothing reserved before sm_80
        ("sm_90", 32, 128, 227 * 1024, 1),
        ("sm_90", 32, 128, 227 * 1024 + 1, 0),
        ("sm_90", 32, 1025, 0, 0),
    ],
)
def test_the_scarcest_resource_decides(arch: str, registers: int, block: int, shared: int, blocks: int) -> None:
    assert resident_blocks(arch, Resources(registers, 0, 0, 0), block, shared) == blocks


def test_static_shared_memory_counts() -> None:
    assert resident_blocks("sm_90", Resources(32, 100 * 1024, 0, 0), 128, 14 * 1024) == 1
