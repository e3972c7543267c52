import pytest

from shflbench.analysis.limits import Residency
from shflbench.analysis.limits.one_pass import (
    BLOCK_START,
    DRAM,
    MemoryTraffic,
    TimeLimit,
    atomic_us,
    block_start_us,
    one_pass_limit,
)
from shflbench.core.arch import Architecture, load
from tests.analysis.limits.timed import code, item

CLOCK_MHZ = 2000.0
KERNEL = code("LDC", "MOV", item("MOV", waits=(0,)), "S2R", "EXIT")  # issue slots are all that it needs


@pytest.fixture
def h200() -> Architecture:
    arch = load("sm_90")
    assert arch
    return arch


def test_memory_moves_what_the_cache_cannot_hold() -> None:
    assert MemoryTraffic(260e6, 60_000_000, 4e6).least_us == 50.0
    assert MemoryTraffic(50e6, 60_000_000, 4e6).least_us == 0.0


@pytest.mark.parametrize(
    "traffic", [MemoryTraffic(None, 1, 1.0), MemoryTraffic(1.0, None, 1.0), MemoryTraffic(1.0, 1, None)]
)
def test_memory_sets_no_limit_where_bytes_cache_or_rate_are_unknown(traffic: MemoryTraffic) -> None:
    assert traffic.least_us is None


def test_blocks_start_one_after_another() -> None:
    assert block_start_us(grid=65536, blocks_per_clock=1.0, clock_mhz=CLOCK_MHZ) == 32.768
    assert block_start_us(grid=65536, blocks_per_clock=None, clock_mhz=CLOCK_MHZ) is None


def test_atomic_operations_on_one_address_follow_one_another() -> None:
    assert atomic_us(4_000_000, per_clock=1.0, clock_mhz=CLOCK_MHZ) == 2000.0
    assert atomic_us(4_000_000, per_clock=None, clock_mhz=CLOCK_MHZ) is None


def test_the_largest_part_sets_the_limit(h200: Architecture) -> None:
    residency = Residency.of(grid=132 * 64, block=1024, sms=132)  # 2048 warps per SM
    bound = one_pass_limit(KERNEL, h200, residency, CLOCK_MHZ, {DRAM: 0.1, BLOCK_START: 0.2})
    assert bound
    assert (bound.by, bound.us) == ("issue", 2048 * 5 / 4 / CLOCK_MHZ)
    slow = one_pass_limit(KERNEL, h200, residency, CLOCK_MHZ, {DRAM: 30.0, BLOCK_START: 0.2})
    assert slow
    assert (slow.by, slow.us) == (DRAM, 30.0)


def test_the_latency_of_a_loop_is_no_part_of_a_kernel_without_one(h200: Architecture) -> None:
    bound = one_pass_limit(KERNEL, h200, Residency(1, 1), CLOCK_MHZ, {})
    assert bound
    assert "latency" not in bound.parts


def test_what_is_unknown_is_said(h200: Architecture) -> None:
    bound = one_pass_limit(KERNEL, h200, Residency(1, 1), CLOCK_MHZ, {DRAM: None, BLOCK_START: 0.2})
    assert bound
    assert DRAM in bound.omitted
    assert BLOCK_START not in bound.omitted


def test_a_kernel_of_which_nothing_is_known_has_no_limit(h200: Architecture) -> None:
    assert one_pass_limit(None, h200, Residency(1, 1), CLOCK_MHZ, {DRAM: None, BLOCK_START: None}) is None
    assert TimeLimit.of({}) is None


def test_a_launch_of_which_nothing_takes_time_for_certain_has_no_limit(h200: Architecture) -> None:
    assert (
        one_pass_limit(None, h200, Residency(1, 1), CLOCK_MHZ, {DRAM: 0.0, BLOCK_START: None}, {"shared": 0.0}) is None
    )
