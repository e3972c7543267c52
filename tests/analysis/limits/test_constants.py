from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.limits.constants import DEFAULTS, calibrate_constants, is_fitted
from shflbench.store.calibration_file import Calibration
from shflbench.store.read import read_run
from tests.fakes.calibrations import EMPTY, figures

RESULTS = Path(__file__).parents[3] / "results"
FIGURES = {"shuffle": 0.5, "shfl_latency": 30.0, "barrier_1": 13.0, "barrier_2": 16.0, "barrier_4": 22.0}


def calibration(**values: float) -> Calibration:
    return replace(EMPTY, figures=figures(**values))


def test_measured_rates_replace_the_constants() -> None:
    constants = calibrate_constants(calibration(**FIGURES))
    assert constants.exchange == 2.0
    assert constants.shfl_latency + constants.shuffle_of_result == 30.0
    assert constants.barrier_per_warp == pytest.approx(3.0)
    assert constants.redux == DEFAULTS.redux


def test_rates_of_all_sms_come_from_the_calibration_too() -> None:
    constants = calibrate_constants(calibration(atomic_global_lane=0.01, dram_copy_bytes_per_s=2e12))
    assert constants.atomics_per_clock == pytest.approx(1.32)
    assert constants.dram_bytes_per_us == 2e6


def test_without_a_calibration_the_constants_stay() -> None:
    assert calibrate_constants(None) == DEFAULTS
    assert calibrate_constants(calibration()) == DEFAULTS


def test_the_halves_of_the_patterns_never_change() -> None:
    measured = {row.pattern for folder in RESULTS.glob("*/nvidia-h200") for row in read_run(folder).rows}
    # Those that are newer than the constants.
    newer = "block-reduce block-scan column-sum device-reduce row-norm softmax stream warp-value"
    newer += " moving-average-blocked batched-reduce block-combine convert-layout handoff max-and-sum staging"
    newer += " transpose16 transpose8 fragment-load top-k cluster-exchange cluster-reduce dependent-launch"
    newer += " cluster-copy grid-reduce scale-max"
    patterns = measured - set(newer.split())
    test_half = "bitonic-sort broadcast-work memory-ladder moving-average neighbor-difference reserve scan vote"
    assert {pattern for pattern in patterns if not is_fitted(pattern)} == set(test_half.split())
    assert Counter(map(is_fitted, patterns)) == {True: 13, False: 8}
