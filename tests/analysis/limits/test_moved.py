"""The time in which memory moves the bytes of a launch."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.limits.moved import MovedBytes, moved_bytes
from shflbench.core.model import Device, MemoryFootprint
from shflbench.store import read_info
from shflbench.store.calibration_file import find_shipped, read
from tests.analysis.limits.test_launched import STORE, access, work

DEVICE = read_info(Path(__file__).parents[3] / "results" / "gtc2013" / "nvidia-h200").device
MB = 1e6


@pytest.fixture
def h200() -> Device:
    assert DEVICE
    return DEVICE


def moved(device: Device, read_mb: float, stored_mb: float, *, calibrated: bool = True) -> MovedBytes | None:
    path = find_shipped("NVIDIA H200")
    assert path
    counts = work().counts
    footprint = MemoryFootprint(read_mb * MB, stored_mb * MB, (read_mb + stored_mb) * MB)
    done = replace(work(), counts=replace(counts, footprint=footprint))
    return moved_bytes(done, device, read(path) if calibrated else None)


@pytest.mark.parametrize(
    ("read_mb", "stored_mb", "by", "rate"),
    [(300, 300, "dram", 3.94), (600, 1, "dram", 4.68), (5, 5, "l2", 6.5), (10, 0, "l2", 9.42), (30, 30, "dram", 3.94)],
)
def test_the_rate_is_that_of_the_memory_that_has_the_data(
    h200: Device, read_mb: float, stored_mb: float, by: str, rate: float
) -> None:
    known = moved(h200, read_mb, stored_mb)
    assert known
    assert (known.by, known.is_measured) == (by, True)
    assert known.bytes_per_us == pytest.approx(rate * MB, rel=0.01)
    assert known.us == pytest.approx((read_mb + stored_mb) / rate, rel=0.01)


def test_without_a_calibration_the_rate_is_documented(h200: Device) -> None:
    known = moved(h200, 300, 300, calibrated=False)
    assert known
    assert known.bytes_per_us == pytest.approx(4.8 * MB, rel=0.01)
    assert not known.is_measured
    assert moved(replace(h200, name="another"), 1, 1, calibrated=False) is None


def test_a_gpu_of_unknown_cache_has_no_time(h200: Device) -> None:
    assert moved(replace(h200, state=replace(h200.state, l2_bytes=None)), 1, 1) is None


def test_l2_moves_the_sectors_that_stores_touch(h200: Device) -> None:
    done = work(access(STORE, 8, sectors=32.0))
    known = moved_bytes(done, h200, None)
    assert known
    assert known.written_bytes == 8 * 32 * 32 * done.counts.grid
