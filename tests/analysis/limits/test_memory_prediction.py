from dataclasses import replace

import pytest

from shflbench.analysis.limits.constants import DEFAULTS
from shflbench.analysis.limits.memory_prediction import MemoryUse, predict_one_pass
from shflbench.analysis.limits.prediction import PredictedLaunch
from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests, OnePassCode
from tests.analysis.limits.timed import code, item

LOAD, STORE, ATOMIC = AccessKind
LAUNCH = PredictedLaunch(grid=4096, block=256, sms=132, resident_blocks=8, clock_mhz=1980)
MB = 1e6
LARGE = MemoryUse(distinct_bytes=500 * MB, buffer_bytes=600 * MB, l2_bytes=62_914_560)


def access(
    kind: AccessKind, sectors: float, least: float = 4, requests: float = 4, lanes: float = 32
) -> AccessRequests:
    space = AccessSpace.GLOBAL
    return AccessRequests("a.cu", 1, space, kind, 32, requests, 1, lanes, sectors=sectors, least_sectors=least)


def counted(*accesses: AccessRequests) -> KernelRequests:
    return KernelRequests(accesses, (), warps=4, per_iteration=False)


def us(launch: PredictedLaunch, memory: MemoryUse, requests: KernelRequests | None = None) -> float:
    prediction = predict_one_pass(launch, memory, requests)
    assert prediction.us is not None, prediction.reason
    return prediction.us


def test_large_arrays_take_the_rate_of_dram() -> None:
    reads, copies = counted(access(LOAD, 4)), counted(access(LOAD, 4), access(STORE, 4))
    for requests, rate in ((reads, DEFAULTS.dram_read_bytes_per_us), (copies, DEFAULTS.dram_bytes_per_us)):
        expected = DEFAULTS.one_pass_us + LARGE.distinct_bytes / rate
        assert us(LAUNCH, LARGE, requests) == pytest.approx(expected, rel=0.01)


def test_arrays_that_fit_in_l2_are_faster_unless_it_is_cold() -> None:
    small = replace(LARGE, distinct_bytes=40 * MB, buffer_bytes=40 * MB)
    assert us(LAUNCH, small) < us(LAUNCH, replace(small, is_cold=True))


def test_many_small_blocks_take_the_time_to_start_them() -> None:
    many = replace(LAUNCH, grid=1_000_000, block=32)
    small = replace(LARGE, distinct_bytes=1 * MB, buffer_bytes=1 * MB)
    assert us(many, small) == pytest.approx(DEFAULTS.one_pass_us + 1e6 * DEFAULTS.block_us, rel=0.01)


def test_sectors_that_a_stride_leaves_unused_count_as_moved() -> None:
    declared = replace(LARGE, distinct_bytes=4096 * 8 * 256.0, buffer_bytes=600 * MB)
    strided, dense = (us(LAUNCH, declared, counted(access(LOAD, sectors), access(STORE, 4))) for sectors in (32, 4))
    assert strided > 1.5 * dense


def test_sectors_that_stores_write_in_part_take_longer() -> None:
    dense, partial = (us(LAUNCH, LARGE, counted(access(STORE, sectors, requests=64))) for sectors in (4, 32))
    assert partial > 1.3 * dense


@pytest.mark.parametrize(
    ("requests", "reason"),
    [
        (counted(access(ATOMIC, 1)), "the time of its atomics on global memory depends on the addresses"),
        (counted(access(STORE, 4, lanes=16)), "the data decide which lanes store"),
        (counted(access(LOAD, 4, requests=40)), "it loads in a loop, and the time of each load is not known"),
    ],
)
def test_what_would_be_a_guess_is_refused(requests: KernelRequests, reason: str) -> None:
    assert predict_one_pass(LAUNCH, replace(LARGE, loads=2), requests).reason == reason


def test_atomics_on_one_address_follow_one_another() -> None:
    declared = replace(LARGE, has_atomics=True, atomics=1e6)
    per_warp = counted(access(ATOMIC, 1, requests=1e6 / 4096 / 2, lanes=1))
    expected = us(LAUNCH, LARGE) + 1e6 / DEFAULTS.atomics_per_clock / LAUNCH.clock_mhz
    assert us(LAUNCH, declared, per_warp) == pytest.approx(expected)


def test_atomics_on_many_addresses_are_refused() -> None:
    declared = replace(LARGE, has_atomics=True, atomics=1e6)
    per_lane = counted(access(ATOMIC, 32, requests=1e6 / 4096 / 2, lanes=32))
    assert "depends on the addresses" in predict_one_pass(LAUNCH, declared, per_lane).reason


def test_atomics_in_the_machine_code_are_refused_without_requests() -> None:
    prediction = predict_one_pass(LAUNCH, replace(LARGE, has_atomics=True))
    assert prediction.us is None
    assert "atomics" in prediction.reason


def test_loads_that_wait_for_one_another_take_longer() -> None:
    loads = [
        item(f"LDG.E R{4 + one}, desc[UR4][R{2 + one}.64]", stall=2, writes=0, waits=(0,)) for one in range(0, 20, 2)
    ]
    small = replace(LARGE, distinct_bytes=0.1 * MB, buffer_bytes=0.1 * MB)
    few = replace(LAUNCH, grid=132)
    independent, dependent = (
        predict_one_pass(few, small, counted(access(LOAD, 4)), DEFAULTS, OnePassCode(code(*items))).us
        for items in (loads[:1], loads)
    )
    assert independent is not None
    assert dependent is not None
    assert dependent > independent + 0.8 * 9 * DEFAULTS.l2_latency / few.clock_mhz


def test_large_blocks_take_longer_to_start() -> None:
    small = replace(LARGE, distinct_bytes=1 * MB, buffer_bytes=1 * MB)
    times = [us(replace(LAUNCH, grid=40_000, block=block), small) for block in (64, 256, 1024)]
    assert times[0] == pytest.approx(times[1], rel=0.01)
    assert times[2] > 3 * times[1]


def test_between_two_sizes_dram_serves_a_part() -> None:
    sizes = [share * LARGE.l2_bytes for share in (DEFAULTS.cached_share, 0.65, DEFAULTS.uncached_share)]
    rates = [size / (us(LAUNCH, replace(LARGE, distinct_bytes=size)) - DEFAULTS.one_pass_us) for size in sizes]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 1.2 * rates[2]
