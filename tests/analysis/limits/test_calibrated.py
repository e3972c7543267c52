from dataclasses import replace

import pytest

from shflbench.analysis.limits.calibrated import apply_calibration, atomics_per_clock, memory_us
from shflbench.core.arch import load
from shflbench.store.calibration_file import Calibration
from tests.fakes.calibrations import EMPTY, figures

L2 = 60_000_000


def calibration(**values: float) -> Calibration:
    """Return a calibration with these figures."""
    return replace(EMPTY, figures=figures(**values))


def test_measured_rates_replace_documented_ones() -> None:
    documented = load("sm_90")
    assert documented
    measured = apply_calibration(documented, calibration(shuffle=0.5, barrier_2x32=128.0, shfl_latency=25.6))
    assert measured.exchange
    assert measured.exchange.value == 0.5
    assert "NVIDIA H200" in measured.exchange.source
    assert measured.barrier
    assert measured.barrier.value == 0.5
    assert measured.shfl_latency
    assert measured.shfl_latency.value == 26
    assert measured.vote == documented.vote  # not measured
    assert documented.exchange
    assert documented.exchange.value == 1.0


def test_a_rate_above_the_documented_one_is_not_believed() -> None:
    documented = load("sm_90")
    assert documented
    assert documented.redux
    measured = apply_calibration(documented, calibration(redux_add=1.01 * documented.redux.value))
    assert measured.redux == documented.redux


@pytest.mark.parametrize(
    ("moved", "state", "by", "us"),
    [(40e6, "warm", "l2", 8.0), (40e6, "cold", "dram", 10.0), (240e6, "warm", "dram", 60.0)],
    ids=["in the cache", "not in the cache yet", "more than the cache"],
)
def test_cache_or_memory_serves_a_launch(moved: float, state: str, by: str, us: float) -> None:
    rates = calibration(l2_bytes_per_s=5e12, dram_copy_bytes_per_s=4e12)
    served = memory_us(rates, moved, L2, cold=state == "cold")
    assert served
    assert served[0] == by
    assert served[1] == pytest.approx(us)


def test_unknown_bytes_or_rates_give_no_ceiling() -> None:
    rates = calibration(l2_bytes_per_s=5e12)
    assert memory_us(rates, None, L2, cold=False) is None
    assert memory_us(rates, 240e6, L2, cold=False) is None
    assert memory_us(rates, 240e6, None, cold=False) is None


def test_the_rate_of_atomics_is_that_of_all_sms() -> None:
    assert atomics_per_clock(calibration(atomic_global_lane=0.005)) == pytest.approx(0.66)
    assert atomics_per_clock(calibration()) is None
